//! Both runs in numbers, side by side: how long couplings and searches are, how fast they go, and whether their parameters are the same.

use super::pair::{Goal, Pair};
use super::run::{Run, RunState};
use crate::canvas::bins::Summary;
use crate::canvas::short;
use dbm_protocol::{Histogram, Metrics, PhaseMetrics};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// A row's value of a run.
type Cell = fn(Run) -> String;

/// What stands in a cell for which there is nothing.
const NOTHING: &str = "–";

/// What stands in a row, what that is, and how a run has it.
const ROWS: [(&str, &str, Cell); 10] = [
    ("Distinct samples", "How many of the 64 samples are different pictures: few where the model has fallen together.", |run| {
        run.distinct.with(|all| all.last().map_or_else(|| NOTHING.into(), |(_, count)| format!("{count} of 64")))
    }),
    (
        "Reconstruction error",
        "Of 50 examples: mean squared error of a bit, reconstructed through the first hidden layer.",
        |run| {
            run.looks.with(|looks| {
                looks.last().map_or_else(|| NOTHING.into(), |look| format!("{:.4}", look.signals.reconstruction_error))
            })
        },
    ),
    (
        "Pseudo-likelihood, nats",
        "Of 50 examples: the log-probability of each bit given all others, summed; smoothed over the last looks, so it depends on when one looked.",
        |run| {
            run.looks.with(|looks| looks.last().map_or_else(|| NOTHING.into(), |look| short(look.signals.pseudo_log_likelihood)))
        },
    ),
    (
        "Exact log-likelihood, nats",
        "The mean log-likelihood of the data, where the model is small enough to compute it.",
        |run| {
            run.looks
                .with(|looks| looks.last().and_then(|look| look.signals.log_likelihood).map_or_else(|| NOTHING.into(), short))
        },
    ),
    (
        "τ, mean · largest",
        "How long couplings of the recent steps took to meet, both phases: 1 where no proposal was accepted, and nothing had to be corrected.",
        |run| over(run, |phase| &phase.meeting_time, |all| format!("{} · {}", short(all.mean), all.max)),
    ),
    (
        "τ above 1 · cut",
        "Share of couplings that took more than one step, and how many were cut at their cap, which biases.",
        |run| over(run, |phase| &phase.meeting_time, |all| format!("{} % · {}", short(100.0 * all.above_one), all.capped)),
    ),
    ("T, mean · largest", "Sweeps of the recent steps’ local searches, both phases.", |run| {
        over(run, |phase| &phase.sweeps, |all| format!("{} · {}", short(all.mean), all.max))
    }),
    (
        "Milliseconds a step",
        "As measured by the worker over its last seconds of training; each run has half of the cores.",
        |run| run.seconds.get().map_or_else(|| NOTHING.into(), |seconds| short(1000.0 * seconds)),
    ),
    ("Workers", "That share the run’s steps: at most half as many as there are cores.", |run| {
        run.metrics.with(|metrics| metrics.workers.max(1).to_string())
    }),
    (
        "Checksum",
        "Of all parameters, where the run rests: the same for two runs that are the same to the bit. The same address gives the same checksums on this machine.",
        |run| run.metrics.with(|metrics| if metrics.checksum.is_empty() { NOTHING.into() } else { metrics.checksum.clone() }),
    ),
];

/// A summary of both phases' histograms of the recent steps.
fn over(run: Run, of: fn(&PhaseMetrics) -> &Histogram, say: fn(&Summary) -> String) -> String {
    run.metrics.with(|metrics| both(metrics, of).map_or_else(|| NOTHING.into(), |all| say(&all)))
}

fn both(metrics: &Metrics, of: fn(&PhaseMetrics) -> &Histogram) -> Option<Summary> {
    let [a, b] = [&metrics.positive, &metrics.negative].map(|phase| Summary::of(of(phase)));
    let total = a.total + b.total;
    let mean = |x: f64, y: f64| (x * a.total as f64 + y * b.total as f64) / total as f64;
    (total > 0).then(|| Summary {
        total,
        mean: mean(a.mean, b.mean),
        max: a.max.max(b.max),
        above_one: mean(a.above_one, b.above_one),
        capped: a.capped + b.capped,
    })
}

/// The table, and below it what the checksums say.
#[component]
pub fn Numbers(
    /// The runs.
    pair: Pair,
) -> impl IntoView {
    let rows = ROWS.map(|(name, help, cell)| {
        let cell = move |place: usize| {
            let text = Memo::new(move |_| cell(pair.runs[place]));
            view! { <td>{move || text.get()}</td> }
        };
        view! {
            <tr>
                <th scope="row" data-help=help>
                    {name}
                </th>
                {cell(0)}
                {cell(1)}
            </tr>
        }
    });
    let verdict = Memo::new(move |_| {
        let [a, b] = pair.runs;
        a.checksums.with(|a| b.checksums.with(|b| Verdict::of(a, b)))
    });
    let begun = move || pair.runs.iter().all(|run| !matches!(run.state.get(), RunState::Absent | RunState::Beginning));
    let words = move || if begun() { in_words(&verdict.get()) } else { String::new() };
    view! {
        <div class="compare-numbers">
            <div class="scrolls" tabindex="0" role="region" aria-label="Both runs in numbers">
                <table class="numbers plain">
                    <thead>
                        <tr>
                            <td></td>
                            <th scope="col">"Run A"</th>
                            <th scope="col">"Run B"</th>
                        </tr>
                    </thead>
                    <tbody>{rows.into_iter().collect_view()}</tbody>
                </table>
            </div>
            <p
                class="verdict"
                aria-live=move || if pair.goal.get() == Goal::Rest { "polite" } else { "off" }
                class:same=move || verdict.with(|verdict| verdict.same.is_some() && verdict.apart.is_none())
                data-help="By the checksums at the steps where both runs rested: they rest together every second or so."
            >
                {words}
            </p>
        </div>
    }
}

/// What the checksums say.
fn in_words(verdict: &Verdict) -> String {
    match (&verdict.same, verdict.apart) {
        (Some((step, sum)), None) => format!("The same bits so far: at step {step} both have the checksum {sum}."),
        (Some((same, _)), Some(apart)) => format!("The same bits at step {same}, no longer at step {apart}."),
        (None, Some(step)) => format!("Different bits from step {step} on."),
        (None, None) => String::new(),
    }
}

/// What the checksums of two runs say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The last step at which both rested with the same parameters, and their checksum.
    pub same: Option<(u32, String)>,
    /// The first after that at which they had not.
    pub apart: Option<u32>,
}

impl Verdict {
    /// Of the checksums by step.
    pub fn of(a: &BTreeMap<u32, String>, b: &BTreeMap<u32, String>) -> Self {
        let mut verdict = Self::default();
        for (&step, of_a) in a {
            match b.get(&step) {
                Some(of_b) if of_a == of_b => verdict = Self { same: Some((step, of_a.clone())), apart: None },
                Some(_) if verdict.apart.is_none() => verdict.apart = Some(step),
                _ => {}
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_phases_are_summed_up_by_how_much_each_has() {
        let histogram = |counts: &[(u32, u32)], capped| Histogram { counts: counts.to_vec(), capped, cap: 10 };
        let mut metrics = Metrics::default();
        assert_eq!(both(&metrics, |phase| &phase.meeting_time), None);
        metrics.positive.meeting_time = histogram(&[(1, 3)], 1);
        metrics.negative.meeting_time = histogram(&[(5, 1)], 2);
        let all = both(&metrics, |phase| &phase.meeting_time).unwrap();
        assert_eq!((all.total, all.mean, all.max, all.above_one, all.capped), (4, 2.0, 5, 0.25, 3));
    }

    #[test]
    fn checksums_tell_until_when_two_runs_are_the_same() {
        let checks =
            |all: &[(u32, &str)]| all.iter().map(|&(step, sum)| (step, sum.to_string())).collect::<BTreeMap<u32, String>>();
        let a = checks(&[(0, "a"), (5, "b"), (10, "c"), (20, "d")]);
        assert_eq!(Verdict::of(&a, &checks(&[])), Verdict::default());
        let part = Verdict::of(&a, &checks(&[(0, "a"), (5, "b"), (10, "x"), (15, "y")]));
        assert_eq!(part, Verdict { same: Some((5, "b".into())), apart: Some(10) });
        assert_eq!(Verdict::of(&a, &a), Verdict { same: Some((20, "d".into())), apart: None });
        assert_eq!(Verdict::of(&a, &checks(&[(0, "z")])), Verdict { same: None, apart: Some(0) });
    }

    #[test]
    fn the_checksums_are_put_in_words() {
        let same = Some((40, "ab".to_string()));
        assert!(in_words(&Verdict { same: same.clone(), apart: None }).starts_with("The same bits so far: at step 40"));
        assert_eq!(in_words(&Verdict { same, apart: Some(60) }), "The same bits at step 40, no longer at step 60.");
        assert_eq!(in_words(&Verdict { same: None, apart: Some(0) }), "Different bits from step 0 on.");
        assert_eq!(in_words(&Verdict::default()), "");
    }
}
