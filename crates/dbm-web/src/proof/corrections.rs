//! How the probability that a coupling ever adds a correction falls as the model grows.

use super::state::ProofState;
use crate::canvas::{Axis, Chart, Level, Point, Series, power_of_ten, short};
use crate::ui::button::Button;
use crate::ui::chart::ChartFigure;
use crate::ui::number::{listed, sizes};
use crate::ui::table::{NumberTable, headings, row};
use crate::worker::client::Failure;
use crate::worker::pool::{self, Group};
use dbm_core::Units;
use dbm_core::diagnostics::{CorrectionProbability, CorrectionProbabilityPlan};
use dbm_core::words::Choose;
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The models' layer sizes: shallow ones of growing width, and some deep ones.
const SERIES: &str =
    "2-2 3-3 4-4 4-3-2 6-6 8-8 8-5-3 10-10 12-12 16-16 25-25 25-25-25 50-50 50-50-50 100-100 200-200 784-500-500";
/// Couplings run on each model.
const RUNS: u32 = 1000;
/// log10 of the probability of something that nobody will ever see: once in thirty years, at a million couplings a second.
const NEVER: f64 = -15.0;
const SECONDS_A_YEAR: f64 = 3.156e7;
const UNITS: &str = "All layers together, by powers of ten. Deep models are next to shallow ones of as many units.";
const PROBABILITY: &str = "The probability that the first proposal is accepted: then the two chains part, and the coupling adds a correction. −3 is once in a thousand couplings.";

/// Keeps the series in step with the settings.
pub fn follow(proof: ProofState) {
    let asked = Memo::new(move |_| proof.settings.with(|settings| (settings.corrections, settings.model.units, settings.seed)));
    Effect::new(move |before: Option<(bool, Units, u64)>| {
        let (wanted, units, seed) = asked.get();
        let same = before.is_some_and(|(_, before_units, before_seed)| (before_units, before_seed) == (units, seed));
        pool::cancel(Group::Growth);
        if !same {
            proof
                .corrections
                .set(SERIES.split(' ').map(|name| (sizes(name, u32::from(u16::MAX)).unwrap_or_default(), None)).collect());
        }
        if wanted {
            begin(proof, units, seed);
        }
        (wanted, units, seed)
    });
}

fn begin(proof: ProofState, units: Units, seed: u64) {
    let all = proof.corrections.get_untracked();
    for (place, (sizes, _)) in all.into_iter().enumerate().filter(|(_, (_, found))| found.is_none()) {
        let plan = CorrectionProbabilityPlan { sizes: sizes.into_iter().map(|n| n as usize).collect(), units, seed };
        let command = DiagnosticsCommand::CorrectionProbability { plan, runs: RUNS };
        spawn_local(async move {
            let pick = |event| if let DiagnosticsEvent::CorrectionProbability(found) = event { Some(found) } else { None };
            match pool::ask(Group::Growth, command, pick).await {
                Ok(found) => proof.corrections.update(|all| all[place].1 = Some(found)),
                Err(Failure::Ended) => {}
                Err(failure) => proof.problem.set(Some(failure.to_string())),
            }
        });
    }
}

/// A power of ten in few characters: `0.12`, `10⁻⁷`, `10⁻¹²³`.
fn power(log10: f64) -> String {
    if log10 > -4.0 && log10 < 4.0 { short(10f64.powf(log10)) } else { power_of_ten(log10.round() as i32) }
}

type Models = Vec<(Vec<u32>, Option<CorrectionProbability>)>;

fn chart(all: &Models) -> Chart {
    let answered = || all.iter().filter_map(|(sizes, found)| found.map(|found| (f64::from(sizes.iter().sum::<u32>()), found)));
    let low = answered().map(|(_, found)| found.log10_probability).filter(|log| log.is_finite()).fold(-4.0, f64::min) * 1.1;
    let sorted = |mut points: Vec<Point>| {
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        points
    };
    let exact = answered().filter(|(_, found)| found.exact).map(|(x, found)| Point::new(x, found.log10_probability));
    let bound = answered().filter(|(_, found)| !found.exact);
    let bound = bound.map(|(x, found)| Point { low, ..Point::new(x, found.log10_probability) });
    let share = answered()
        .filter(|(_, found)| found.moved > 0)
        .map(|(x, found)| Point::new(x, (f64::from(found.moved) / f64::from(found.runs)).log10()));
    let series = |name: &str, hue, dash, dots, points| Series { name: name.into(), hue, dash, dots, points, ..Series::default() };
    Chart {
        x: Axis::new("units in all", UNITS).logarithmic().over(3.0, 2400.0),
        y: Axis::new("log₁₀ of the probability that τ > 1", PROBABILITY).over(low, 0.0),
        series: vec![
            series("at most, shaded below", 2, &[6.0, 3.0], false, sorted(bound.collect())),
            series("exact", 0, &[], true, sorted(exact.collect())),
            series("share seen in 1000 runs", 5, &[2.0, 3.0], true, sorted(share.collect())),
        ],
        levels: if NEVER > low { vec![Level { y: NEVER, label: "once in 30 years, a million a second".into() }] } else { vec![] },
    }
}

/// What the series shows, in words.
fn words(all: &Models) -> Option<String> {
    let answered: Vec<(&Vec<u32>, CorrectionProbability)> =
        all.iter().filter_map(|(sizes, found)| found.map(|found| (sizes, found))).collect();
    let (never, _) = *answered.iter().find(|(_, found)| found.log10_probability < NEVER)?;
    let (last, most) = *answered.iter().min_by(|a, b| a.1.log10_probability.total_cmp(&b.1.log10_probability))?;
    let wait = -most.log10_probability;
    Some(format!(
        "From about {} units ({}) on, nobody will ever see a correction. At {} it takes {}{} couplings to see one: at a million a second, {} years. The estimator is still unbiased there, but each run returns what it would without the coupling.",
        never.iter().sum::<u32>(),
        listed(never, "-"),
        listed(last, "-"),
        if most.exact { "" } else { "at least " },
        power_of_ten(wait.round() as i32),
        power_of_ten((wait - 6.0 - SECONDS_A_YEAR.log10()).round() as i32),
    ))
}

/// A line of the table: the layer sizes, then the result.
fn line((sizes, found): &(Vec<u32>, Option<CorrectionProbability>)) -> AnyView {
    let cells = found.map_or_else(
        || ["–"; 4].map(String::from),
        |CorrectionProbability { runs, moved, log10_probability, exact }| {
            [
                power(log10_probability),
                if exact { "exactly" } else { "at most" }.into(),
                format!("{moved} of {runs}"),
                format!("{}{}", if exact { "" } else { "at least " }, power(-log10_probability)),
            ]
        },
    );
    row(&listed(sizes, "-"), cells)
}

/// The chart, the table and the words.
pub fn corrections(proof: ProofState) -> impl IntoView {
    let all = proof.corrections;
    let chart = Memo::new(move |_| all.with(chart));
    let done = Memo::new(move |_| all.with(|all| all.iter().filter(|(_, found)| found.is_some()).count()));
    let count = SERIES.split(' ').count();
    let is_done = move || done.get() == count;
    let is_going = move || proof.settings.with(|settings| settings.corrections) && !is_done();
    let summary = move || all.with(words).unwrap_or_else(|| format!("{} of {count} models tested.", done.get()));
    let switch = move |()| {
        let (is_going, is_done) = untrack(|| (is_going(), is_done()));
        if !is_done {
            proof.settings.update(|settings| settings.corrections = !is_going);
        }
    };
    let units = move || proof.settings.with(|settings| settings.model.units.choice().name);
    view! {
        <section class="proof-growth" aria-labelledby="proof-growth-title">
            <div class="ruled">
                <h2 id="proof-growth-title">"As the model grows"</h2>
                <p>"The same estimator, exactly unbiased at every size; and how likely its coupling is to do anything."</p>
            </div>
            <div class="ask" data-tour="growth-run">
                <Button
                    label=Signal::derive(move || if is_going() { "Cancel" } else { "Test all sizes" }.to_string())
                    class="primary"
                    idle=Signal::derive(is_done)
                    help="Runs 1000 couplings on each of a series of random orthogonal models, not yet trained, from 4 units to the paper’s 784-500-500."
                    on_press=switch
                />
                <progress aria-label="Models tested" max=count.to_string() prop:value=move || done.get() as f64></progress>
                <p class="figures-text" role="status">
                    {move || format!("{} of {count} models, {}", done.get(), units())}
                </p>
            </div>
            <div class="proof-growth-grid">
                <div data-tour="growth">
                    <ChartFigure chart=chart title="Whether a coupling is ever seen" summary=Signal::derive(summary) file="seen" />
                </div>
                <NumberTable label="Models and their couplings" headings=headings(include_str!("corrections.txt"))>
                    {move || all.with(|all| all.iter().map(line).collect_view())}
                </NumberTable>
            </div>
            <p class="proof-words">{move || all.with(words).unwrap_or_else(|| "The conclusion will appear here.".into())}</p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_said_shortly_however_small() {
        assert_eq!([-0.3, -7.0, -123.4].map(power), ["0.501", "10⁻⁷", "10⁻¹²³"]);
    }

    #[test]
    fn the_words_come_with_the_numbers() {
        let one = |n: u32, log10: f64, exact| {
            (vec![n, n], Some(CorrectionProbability { runs: 1000, moved: 0, log10_probability: log10, exact }))
        };
        assert_eq!(words(&vec![one(2, -0.5, true), (vec![3, 3], None)]), None);
        let said = words(&vec![one(2, -0.5, true), one(25, -16.0, false), one(100, -80.0, false)]).unwrap();
        assert!(said.contains("50 units (25-25)") && said.contains("At 100-100 it takes at least 10⁸⁰ couplings"), "{said}");
        assert!(said.contains("10⁶⁷ years") || said.contains("10⁶⁶ years"), "{said}");
        let chart = chart(&vec![one(2, -0.5, true), one(25, -16.0, false)]);
        assert_eq!(chart.series.iter().map(|series| series.points.len()).collect::<Vec<_>>(), [1, 1, 0]);
        assert!(chart.series[0].points[0].low < -16.0);
    }
}
