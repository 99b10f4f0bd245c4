//! Both runs in numbers, side by side: how long couplings and searches are, how fast the runs are, and whether their parameters
//! are identical.

use super::pair::{Goal, Pair};
use super::run::{ComparedRun, RunState};
use crate::canvas::bins::Summary;
use crate::canvas::short;
use crate::ui::table::rows;
use dbm_protocol::{Histogram, PhaseMetrics, RunSignals};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// Shown in a cell without a value.
const NOTHING: &str = "–";

/// Each row's name and hover help.
const TEXTS: &str = include_str!("numbers.txt");
/// The content of a run's cell; `None` if there is none.
type Cell = fn(ComparedRun) -> Option<String>;

/// The cells, row by row.
const CELLS: [Cell; 10] = [
    |run| run.distinct.with(|all| all.last().map(|(_, count)| format!("{count} of 64"))),
    |run| seen(run, |signals| Some(format!("{:.4}", signals.reconstruction_error))),
    |run| seen(run, |signals| Some(short(signals.pseudo_log_likelihood))),
    |run| seen(run, |signals| signals.log_likelihood.map(short)),
    |run| over(run, |phase| &phase.meeting_time, |all| format!("{} · {}", short(all.mean), all.max)),
    |run| over(run, |phase| &phase.meeting_time, |all| format!("{} % · {}", short(100.0 * all.above_one), all.capped)),
    |run| over(run, |phase| &phase.sweeps, |all| format!("{} · {}", short(all.mean), all.max)),
    |run| run.seconds.get().map(|seconds| short(1000.0 * seconds)),
    |run| Some(run.metrics.with(|metrics| metrics.workers.max(1).to_string())),
    |run| run.metrics.with(|metrics| Some(metrics.checksum.clone()).filter(|checksum| !checksum.is_empty())),
];

fn seen(run: ComparedRun, say: fn(&RunSignals) -> Option<String>) -> Option<String> {
    run.looks.with(|looks| looks.last().and_then(|look| say(&look.signals)))
}

/// A summary of both phases' histograms over the recent steps.
fn over(run: ComparedRun, of: fn(&PhaseMetrics) -> &Histogram, say: fn(&Summary) -> String) -> Option<String> {
    run.metrics.with(|metrics| {
        let all = Summary::of(&[&metrics.positive, &metrics.negative].map(of));
        (all.total > 0).then(|| say(&all))
    })
}

/// The table, and below it the result of comparing checksums.
pub fn numbers_table(pair: Pair) -> impl IntoView {
    let row = |([name, help], cell): ([&'static str; 2], Cell)| {
        let cell = move |run: ComparedRun| {
            let text = Memo::new(move |_| cell(run).unwrap_or_else(|| NOTHING.into()));
            view! { <td>{move || text.get()}</td> }
        };
        view! {
            <tr>
                <th scope="row" data-help=help>
                    {name}
                </th>
                {pair.runs.map(cell).into_iter().collect_view()}
            </tr>
        }
    };
    let verdict = Memo::new(move |_| {
        let [a, b] = pair.runs;
        a.checksums.with(|a| b.checksums.with(|b| ChecksumVerdict::of(a, b)))
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
                    <tbody>{rows(TEXTS).zip(CELLS).map(row).collect_view()}</tbody>
                </table>
            </div>
            <p
                class="verdict"
                aria-live=move || if pair.goal.get() == Goal::Rest { "polite" } else { "off" }
                class:same=move || verdict.with(|verdict| verdict.same.is_some() && verdict.apart.is_none())
                data-longest="The same bits so far: at step 1000000 both have the checksum 0123456789abcdef."
                data-help="Compares checksums at steps where both runs stopped together, about once a second."
            >
                <span>{words}</span>
            </p>
        </div>
    }
}

/// The result of comparing checksums, in words.
fn in_words(verdict: &ChecksumVerdict) -> String {
    match (&verdict.same, verdict.apart) {
        (Some((step, sum)), None) => format!("The same bits so far: at step {step} both have the checksum {sum}."),
        (Some((same, _)), Some(apart)) => format!("The same bits at step {same}, different at step {apart}."),
        (None, Some(step)) => format!("Different bits from step {step} on."),
        (None, None) => String::new(),
    }
}

/// What the checksums of two runs show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChecksumVerdict {
    /// The last step at which both rested with the same parameters, and their checksum.
    pub same: Option<(u32, String)>,
    /// The first step after that at which their parameters differed.
    pub apart: Option<u32>,
}

impl ChecksumVerdict {
    /// Compares checksums, given by step.
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
    fn checksums_tell_until_when_two_runs_are_the_same() {
        let checks =
            |all: &[(u32, &str)]| all.iter().map(|&(step, sum)| (step, sum.to_string())).collect::<BTreeMap<u32, String>>();
        let a = checks(&[(0, "a"), (5, "b"), (10, "c"), (20, "d")]);
        assert_eq!(ChecksumVerdict::of(&a, &checks(&[])), ChecksumVerdict::default());
        let part = ChecksumVerdict::of(&a, &checks(&[(0, "a"), (5, "b"), (10, "x"), (15, "y")]));
        assert_eq!(part, ChecksumVerdict { same: Some((5, "b".into())), apart: Some(10) });
        assert_eq!(ChecksumVerdict::of(&a, &a), ChecksumVerdict { same: Some((20, "d".into())), apart: None });
        assert_eq!(ChecksumVerdict::of(&a, &checks(&[(0, "z")])), ChecksumVerdict { same: None, apart: Some(0) });
    }

    #[test]
    fn the_checksums_are_put_in_words() {
        let same = Some((40, "ab".to_string()));
        assert!(in_words(&ChecksumVerdict { same: same.clone(), apart: None }).starts_with("The same bits so far: at step 40"));
        assert_eq!(in_words(&ChecksumVerdict { same, apart: Some(60) }), "The same bits at step 40, different at step 60.");
        assert_eq!(in_words(&ChecksumVerdict { same: None, apart: Some(0) }), "Different bits from step 0 on.");
        assert_eq!(in_words(&ChecksumVerdict::default()), "");
    }
}
