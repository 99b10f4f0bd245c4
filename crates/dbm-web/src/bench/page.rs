//! The benchmark's view, in place of the lab: what it does, how far it is, and its report.

use crate::bench::{Asked, Bench, Measuring, Report, Row};
use crate::ui::notices::{NoticeList, Notices};
use dbm_protocol::BenchProtocol;
use leptos::either::Either;
use leptos::prelude::*;

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
    let bench = Bench::new(asked.clone(), Notices::of_page());
    bench.begin();
    let about = describe(&asked);
    let protocol = asked.protocol;
    let steps = move || match bench.measuring.get() {
        Measuring::Working { steps, .. } => Some(steps.unwrap_or((0, 1))),
        _ => None,
    };
    let stage = Memo::new(move |_| bench.measuring.with(|measuring| stage(measuring, protocol)));
    let report = Memo::new(move |_| {
        bench.measuring.with(|measuring| if let Measuring::Done(report) = measuring { Some((**report).clone()) } else { None })
    });
    view! {
        <section aria-labelledby="bench-title">
            <div class="ruled">
                <h2 id="bench-title">{asked.preset}</h2>
            </div>
            <p class="bench-about">{about}</p>
            <div class="answers-status">
                <p role="status">{move || stage.get()}</p>
                <Show when=move || steps().is_some()>
                    <progress
                        aria-label="Steps done"
                        max=move || steps().map(|(_, total)| total)
                        prop:value=move || steps().map(|(done, _)| f64::from(done))
                    ></progress>
                    <button type="button" on:click=move |_| bench.cancel()>
                        "Cancel"
                    </button>
                </Show>
                <Show when=move || bench.measuring.with(|measuring| matches!(measuring, Measuring::Stopped | Measuring::Done(_)))>
                    <button type="button" on:click=move |_| bench.begin()>
                        "Run again"
                    </button>
                </Show>
            </div>
            {move || report.get().map(|report| view! { <Result report /> })}
        </section>
    }
}

/// The report as a table, and as JSON.
#[component]
fn Result(report: Report) -> impl IntoView {
    let json = report.json();
    let line = |name: &'static str, of: fn(&Row) -> f64| {
        let cells = report.rows.iter().map(|row| view! { <td>{format!("{:.2}", of(row))}</td> }).collect_view();
        view! {
            <tr>
                <th scope="row">{name}</th>
                {cells}
            </tr>
        }
    };
    let heads = report.rows.iter().map(|row| {
        view! { <th scope="col">{counted(row.workers, "worker")}</th> }
    });
    let heads = heads.collect_view();
    let isolated =
        if report.browser.cross_origin_isolated { "isolated from other origins" } else { "not isolated from other origins" };
    let browser = format!("The page is {isolated}; hardware concurrency {}.", report.browser.hardware_concurrency);
    view! {
        <table class="numbers">
            <caption>"Rates of the runs; the parts of a step are means over all of them. "{browser}</caption>
            <thead>
                <tr>
                    <td></td>
                    {heads}
                </tr>
            </thead>
            <tbody>
                {line("steps a second, median", |row| row.steps_per_second.median)}
                {line("slowest run", |row| row.steps_per_second.min)}
                {line("fastest run", |row| row.steps_per_second.max)}
                {line("milliseconds a step, median", |row| row.milliseconds_per_step)}
                {line("search, data clamped, ms", |row| row.milliseconds.positive_search)}
                {line("search, free, ms", |row| row.milliseconds.negative_search)}
                {line("coupling, ms", |row| row.milliseconds.coupling)}
                {line("update, ms", |row| row.milliseconds.update)}
                {line("all else, ms", |row| row.milliseconds.other)}
                {line("T, data clamped, sweeps", |row| row.sweeps.positive)}
                {line("T, free, sweeps", |row| row.sweeps.negative)}
                <tr>
                    <th scope="row">"parameters at the end, checksum"</th>
                    {report.rows.iter().map(|row| view! { <td class="checksum">{row.checksum.clone()}</td> }).collect_view()}
                </tr>
            </tbody>
        </table>
        <h3 id="bench-json">"The same as JSON"</h3>
        <pre id="bench-result" tabindex="0" aria-labelledby="bench-json">
            {json}
        </pre>
    }
}

fn describe(asked: &Asked) -> String {
    let hidden: Vec<String> = asked.plan.hidden.iter().map(ToString::to_string).collect();
    let BenchProtocol { warm_up, steps, runs } = asked.protocol;
    format!(
        "Trains a model of 784-{} units on generated digits in this tab’s workers, as the lab does, but shows nothing meanwhile, with one \
         number of workers after another: {} to warm up, then {} of {} of {} examples. Nothing leaves the tab. Keep it in view and leave \
         the machine alone until it is done.",
        hidden.join("-"),
        counted(warm_up, "step"),
        counted(runs, "run"),
        counted(steps, "step"),
        asked.plan.settings.batch,
    )
}

fn counted(n: u32, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Where it stands; changes with the run, not with the step, since it is read aloud.
fn stage(measuring: &Measuring, protocol: BenchProtocol) -> String {
    let BenchProtocol { warm_up, steps, runs } = protocol;
    match measuring {
        Measuring::Working { steps: None, .. } => "Starting the worker".into(),
        Measuring::Working { steps: Some((done, total)), .. } => {
            // The same steps for each number of workers.
            let each = warm_up.saturating_add(steps.saturating_mul(runs)).max(1);
            let (row, rows, done) = (done / each + 1, total / each, done % each);
            let run = match done.checked_sub(warm_up) {
                None => "warming up".into(),
                Some(timed) => format!("run {} of {runs}", timed / steps.max(1) + 1),
            };
            format!("Measurement {row} of {rows}: {run}")
        }
        Measuring::Stopped => "Stopped before the end".into(),
        Measuring::Done(_) => "Done".into(),
    }
}
