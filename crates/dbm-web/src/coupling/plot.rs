//! The figure's charts, and what they show in words.

use super::figure_settings::{CountedRuns, CountedSteps, FigureSettings};
use super::pairs::{PAIRS, Pair};
use super::results::{Results, Spread, Summary};
use crate::canvas::{Axis, Chart, Level, Point, Scale, Series, short};
use crate::ui::table::rows;
use dbm_core::diagnostics::CouplingStart;
use dbm_core::words::Choose;

/// The start of the axis, and as a factor its extent beyond the highest point.
const ROOM: (f64, f64) = (0.8, 2.0);

/// The axis with this name in the table of axes.
fn axis(name: &str, scale: Scale, range: (f64, f64)) -> Axis {
    let [_, label, help] = rows(include_str!("axes.txt")).find(|[of, ..]: &[&str; 3]| *of == name).unwrap_or_default();
    Axis { scale, range: Some(range), ..Axis::new(label, help) }
}

/// What a line shows of the runs at each dimension, with its band.
type Shown = dyn Fn(&Summary) -> Spread;

/// The line of a pair by dimension. If the quantity is `bounded` by the cap, means that include cut runs are lower bounds.
fn line(settings: &FigureSettings, results: &Results, pair: &'static Pair, shown: &Shown, bounded: bool) -> Series {
    let summary = |&dimension: &u32| Some((f64::from(dimension), results.summary(settings, pair, dimension)?));
    let all: Vec<(f64, Summary)> = settings.dimensions.iter().filter_map(summary).collect();
    let point = |(x, summary): &(f64, Summary)| {
        let Spread { mean, quartiles: [low, _, high], .. } = shown(summary);
        Point { x: *x, y: mean, low, high }
    };
    Series {
        name: pair.title.into(),
        hue: pair.hue,
        dash: pair.dash,
        dots: true,
        points: all.iter().map(point).collect(),
        at_least: all.iter().filter(|(_, summary)| bounded && summary.capped > 0).map(|(dimension, _)| *dimension).collect(),
    }
}

fn dimensions(settings: &FigureSettings) -> Axis {
    let last = settings.dimensions.last().map_or(1.0, |last| f64::from(*last));
    axis("d", Scale::Linear, (0.0, last * 1.02))
}

/// Mean steps with their quartiles.
pub fn steps(settings: &FigureSettings, results: &Results, counted: CountedSteps) -> Chart {
    let line = |pair, shown: &Shown, bounded| line(settings, results, pair, shown, bounded);
    let of_pairs = |shown: &Shown| settings.pairs.iter().map(|pair| line(pair, shown, true)).collect();
    let series: Vec<Series> = match counted {
        CountedSteps::Total => of_pairs(&|summary| summary.total),
        CountedSteps::Coupling => of_pairs(&|summary| summary.tau),
        CountedSteps::Search => {
            let searched = settings.pairs.iter().filter(|pair| pair.start == CouplingStart::LocalMode);
            searched.map(|pair| line(pair, &|summary| summary.sweeps, false)).collect()
        }
        CountedSteps::Apart => {
            let search = line(&PAIRS[0], &|summary| summary.sweeps, false);
            let coupling = line(&PAIRS[0], &|summary| summary.tau, true);
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
    Chart {
        x: dimensions(settings),
        y: axis(counted.choice().name, Scale::Logarithmic, (ROOM.0, top * ROOM.1)),
        series,
        levels: if capped { vec![Level { y: f64::from(settings.cap), label: "cap".into() }] } else { vec![] },
    }
}

/// Shares of runs: those cut at the cap, or those with tau > 1.
pub fn shares(settings: &FigureSettings, results: &Results, counted: CountedRuns) -> Chart {
    let share = move |summary: &Summary| {
        let mean = summary.share(if counted == CountedRuns::Capped { summary.capped } else { summary.corrected });
        Spread { mean, quartiles: [mean; 3], most: 0 }
    };
    Chart {
        x: dimensions(settings),
        y: axis(counted.choice().name, Scale::Linear, (0.0, 1.0)),
        series: settings.pairs.iter().map(|pair| line(settings, results, pair, &share, false)).collect(),
        levels: vec![],
    }
}

/// The last values of a chart, line by line.
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
    use super::super::figure_settings::given;
    use super::super::jobs::jobs;
    use super::*;
    use dbm_core::coupling::Meeting;
    use dbm_core::diagnostics::{CouplingKernel, CouplingRun};

    /// Every Gibbs run is cut at d = 60; every Metropolis run meets at once.
    fn filled() -> (FigureSettings, Results) {
        let settings = given(&[("d", "5, 60"), ("runs", "3"), ("cap", "50")]);
        let mut results = Results::default();
        for job in jobs(&settings, &results) {
            let cut = job.couplings.kernel == CouplingKernel::Gibbs && job.couplings.dimension == 60;
            let sweeps = if job.couplings.start == CouplingStart::Uniform { 0 } else { 4 };
            let meeting = Meeting { time: if cut { 50 } else { 1 }, capped: cut };
            let run = CouplingRun { meeting, sweeps, tries_capped: 0 };
            results.take(&settings, &job, &vec![run; job.runs as usize]).unwrap();
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
        for name in CountedSteps::CHOICES.iter().map(|row| row.name).chain(CountedRuns::CHOICES.iter().map(|row| row.name)) {
            assert!(!axis(name, Scale::Linear, (0.0, 1.0)).help.is_empty(), "{name}");
        }
        // A cut coupling does not cut its search.
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
