//! The figure's charts, and what is seen in them in words.

use super::figure_settings::{CountedRuns, CountedSteps, FigureSettings};
use super::pairs::Pair;
use super::results::{Results, Spread, Summary};
use crate::canvas::{Axis, Chart, Level, Point, Scale, Series, short};
use dbm_core::diagnostics::CouplingStart;

/// Where the axis begins, and how far it goes beyond the highest point, as a factor.
const ROOM: (f64, f64) = (0.8, 2.0);

/// Mean steps with their quartiles.
pub fn steps(settings: &FigureSettings, results: &Results, counted: CountedSteps) -> Chart {
    let line = |pair: Pair, what: fn(&Summary) -> Spread, bounded: bool| {
        let all = summaries(settings, results, pair);
        Series {
            name: pair.row().title.into(),
            hue: pair as usize,
            dash: pair.row().dash,
            dots: true,
            points: all.iter().map(|(dimension, summary)| point(*dimension, what(summary))).collect(),
            at_least: all.iter().filter(|(_, summary)| bounded && summary.capped > 0).map(|(dimension, _)| *dimension).collect(),
        }
    };
    let of_pairs =
        |what: fn(&Summary) -> Spread, bounded: bool| settings.pairs.iter().map(|&pair| line(pair, what, bounded)).collect();
    let series: Vec<Series> = match counted {
        CountedSteps::Total => of_pairs(|summary| summary.total, true),
        CountedSteps::Coupling => of_pairs(|summary| summary.tau, true),
        CountedSteps::Search => {
            let searched = settings.pairs.iter().filter(|pair| pair.row().start == CouplingStart::LocalMode);
            searched.map(|&pair| line(pair, |summary| summary.sweeps, false)).collect()
        }
        CountedSteps::Apart => {
            let search = line(Pair::MetropolisMode, |summary| summary.sweeps, false);
            let coupling = line(Pair::MetropolisMode, |summary| summary.tau, true);
            vec![
                Series { name: "T, local search".into(), hue: 4, dash: &[6.0, 3.0], ..search },
                Series { name: "τ, coupling".into(), ..coupling },
            ]
        }
    };
    let highest = series.iter().flat_map(|line| &line.points).map(|point| point.y.max(point.high)).fold(9.0, f64::max);
    let cut = series.iter().any(|line| !line.at_least.is_empty());
    let capped = matches!(counted, CountedSteps::Total | CountedSteps::Coupling) || cut;
    let top = if capped { highest.max(f64::from(settings.cap)) } else { highest };
    let (label, help) = match counted {
        CountedSteps::Total => (
            "τ + T, mean and quartiles",
            "Sweeps of the local search and steps of the coupling together: what one estimate costs. The band is from the first quartile of the runs to the third.",
        ),
        CountedSteps::Apart => {
            ("Steps, mean and quartiles", "Sweeps T of the local search and steps τ of the coupling after it, each alone.")
        }
        CountedSteps::Coupling => (
            "τ, mean and quartiles",
            "Steps until both chains are in one state. τ = 1 means that the first proposal was refused, and the estimate needs no correction.",
        ),
        CountedSteps::Search => ("T, mean and quartiles", "Sweeps of the local search until a whole sweep changes nothing."),
    };
    Chart {
        x: dimensions(settings),
        y: Axis { label: label.into(), help: help.into(), scale: Scale::Logarithmic, range: Some((ROOM.0, top * ROOM.1)) },
        series,
        levels: if capped { vec![Level { y: f64::from(settings.cap), label: "cap".into() }] } else { vec![] },
    }
}

/// Shares of runs: those cut at the cap, or those with tau > 1.
pub fn shares(settings: &FigureSettings, results: &Results, counted: CountedRuns) -> Chart {
    let series = settings.pairs.iter().map(|&pair| Series {
        name: pair.row().title.into(),
        hue: pair as usize,
        dash: pair.row().dash,
        dots: true,
        points: summaries(settings, results, pair)
            .into_iter()
            .map(|(dimension, summary)| {
                Point::new(
                    dimension,
                    summary.share(if counted == CountedRuns::Capped { summary.capped } else { summary.corrected }),
                )
            })
            .collect(),
        at_least: vec![],
    });
    let help = if counted == CountedRuns::Capped {
        "Of all runs, how many had not met at the cap and were cut there."
    } else {
        "Of all runs, how many had τ > 1: only these change the estimate at all."
    };
    Chart {
        x: dimensions(settings),
        y: Axis {
            label: if counted == CountedRuns::Capped { "Share of runs cut at the cap" } else { "Share of runs with τ > 1" }
                .into(),
            help: help.into(),
            scale: Scale::Linear,
            range: Some((0.0, 1.0)),
        },
        series: series.collect(),
        levels: vec![],
    }
}

fn dimensions(settings: &FigureSettings) -> Axis {
    let last = settings.dimensions.last().map_or(1.0, |last| f64::from(*last));
    Axis {
        label: "Dimension d".into(),
        help: "Visible units of a random restricted Boltzmann machine, and as many hidden ones; its weights are a random orthogonal matrix.".into(),
        scale: Scale::Linear,
        range: Some((0.0, last * 1.02)),
    }
}

fn summaries(settings: &FigureSettings, results: &Results, pair: Pair) -> Vec<(f64, Summary)> {
    let all = settings.dimensions.iter();
    all.filter_map(|&dimension| Some((f64::from(dimension), results.summary(settings, pair, dimension)?))).collect()
}

fn point(x: f64, Spread { mean, quartiles: [low, _, high], .. }: Spread) -> Point {
    Point { x, y: mean, low, high }
}

/// What a chart says at its last place, line by line.
pub fn summary(chart: &Chart) -> String {
    let last = |series: &Series| {
        let point = series.points.last()?;
        let least = if series.at_least.contains(&point.x) { "at least " } else { "" };
        Some(format!("{}: {least}{} at d = {}", series.name, short(point.y), short(point.x)))
    };
    let all: Vec<String> = chart.series.iter().filter_map(last).collect();
    if all.is_empty() {
        format!("{}: nothing computed yet.", chart.y.label)
    } else {
        format!("{}. {}.", chart.y.label, all.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::figure_settings::{FigureDraft, FigureField};
    use super::super::jobs::jobs;
    use super::*;
    use dbm_core::coupling::Meeting;
    use dbm_core::diagnostics::{CouplingKernel, CouplingRun};

    /// Every Gibbs run is cut at d = 60; every Metropolis run meets at once.
    fn filled() -> (FigureSettings, Results) {
        let mut draft = FigureDraft::default();
        draft.set(FigureField::Dimensions, "5, 60");
        draft.set(FigureField::Runs, "3");
        draft.set(FigureField::Cap, "50");
        let settings = draft.check().unwrap();
        let mut results = Results::default();
        for (pair, job) in jobs(&settings, &results) {
            let cut = job.couplings.kernel == CouplingKernel::Gibbs && job.couplings.dimension == 60;
            let sweeps = if pair.row().start == CouplingStart::Uniform { 0 } else { 4 };
            let meeting = Meeting { time: if cut { 50 } else { 1 }, capped: cut };
            let run = CouplingRun { meeting, sweeps, tries_capped: 0 };
            results.take(&settings, pair, &job, &vec![run; job.runs as usize]).unwrap();
        }
        (settings, results)
    }

    #[test]
    fn a_mean_of_runs_that_were_cut_is_said_to_be_a_lower_bound() {
        let (settings, results) = filled();
        let chart = steps(&settings, &results, CountedSteps::Total);
        assert_eq!(chart.series.iter().map(|line| line.at_least.len()).collect::<Vec<_>>(), [0, 0, 1, 1]);
        assert_eq!(chart.levels[0].y, 50.0);
        let words = summary(&chart);
        assert!(
            words.contains("Gibbs, local mode: at least 54 at d = 60") && words.contains("Metropolis, local mode: 5 at"),
            "{words}"
        );
        // A search is whole whatever becomes of the coupling.
        let chart = steps(&settings, &results, CountedSteps::Search);
        assert!(chart.series.len() == 2 && chart.series.iter().all(|line| line.at_least.is_empty()));
    }

    #[test]
    fn panel_b_has_search_and_coupling_of_the_papers_pair() {
        let (settings, results) = filled();
        let chart = steps(&settings, &results, CountedSteps::Apart);
        let ends: Vec<f64> = chart.series.iter().map(|line| line.points.last().unwrap().y).collect();
        assert_eq!((ends, chart.levels.len()), (vec![4.0, 1.0], 0));
        let cap: Vec<f64> = shares(&settings, &results, CountedRuns::Capped).series.iter().map(|line| line.points[1].y).collect();
        assert_eq!(cap, [0.0, 0.0, 1.0, 1.0]);
    }
}
