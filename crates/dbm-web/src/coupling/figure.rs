//! The paper's Figure 1, live: its controls, its charts, and the runs behind them.

use super::jobs::jobs;
use super::pairs::Pair;
use super::plot;
use super::results::{Results, Spread};
use super::settings::{Draft, Field, Plan, Show};
use crate::canvas::{Chart, short};
use crate::ui::chart::ChartFigure;
use crate::ui::notices::Notices;
use crate::worker::pool::{self, Group};
use dbm_core::Units;
use dbm_protocol::{CouplingRuns, DiagnosticsCommand, DiagnosticsEvent, Reply};
use leptos::prelude::*;
use std::rc::Rc;
use std::time::Duration;

/// Results come faster than anybody looks.
const PAUSE: Duration = Duration::from_millis(150);

/// Couplings under way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Going {
    done: u32,
    total: u32,
}

/// What the figure is made of.
#[derive(Clone, Copy)]
pub struct Figure {
    notices: Notices,
    /// What it is set to.
    pub draft: RwSignal<Draft>,
    plan: Memo<Option<Plan>>,
    results: StoredValue<Results>,
    /// Counts what came in, so that charts are made anew.
    version: RwSignal<u32>,
    waiting: StoredValue<bool>,
    going: RwSignal<Option<Going>>,
    /// Counts beginnings and ends, so that an answer to what was ended is not taken.
    era: StoredValue<u32>,
    began: StoredValue<f64>,
    /// How the last computation ended, in words.
    ended: RwSignal<String>,
}

impl Figure {
    /// As the address has it; nothing is computed yet.
    pub fn new(notices: Notices, draft: Draft) -> Self {
        let draft = RwSignal::new(draft);
        Self {
            notices,
            draft,
            plan: Memo::new(move |_| draft.with(Draft::plan)),
            results: StoredValue::default(),
            version: RwSignal::new(0),
            waiting: StoredValue::new(false),
            going: RwSignal::new(None),
            era: StoredValue::new(0),
            began: StoredValue::new(0.0),
            ended: RwSignal::new(String::new()),
        }
    }

    /// Takes the settings of another address.
    pub fn adopt(self, draft: Draft) {
        if self.draft.with_untracked(|present| *present != draft) {
            self.stop("");
            self.draft.set(draft);
            self.go_if_asked();
        }
    }

    /// Computes where the address says so.
    pub fn go_if_asked(self) {
        if self.draft.with_untracked(|draft| draft.go) {
            self.compute();
        }
    }

    /// Has what is missing computed.
    fn compute(self) {
        let Some(plan) = self.plan.get_untracked() else { return };
        let jobs = self.results.with_value(|results| jobs(&plan, results));
        let total: u32 = jobs.iter().map(|(_, job)| job.runs).sum();
        self.draft.update(|draft| draft.go = true);
        self.ended.set(String::new());
        if total == 0 {
            return;
        }
        self.era.update_value(|era| *era += 1);
        let era = self.era.get_value();
        self.began.set_value(js_sys::Date::now());
        self.going.set(Some(Going { done: 0, total }));
        let plan = Rc::new(plan);
        for (pair, job) in jobs {
            let plan = Rc::clone(&plan);
            let mut told = 0;
            pool::ask(Group::Figure, DiagnosticsCommand::MeetingTimes(job), move |answer| {
                if self.era.try_get_value() == Some(era) {
                    self.hear(&plan, pair, &job, &mut told, answer);
                }
            });
        }
    }

    fn hear(self, plan: &Plan, pair: Pair, job: &CouplingRuns, told: &mut u32, answer: Result<Reply<DiagnosticsEvent>, String>) {
        let taken = match answer {
            Ok(Reply::Progress { done, .. }) => Ok(done),
            Ok(Reply::Answer(DiagnosticsEvent::MeetingTimes(met))) => {
                self.results.try_update_value(|results| results.take(plan, pair, job, &met)).unwrap_or(Ok(())).map(|()| job.runs)
            }
            Ok(_) => Err("a worker answered something else than couplings".into()),
            Err(why) => Err(why),
        };
        match taken {
            Ok(done) => {
                let more = done.min(job.runs).saturating_sub(*told);
                *told += more;
                let going = self.going.get_untracked().unwrap_or_default();
                let done = going.done + more;
                self.going.set(Some(Going { done, ..going }));
                self.show();
                if done == going.total {
                    let seconds = (js_sys::Date::now() - self.began.get_value()) / 1000.0;
                    self.stop(&format!("{done} of them in {seconds:.1} s."));
                }
            }
            Err(why) => {
                self.stop("Stopped; what was computed is kept.");
                self.notices.error(format!("The figure could not be computed: {why}."));
            }
        }
    }

    /// Ends what is under way; what came in stays.
    fn stop(self, words: &str) {
        self.era.update_value(|era| *era += 1);
        if self.going.get_untracked().is_some() {
            self.going.set(None);
            self.ended.set(words.into());
            pool::cancel(Group::Figure);
            self.version.update(|version| *version += 1);
        }
    }

    fn show(self) {
        if self.waiting.get_value() {
            return;
        }
        self.waiting.set_value(true);
        set_timeout(
            move || {
                if self.waiting.try_set_value(false).is_none() {
                    self.version.update(|version| *version += 1);
                }
            },
            PAUSE,
        );
    }

    /// Something of the plan and the results that there are now.
    fn read<T: Default>(self, of: impl Fn(&Plan, &Results) -> T) -> T {
        self.version.track();
        self.plan.with(|plan| plan.as_ref().map(|plan| self.results.with_value(|results| of(plan, results)))).unwrap_or_default()
    }

    /// Couplings that the plan wants and that are missing.
    fn missing(self) -> u32 {
        self.read(|plan, results| jobs(plan, results).iter().map(|(_, job)| job.runs).sum())
    }

    fn status(self) -> String {
        if let Some(Going { done, total }) = self.going.get() {
            return format!("{done} of {total} couplings");
        }
        let wanted = self.read(|plan, _| plan.runs * plan.dimensions.len() as u32 * plan.pairs.len() as u32);
        match (self.plan.with(Option::is_some), self.missing()) {
            (false, _) => "A setting cannot be: see below it.".into(),
            (_, 0) if wanted == 0 => "Tick a pair of chains.".into(),
            (_, 0) => format!("All {wanted} couplings are there. {}", self.ended.get()),
            (_, missing) if missing == wanted => format!("{wanted} couplings to run. {}", self.ended.get()),
            (_, missing) => format!("{missing} of {wanted} couplings are missing. {}", self.ended.get()),
        }
    }
}

/// Controls to the left, charts to the right, all numbers below.
#[component]
pub fn FigureOfCouplings(
    /// What it is made of.
    figure: Figure,
) -> impl IntoView {
    let Figure { draft, going, .. } = figure;
    let busy = Memo::new(move |_| going.with(Option::is_some));
    let main = Memo::new(move |_| {
        let show = draft.with(|draft| draft.show);
        figure.read(|plan, results| plot::steps(plan, results, show))
    });
    let share = Memo::new(move |_| {
        let at_cap = draft.with(|draft| draft.at_cap);
        figure.read(|plan, results| plot::shares(plan, results, at_cap))
    });
    let said = |chart: Memo<Chart>| Signal::derive(move || chart.with(plot::words));
    let bounded = move || main.with(|chart| chart.series.iter().any(|line| !line.at_least.is_empty()));
    let rows = Callback::new(move |()| untrack(|| figure.read(|plan, results| results.csv(plan))));
    view! {
        <div class="coupling-grid">
            <Controls figure />
            <div class="coupling-figure">
                <div class="coupling-status">
                    <button
                        type="button"
                        aria-keyshortcuts="c"
                        class="primary accent"
                        disabled=move || busy.get() || figure.missing() == 0
                        on:click=move |_| figure.compute()
                    >
                        "Compute"
                    </button>
                    <button
                        type="button"
                        disabled=move || !busy.get()
                        on:click=move |_| figure.stop("Cancelled; what was computed is kept.")
                    >
                        "Cancel"
                    </button>
                    <p role="status" aria-live=move || if busy.get() { "off" } else { "polite" }>
                        {move || figure.status()}
                    </p>
                    <progress
                        aria-label="Couplings at work"
                        class:idle=move || !busy.get()
                        max=move || going.get().map_or(1, |going| going.total)
                        prop:value=move || f64::from(going.get().map_or(0, |going| going.done))
                    ></progress>
                </div>
                <div class="coupling-charts">
                    <div>
                        <div class="inline" data-help="Which steps the figure counts: (a) and (b) are the paper’s two panels.">
                            <label for="coupling-show">"Show"</label>
                            <select
                                id="coupling-show"
                                on:change=move |event| {
                                    let name = event_target_value(&event);
                                    let chosen = Show::ALL.into_iter().find(|(_, known, _)| *known == name);
                                    draft.update(|draft| draft.show = chosen.map_or(Show::Total, |(show, ..)| show));
                                }
                            >
                                {Show::ALL
                                    .map(|(show, name, title)| {
                                        view! {
                                            <option value=name prop:selected=move || draft.with(|draft| draft.show == show)>
                                                {title}
                                            </option>
                                        }
                                    })
                                    .collect_view()}
                            </select>
                        </div>
                        <ChartFigure chart=main title="Steps by dimension" summary=said(main) file="coupling" rows=rows />
                        <p class="help bound">
                            {move || {
                                bounded()
                                    .then_some("A hollow mark: some of its runs were cut at the cap, so the mean is at least this.")
                            }}
                        </p>
                    </div>
                    <div>
                        <div class="inline" data-help="Only runs with τ > 1 change the estimate; runs at the cap were cut before the chains met.">
                            <label for="coupling-share">"Share"</label>
                            <select
                                id="coupling-share"
                                on:change=move |event| draft.update(|draft| draft.at_cap = event_target_value(&event) == "cap")
                            >
                                <option value="parted" prop:selected=move || draft.with(|draft| !draft.at_cap)>
                                    "runs with τ > 1"
                                </option>
                                <option value="cap" prop:selected=move || draft.with(|draft| draft.at_cap)>
                                    "runs cut at the cap"
                                </option>
                            </select>
                        </div>
                        <ChartFigure chart=share title="Shares of runs" summary=said(share) file="coupling-shares" rows=rows />
                    </div>
                </div>
                <Numbers figure />
            </div>
        </div>
    }
}

/// What the figure is set to.
#[component]
fn Controls(figure: Figure) -> impl IntoView {
    let Figure { draft, going, .. } = figure;
    view! {
        <div class="coupling-controls">
            <fieldset class="coupling-settings" disabled=move || going.with(Option::is_some)>
                <Text draft field=Field::Dimensions wide=true />
                <div class="field" data-help="Values of the units: −1 and 1, as in the paper, or 0 and 1.">
                    <label for="coupling-units">"Units"</label>
                    <select
                        id="coupling-units"
                        on:change=move |event| {
                            let units = if event_target_value(&event) == "bits" { Units::Bits } else { Units::Signs };
                            draft.update(|draft| draft.units = units);
                        }
                    >
                        <option value="signs" prop:selected=move || draft.with(|draft| draft.units == Units::Signs)>
                            "signs"
                        </option>
                        <option value="bits" prop:selected=move || draft.with(|draft| draft.units == Units::Bits)>
                            "bits"
                        </option>
                    </select>
                </div>
                <Text draft field=Field::Runs />
                <Text draft field=Field::Cap />
                <Text draft field=Field::Tries />
                <Text draft field=Field::Seed />
            </fieldset>
            <fieldset>
                <legend>"Pairs of chains"</legend>
                {Pair::ALL
                    .map(|pair| {
                        view! {
                            <label class="check" data-help=pair.help()>
                                <input
                                    type="checkbox"
                                    prop:checked=move || draft.with(|draft| draft.pairs[pair as usize])
                                    on:change=move |event| {
                                        draft.update(|draft| draft.pairs[pair as usize] = event_target_checked(&event));
                                    }
                                />
                                <span>{pair.title()}</span>
                            </label>
                        }
                    })
                    .collect_view()}
            </fieldset>
            <p class="help">
                {move || {
                    if draft.with(|draft| draft.units == Units::Bits) {
                        "With bits the Gibbs coupling meets within a few steps at any of these dimensions: the paper’s figure exists only with signs."
                    } else {
                        "With signs, the Gibbs coupling takes exponentially longer with d. Metropolis from the local mode has τ = 1 in every run seen from about d = 50: \
                         its correction lives in events that nobody will observe."
                    }
                }}
            </p>
        </div>
    }
}

/// A labelled field with what is wrong with it.
#[component]
fn Text(draft: RwSignal<Draft>, field: Field, #[prop(optional)] wide: bool) -> impl IntoView {
    let id = format!("coupling-{}", field as usize);
    let note = format!("{id}-note");
    let problem = Memo::new(move |_| draft.with(|draft| draft.problem(field)));
    view! {
        <div class="field" class:wide=wide data-help=field.help()>
            <label for=id.clone()>{field.label()}</label>
            <input
                id=id
                type="text"
                inputmode=if field == Field::Dimensions { "text" } else { "decimal" }
                autocomplete="off"
                spellcheck="false"
                prop:value=move || draft.with(|draft| draft.text(field).to_string())
                aria-invalid=move || problem.with(Option::is_some).to_string()
                aria-describedby=note.clone()
                on:input=move |event| draft.update(|draft| draft.set(field, event_target_value(&event)))
            />
            <p id=note class="help problem" aria-live="polite">
                {move || problem.get()}
            </p>
        </div>
    }
}

/// A line a dimension and pair.
#[component]
fn Numbers(figure: Figure) -> impl IntoView {
    let open = RwSignal::new(false);
    let lines = move || {
        figure.read(|plan, results| {
            let points = plan.dimensions.iter().flat_map(|&dimension| plan.pairs.iter().map(move |&pair| (dimension, pair)));
            points
                .filter_map(|(dimension, pair)| {
                    let summary = results.summary(plan, pair, dimension)?;
                    let least = if summary.capped > 0 { "at least " } else { "" };
                    let around = |Spread { mean, quartiles: [low, _, high], .. }, least: &str| {
                        format!("{least}{} ({} to {})", short(mean), short(low), short(high))
                    };
                    let percent = |count| format!("{} %", short(100.0 * summary.share(count)));
                    Some(view! {
                        <tr>
                            <th scope="row">{dimension}</th>
                            <th scope="row">{pair.title()}</th>
                            <td>{summary.runs}</td>
                            <td>{around(summary.total, least)}</td>
                            <td>{around(summary.tau, least)}</td>
                            <td>{summary.tau.most}</td>
                            <td>{around(summary.sweeps, "")}</td>
                            <td>{percent(summary.parted)}</td>
                            <td>{percent(summary.capped)}</td>
                        </tr>
                    })
                })
                .collect::<Vec<_>>()
        })
    };
    view! {
        <details class="coupling-numbers" on:toggle=move |event| open.set(event_target::<web_sys::HtmlDetailsElement>(&event).open())>
            <summary>"The runs behind the figure, dimension by dimension"</summary>
            <div class="scrolls" tabindex="0" role="region" aria-label="The runs behind the figure">
                <table class="numbers">
                    <thead>
                        <tr>
                            <th scope="col">"d"</th>
                            <th scope="col">"Pair"</th>
                            <th scope="col">"Runs"</th>
                            <th scope="col">"Mean τ + T (quartiles)"</th>
                            <th scope="col">"Mean τ (quartiles)"</th>
                            <th scope="col">"Longest τ"</th>
                            <th scope="col">"Mean T (quartiles)"</th>
                            <th scope="col">"τ > 1"</th>
                            <th scope="col">"At the cap"</th>
                        </tr>
                    </thead>
                    <tbody>{move || open.get().then(lines)}</tbody>
                </table>
            </div>
        </details>
    }
}
