//! The ladder that a run climbs: how many rungs it has, and how much neighbouring rungs overlap.

use crate::canvas::{Axis, Chart, Level, Point, Series};
use crate::ui::chart::ChartFigure;
use crate::worker::session::Session;
use dbm_core::tempering::{GROW_BELOW, INSERT_BELOW};
use dbm_protocol::LadderMetrics;
use leptos::prelude::*;

const HELP: &str = "Earlier models of the run, from independent units on. Chains at neighbouring rungs exchange their states, so that fresh states keep rising from independent units to the model; particles follow the same rungs. If the model and the last rung accept less than 0.4 of their exchanges, the model becomes a rung; neighbours that accept less than 0.1 get a rung between them; a rung is removed if its neighbours would accept 0.3 without it. If one step alone brings acceptance below 0.1, it is undone and the rate halved.";

/// How many rungs there are, and how they last changed.
#[derive(Clone, Debug, Default, PartialEq)]
struct Rungs {
    count: usize,
    rate: f64,
    change: String,
}

impl Rungs {
    /// The record after these rungs, once the ladder is `now` at a step.
    fn then(&self, now: &LadderMetrics, step: u32) -> Self {
        let count = now.accepted.len();
        let change = if self.count == 0 {
            String::new()
        } else if now.rate < self.rate {
            format!("By step {step} the model had gone too far: a step was undone and the rate halved.")
        } else if count > self.count {
            format!("By step {step} it had {} more.", count - self.count)
        } else if count < self.count {
            format!("By step {step} it had {} fewer.", self.count - count)
        } else {
            self.change.clone()
        };
        Self { count, rate: now.rate, change }
    }
}

/// Shown while the run climbs a ladder.
pub fn ladder_figure(session: Session) -> impl IntoView {
    let ladder = Memo::new(move |_| session.run.metrics.with(|metrics| metrics.ladder.clone()));
    let shown = Signal::derive(move || ladder.with(|ladder| chart(ladder.as_ref())));
    let rungs = Memo::new(move |before: Option<&(u32, Rungs)>| {
        let (run, step) = (session.run.runs.get(), session.run.metrics.with_untracked(|metrics| metrics.step));
        // Another run's ladder says nothing about this one's.
        let before = before.filter(|(of, _)| *of == run).map(|(_, rungs)| rungs.clone()).unwrap_or_default();
        (run, ladder.with(|ladder| ladder.as_ref().map(|now| before.then(now, step)).unwrap_or_default()))
    });
    let words = Memo::new(move |_| {
        let least = ladder.with(|ladder| ladder.as_ref().and_then(least));
        rungs.with(|(_, rungs)| said(rungs, least))
    });
    view! {
        <Show when=move || ladder.with(Option::is_some)>
            <section class="figure" aria-label="Ladder">
                <ChartFigure chart=shown title="Ladder" summary=words file="ladder" />
                <p class="help summary" data-help=HELP>
                    {words}
                </p>
            </section>
        </Show>
    }
}

/// The smallest share of exchanges, and its rung.
fn least(ladder: &LadderMetrics) -> Option<(usize, f64)> {
    ladder.accepted.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1))
}

fn said(rungs: &Rungs, least: Option<(usize, f64)>) -> String {
    let Some((rung, share)) = least else { return "Shown while training.".into() };
    let count = if rungs.count == 1 { "1 rung: independent units.".into() } else { format!("{} rungs.", rungs.count) };
    let rate = if rungs.rate < 1.0 { format!(" The rate is {} of what is set.", rungs.rate) } else { String::new() };
    let change = if rungs.change.is_empty() { String::new() } else { format!(" {}", rungs.change) };
    format!("{count} Fewest exchanges accepted: {:.0} %, at rung {}.{rate}{change}", 100.0 * share, rung + 1)
}

fn chart(ladder: Option<&LadderMetrics>) -> Chart {
    let points = ladder.iter().flat_map(|ladder| ladder.accepted.iter().enumerate());
    let points: Vec<Point> = points.map(|(rung, &share)| Point::new((rung + 1) as f64, share)).collect();
    let x = Axis::new("rung, independent units first", "The last one’s neighbour is the model itself.");
    Chart {
        x: x.over(1.0, (points.len() as f64).max(2.0)),
        y: Axis::new("exchanges accepted", "With the rung above, in the long run.").over(0.0, 1.0),
        series: vec![Series { name: "accepted".into(), dots: true, points, ..Series::default() }],
        levels: vec![
            Level { y: GROW_BELOW, label: "the last: a new rung".into() },
            Level { y: INSERT_BELOW, label: "others: a rung between".into() },
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_how_many_rungs_there_are_and_what_became_of_them() {
        let of = |accepted: &[f64], rate| LadderMetrics { accepted: accepted.to_vec(), rate };
        let say = |rungs: &Rungs, now: &LadderMetrics| said(rungs, least(now));
        let begun = of(&[0.6], 1.0);
        let first = Rungs::default().then(&begun, 1);
        assert_eq!(say(&first, &begun), "1 rung: independent units. Fewest exchanges accepted: 60 %, at rung 1.");
        let grown = of(&[0.6, 0.35], 1.0);
        let second = first.then(&grown, 20);
        assert_eq!(say(&second, &grown), "2 rungs. Fewest exchanges accepted: 35 %, at rung 2. By step 20 it had 1 more.");
        assert_eq!(second.then(&grown, 30), second);
        let undone = of(&[0.6, 0.35], 0.5);
        assert!(
            say(&second.then(&undone, 40), &undone)
                .contains("The rate is 0.5 of what is set. By step 40 the model had gone too far")
        );
        assert_eq!(said(&Rungs::default(), None), "Shown while training.");
        let drawn = chart(Some(&grown));
        assert_eq!(drawn.series[0].points[1], Point::new(2.0, 0.35));
        assert_eq!(drawn.levels.len(), 2);
    }
}
