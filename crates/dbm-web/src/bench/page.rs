//! The benchmark's view, in place of the lab: what it does, how far it is, and its report.

use super::{Asked, LINES, numbers};
use crate::ui::button::Button;
use crate::ui::notices::{NoticeList, Notices};
use crate::ui::number::listed;
use crate::ui::progress::ProgressBar;
use crate::worker::client::Work;
use crate::worker::client::{Client, Failure, Progress};
use dbm_protocol::{BenchProtocol, BenchResult, BenchRow, Command, DataSource, Event};
use js_sys::Array;
use leptos::either::Either;
use leptos::prelude::*;
use serde::Serialize;
use wasm_bindgen::JsValue;

/// Generated digits to train on.
const EXAMPLES: u32 = 2000;
const DIGITS: DataSource = DataSource::Digits { count: EXAMPLES, seed: 1 };

/// The whole page of a benchmark, or of one that cannot be: provides where messages go.
#[component]
pub fn BenchPage(
    /// What the address asks for, or why that cannot be.
    asked: Result<Asked, String>,
) -> impl IntoView {
    let notices = Notices::default();
    provide_context(notices);
    document().set_title("DBM Lab: benchmark");
    view! {
        <header class="masthead">
            <div class="masthead-name">
                <h1>"DBM Lab: benchmark"</h1>
                <p>"How fast this browser trains."</p>
            </div>
            <a href="./">"Back to the lab"</a>
        </header>
        <main class="bench">
            {match asked {
                Ok(asked) => Either::Left(view! { <Measurement asked /> }),
                Err(why) => Either::Right(view! { <p role="alert">{why}</p> }),
            }}
        </main>
        <NoticeList />
    }
}

/// A benchmark that can be.
#[component]
fn Measurement(asked: Asked) -> impl IntoView {
    let (notices, work) = (Notices::of_page(), Work::new(Client::new("dbm-bench")));
    let result = RwSignal::new(None::<BenchResult>);
    let (about, protocol, title) = (describe(&asked), asked.protocol, asked.preset);
    let asked = StoredValue::new(asked);
    let begin = move || {
        result.set(None);
        let Asked { plan, protocol, workers, gpu, .. } = asked.get_value();
        let answer = work.ask(Command::Bench { source: DIGITS, plan, protocol, workers, gpu });
        leptos::task::spawn_local(async move {
            match answer.await {
                Ok(Some(Event::Bench(measured))) => result.set(Some(measured)),
                Ok(_) => {}
                Err(Failure::Lost(why)) => notices
                    .error(format!("The worker that computes was lost: {why}. Press “Run again” to begin anew with another.")),
                Err(failure) => notices.error(failure.to_string()),
            }
        });
    };
    begin();
    let stage = Memo::new(move |_| match work.now() {
        Some(now) => stage(now.progress, protocol),
        None if result.with(Option::is_some) => "Done".into(),
        None => "Stopped before the end".into(),
    });
    let at_work = Memo::new(move |_| work.now().is_some());
    view! {
        <section aria-labelledby="bench-title">
            <div class="ruled">
                <h2 id="bench-title">{title}</h2>
            </div>
            <p class="bench-about">{about}</p>
            <div class="answers-status">
                <p role="status">{move || stage.get()}</p>
                <Show when=move || at_work.get()>
                    <ProgressBar label="Steps done" parts=Signal::derive(move || work.parts()) on_cancel=move |()| work.cancel() />
                </Show>
                <Show when=move || !at_work.get()>
                    <Button label="Run again" on_press=move |()| begin() />
                </Show>
            </div>
            {move || result.get().map(|result| asked.with_value(|asked| report(asked, &result)))}
        </section>
    }
}

/// What was measured as a table, and as JSON.
fn report(asked: &Asked, result: &BenchResult) -> impl IntoView + use<> {
    let isolated = js_sys::Reflect::get(&window(), &"crossOriginIsolated".into()).is_ok_and(|isolated| isolated.is_truthy());
    let cores = window().navigator().hardware_concurrency();
    let not = if isolated { "" } else { "not " };
    let gpu = result.rows.iter().find(|row| row.workers == 0);
    let gpu = gpu
        .map_or_else(String::new, |row| format!(" The GPU calls itself {}; the parts of its steps are not told apart.", row.gpu));
    let browser = format!("The page is {not}isolated from other origins; hardware concurrency {cores}.{gpu}");
    let rows: Vec<_> = result.rows.iter().map(|row| numbers(row, asked.protocol.steps)).collect();
    let heads = result.rows.iter().map(|row| view! { <th scope="col">{who(row)}</th> });
    let line = |(place, (name, ..)): (usize, &(&'static str, &str, &str))| {
        let cells = rows.iter().map(|row| view! { <td>{format!("{:.2}", row[place])}</td> });
        view! {
            <tr>
                <th scope="row">{*name}</th>
                {cells.collect_view()}
            </tr>
        }
    };
    view! {
        <table class="numbers">
            <caption>"Rates of the runs; the parts of a step are means over all of them. "{browser}</caption>
            <thead>
                <tr>
                    <td></td>
                    {heads.collect_view()}
                </tr>
            </thead>
            <tbody>
                {LINES.iter().enumerate().map(line).collect_view()}
                <tr>
                    <th scope="row">"parameters at the end, checksum"</th>
                    {result.rows.iter().map(|row| view! { <td class="checksum">{row.checksum.clone()}</td> }).collect_view()}
                </tr>
            </tbody>
        </table>
        <h3 id="bench-json">"The same as JSON"</h3>
        <pre id="bench-result" tabindex="0" aria-labelledby="bench-json">
            {json(asked, result, isolated)}
        </pre>
    }
}

/// What was measured, of what and where: an object of each row, and in it one for each group of lines.
fn json(asked: &Asked, result: &BenchResult, isolated: bool) -> String {
    let BenchProtocol { warm_up, steps, runs } = asked.protocol;
    let row = |row: &BenchRow| {
        let known = object(&[("workers", row.workers.into()), ("gpu", (&row.gpu).into()), ("checksum", (&row.checksum).into())]);
        for ((_, group, name), number) in LINES.iter().zip(numbers(row, steps)) {
            let own = js_sys::Reflect::get(&known, &(*group).into()).ok().filter(JsValue::is_object);
            match (*group, own) {
                ("", _) => put(&known, name, &number.into()),
                (_, Some(own)) => put(&own, name, &number.into()),
                (group, None) => put(&known, group, &object(&[(name, number.into())])),
            }
        }
        known
    };
    let plan = asked.plan.serialize(&serde_wasm_bindgen::Serializer::json_compatible());
    let report = object(&[
        ("preset", asked.preset.into()),
        ("sizes", result.sizes.iter().map(|&size| JsValue::from(size)).collect::<Array>().into()),
        ("examples", EXAMPLES.into()),
        ("plan", plan.unwrap_or_default()),
        ("protocol", object(&[("warm_up", warm_up.into()), ("steps", steps.into()), ("runs", runs.into())])),
        ("rows", result.rows.iter().map(row).collect::<Array>().into()),
        ("cross_origin_isolated", isolated.into()),
        ("hardware_concurrency", window().navigator().hardware_concurrency().into()),
        ("user_agent", window().navigator().user_agent().unwrap_or_default().into()),
    ]);
    js_sys::JSON::stringify_with_replacer_and_space(&report, &JsValue::NULL, &2.into()).map(String::from).unwrap_or_default()
}

fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = js_sys::Object::new().into();
    entries.iter().for_each(|(name, value)| put(&object, name, value));
    object
}

fn put(object: &JsValue, name: &str, value: &JsValue) {
    // Nothing refuses a new entry of a plain object.
    let _ = js_sys::Reflect::set(object, &name.into(), value);
}

fn describe(asked: &Asked) -> String {
    let BenchProtocol { warm_up, steps, runs } = asked.protocol;
    format!(
        "Trains a model of 784-{} units on generated digits in this tab’s workers, as the lab does, but shows nothing meanwhile, with one \
         number of workers after another{}: {} to warm up, then {} of {} of {} examples. Nothing leaves the tab. Keep it in view and leave \
         the machine alone until it is done.",
        listed(&asked.plan.hidden, "-"),
        if asked.gpu { ", and on the GPU" } else { "" },
        counted(warm_up, "step"),
        counted(runs, "run"),
        counted(steps, "step"),
        asked.plan.settings.batch,
    )
}

/// Who computed a row.
fn who(row: &BenchRow) -> String {
    if row.workers == 0 { "GPU".into() } else { counted(row.workers, "worker") }
}

fn counted(n: u32, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Where it stands; changes with the run, not with the step, since it is read aloud.
fn stage(Progress { done, total, .. }: Progress, protocol: BenchProtocol) -> String {
    if total == 0 {
        return "Starting the worker".into();
    }
    let BenchProtocol { warm_up, steps, runs } = protocol;
    // The same steps for each number of workers.
    let each = warm_up.saturating_add(steps.saturating_mul(runs)).max(1);
    let (row, rows, done) = (done / each + 1, total / each, done % each);
    let run = match done.checked_sub(warm_up) {
        None => "warming up".into(),
        Some(timed) => format!("run {} of {runs}", timed / steps.max(1) + 1),
    };
    format!("Measurement {row} of {rows}: {run}")
}
