//! A run in the address: its data, its settings, and how far it is to go by itself; and the link to a run, which says by a checksum where it stood.

use crate::actions;
use crate::data::uploads;
use crate::state::{DataChoice, State, Tone};
use crate::train::draft::{Draft, same_run};
use crate::ui::address;
use crate::worker::link::words;
use dbm_protocol::{Command, Metrics};
use js_sys::futures::JsFuture;
use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};

/// Of all keys of this part.
const PREFIX: &str = "t.";

type Pairs = Vec<(String, String)>;

thread_local! {
    /// The keys as the address had them last,
    static SEEN: RefCell<Pairs> = const { RefCell::new(Vec::new()) };
    /// and as they were written last.
    static WRITTEN: RefCell<Pairs> = const { RefCell::new(Vec::new()) };
}

/// How far the run that an address asked for has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Its data are not there yet.
    Waits,
    /// It trains, or was paused on the way.
    Goes,
    /// It is there, and has been compared.
    Told,
}

/// What an address asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// On these data,
    data: &'static str,
    /// with these settings,
    draft: Draft,
    /// so many steps.
    step: u32,
    /// The checksum there, where it is known.
    sum: String,
    stage: Stage,
}

/// What the address calls data.
fn word(state: State, choice: DataChoice) -> &'static str {
    match choice {
        DataChoice::Digits => "digits",
        DataChoice::Bars => "bars",
        DataChoice::Mnist => "mnist",
        DataChoice::Upload(place) => state.uploads.with_untracked(|uploads| {
            if uploads.get(place).is_some_and(|upload| upload.name == uploads::MNIST) { "mnist" } else { "own" }
        }),
    }
}

/// Takes up what the address asks for, now and whenever it is changed, and keeps it up to date.
pub fn follow(state: State) {
    take_up(state);
    address::follow(move || take_up(state));
    Effect::new(move |_| {
        let mut pairs: Pairs = Vec::new();
        let mut put = |key: &str, there: bool, value: String| {
            if there {
                pairs.push((PREFIX.to_string() + key, value));
            }
        };
        put("two", state.two.get(), "yes".into());
        put("speed", state.pace.get() > 0, state.pace.get().to_string());
        let asked = state.asked.get();
        state.draft.with(|draft| {
            let data = word(state, state.choice.get());
            let asked = asked.filter(|asked| asked.data == data && asked.draft == *draft);
            pairs.extend(of_run(data, draft, asked.as_ref().map(|asked| (asked.step, &*asked.sum))));
        });
        write(pairs);
    });
}

fn write(pairs: Pairs) {
    WRITTEN.set(pairs.clone());
    address::put(PREFIX, pairs);
}

/// The keys of a run, and of where it is to go.
fn of_run(data: &str, draft: &Draft, goal: Option<(u32, &str)>) -> Pairs {
    let data_key = (data != "digits").then(|| ("data", data.to_string()));
    let goal = goal.map(|(step, sum)| {
        let step = (if sum.is_empty() { "go" } else { "step" }, step.to_string());
        [step, ("sum", sum.to_string())]
    });
    let goal = goal.into_iter().flatten().filter(|(_, value)| !value.is_empty());
    let settings = draft.pairs(&Draft::suiting(data));
    data_key.into_iter().chain(settings).chain(goal).map(|(key, value)| (PREFIX.to_string() + key, value)).collect()
}

fn get(key: &str) -> Option<String> {
    address::get(&(PREFIX.to_string() + key))
}

fn take_up(state: State) {
    let mut now = address::pairs();
    now.retain(|(key, _)| key.starts_with(PREFIX));
    if SEEN.replace(now.clone()) == now || WRITTEN.with_borrow(|written| *written == now) {
        return;
    }
    if now.is_empty() {
        // An address of another view: what is set here stays, and is written again.
        return write(WRITTEN.with_borrow(Clone::clone));
    }
    state.two.set(get("two").as_deref() == Some("yes"));
    let pace = get("speed").and_then(|pace| pace.parse().ok()).filter(|pace| actions::PACES.contains(pace)).unwrap_or(0);
    if pace != state.pace.get_untracked() {
        state.pace.set(pace);
        if state.session.client().is_ready() {
            actions::set_pace(state);
        }
    }
    run(state);
}

/// Takes up the address's run.
fn run(state: State) {
    let present = word(state, state.choice_in_use.get_untracked());
    let named = get("data").unwrap_or_else(|| "digits".into());
    let data = ["digits", "bars", "mnist", "own"].into_iter().find(|data| *data == named).unwrap_or_else(|| {
        state.say(Tone::Error, format!("The address asks for data “{named}”; expected digits, bars, mnist or own."));
        present
    });
    let draft = Draft::suiting(data).with(get);
    let plan = draft.plan();
    let sum = get("sum").unwrap_or_default();
    let goal = get("step").or_else(|| get("go"));
    let step = goal.as_ref().and_then(|goal| goal.parse::<u32>().ok());
    match (&goal, step) {
        (Some(_), Some(_)) if plan.is_none() => {
            state.say(Tone::Error, "One of the settings in the address cannot be used; the form says which.");
        }
        (Some(goal), None) => state.say(Tone::Error, format!("The address asks for step “{goal}”; expected a whole number.")),
        _ => {}
    }
    let step = step.filter(|_| plan.is_some() && !state.two.get_untracked());
    state.asked.set(step.map(|step| Asked { data, draft: draft.clone(), step, sum, stage: Stage::Waits }));
    state.draft.set(draft);
    if data == "own" && present != "own" {
        return state
            .say(Tone::News, "This link is of a run on data of its maker’s: load them, and open it again, to repeat it.");
    }
    let begun = state.metrics.with_untracked(Metrics::begun);
    let here = state.plan.get_untracked();
    match (data, &here) {
        ("mnist", _) if present != data => uploads::mnist(state),
        // The worker has nothing yet, and gets this first.
        (_, None) if present != data => {
            let choice = if data == "bars" { DataChoice::Bars } else { DataChoice::Digits };
            state.choice_in_use.set(choice);
            state.choice.set(choice);
        }
        _ if present != data => {
            uploads::give_way(state);
            actions::use_data(state, if data == "bars" { DataChoice::Bars } else { DataChoice::Digits });
        }
        (_, Some(here)) if step.is_some() => {
            if !begun && plan.is_some_and(|plan| same_run(&plan, here)) {
                set_off(state);
            } else {
                actions::reset(state, false);
            }
        }
        _ => {}
    }
}

/// A run stands on the page: if the address asked for it, it goes.
pub fn set_off(state: State) {
    let Some(asked) = state.asked.get_untracked().filter(|asked| asked.stage == Stage::Waits) else { return };
    let stands = state.metrics.with_untracked(|metrics| metrics.step);
    let plan = asked.draft.plan();
    let same =
        state.plan.with_untracked(|here| here.as_ref().zip(plan.as_ref()).is_some_and(|(here, plan)| same_run(here, plan)));
    if !same || asked.data != word(state, state.choice_in_use.get_untracked()) {
        return;
    }
    let step = asked.step;
    state.asked.set(Some(Asked { stage: Stage::Goes, ..asked }));
    if step > stands {
        state.model.set(dbm_protocol::ModelChoice::Training);

        actions::go(state, Command::TrainUntil { step });
    } else {
        compare(state);
    }
}

/// Says whether the run that a link is of came out the same, where it has come to its end.
pub fn compare(state: State) {
    let Some(asked) = state.asked.get_untracked().filter(|asked| asked.stage == Stage::Goes && !asked.sum.is_empty()) else {
        return;
    };
    let here = state.metrics.with_untracked(|metrics| (metrics.step == asked.step).then(|| metrics.checksum.clone()));
    let Some(sum) = here.filter(|sum| !sum.is_empty()) else { return };
    if sum == asked.sum {
        state.say(Tone::News, format!("The same run, bit for bit: checksum {sum} at step {}.", asked.step));
    } else {
        state.say(Tone::Error, format!("Another run: checksum {sum} at step {}, expected {}.", asked.step, asked.sum));
    }
    state.asked.set(Some(Asked { stage: Stage::Told, ..asked }));
}

/// Puts a link to the paused run on the clipboard, or, where the browser refuses, into a field.
pub fn share(state: State) {
    let Some(plan) = state.plan.get_untracked() else { return };
    let data = word(state, state.choice_in_use.get_untracked());
    let (step, sum) = state.metrics.with_untracked(|metrics| (metrics.step, metrics.checksum.clone()));
    let mut pairs = of_run(data, &Draft::of(&plan), Some((step, &sum)));
    pairs.insert(0, ("view".into(), "train".into()));
    let href = window().location().href().unwrap_or_default();
    let link = format!("{}#{}", href.split('#').next().unwrap_or_default(), address::fragment(&pairs));
    let begun = copy(&link);
    leptos::task::spawn_local(async move {
        let copied = match begun {
            Ok(begun) => JsFuture::from(begun).await.map(|_| ()),
            Err(why) => Err(why),
        };
        let own = if data == "own" { " Your data do not travel with it: whoever opens it loads them first." } else { "" };
        match copied {
            Ok(()) => {
                let text =
                    format!("A link to this run is on the clipboard: it trains to step {step} and compares the checksum.{own}");
                state.say(Tone::News, text);
            }
            Err(why) => {
                state.link_to_copy.set(Some(link));
                state.say(
                    Tone::News,
                    format!("The clipboard cannot be written ({}): copy the link below the buttons.{own}", words(&why)),
                );
            }
        }
    });
}

/// Begins to write to the clipboard, which pages that came without encryption do not have.
fn copy(text: &str) -> Result<Promise, JsValue> {
    let clipboard = Reflect::get(&window().navigator(), &"clipboard".into())?;
    let write: Function = Reflect::get(&clipboard, &"writeText".into())?.dyn_into()?;
    write.call1(&clipboard, &text.into())?.dyn_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_the_keys_that_bring_it_back() {
        let mut draft = Draft::bars();
        draft.marginalize = false;
        let pairs = of_run("bars", &draft, Some((70, "00ff")));
        let pairs: Vec<String> = pairs.into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(pairs, ["t.data=bars", "t.marginalized=no", "t.step=70", "t.sum=00ff"]);
        assert_eq!(of_run("digits", &Draft::digits(), None), []);
        assert_eq!(of_run("own", &Draft::digits(), Some((5, "")))[1], ("t.go".to_string(), "5".to_string()));
    }
}
