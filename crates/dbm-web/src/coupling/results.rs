//! The results of couplings, run by run, kept for as long as the page is open; and their summaries.

use super::figure_settings::FigureSettings;
use super::numbered::Numbered;
use super::pairs::Pair;
use dbm_core::diagnostics::{CouplingRun, Couplings};
use dbm_core::words::Choose;
use dbm_protocol::CouplingRuns;

/// The runs of one pair at one dimension, by number.
#[derive(Clone, Debug, Default)]
struct Runs {
    each: Numbered<CouplingRun>,
    /// The summary of the first runs, as many as the number says: the figure reads it again and again.
    cached: Option<(u32, Summary)>,
}

/// All runs under all settings tried, each with everything that determines its result except its number.
#[derive(Clone, Debug, Default)]
pub struct Results(Vec<(Couplings, Runs)>);

/// The distribution of a number over runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub mean: f64,
    /// Its quartiles, interpolated between runs.
    pub quartiles: [f64; 3],
    pub most: u32,
}

/// The summary of the runs of one pair at one dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// How many of them there are.
    pub runs: u32,
    /// Steps until the chains meet.
    pub tau: Spread,
    /// Sweeps of the search.
    pub sweeps: Spread,
    /// Search and coupling together: tau + T.
    pub total: Spread,
    /// Runs with tau > 1.
    pub corrected: u32,
    /// Runs cut at the cap: if there are any, means of tau are lower bounds.
    pub capped: u32,
    /// Draws cut at the cap on tries.
    pub tries_capped: u32,
}

impl Summary {
    /// Share of `count` in all runs.
    pub fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.runs.max(1))
    }
}

impl Spread {
    /// The distribution of these values; all zero if there are none.
    pub fn of(mut values: Vec<u32>) -> Self {
        values.sort_unstable();
        let Some(&most) = values.last() else { return Self::default() };
        let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / values.len() as f64;
        let at = |share: f64| {
            let place = share * (values.len() - 1) as f64;
            let below = f64::from(values[place.floor() as usize]);
            below + place.fract() * (f64::from(values[place.ceil() as usize]) - below)
        };
        Self { mean, quartiles: [at(0.25), at(0.5), at(0.75)], most }
    }
}

impl Runs {
    /// The summary of those of the first `wanted` runs that have arrived.
    fn summary(&self, wanted: u32) -> Option<Summary> {
        let there: Vec<CouplingRun> = self.each.some(wanted).map(|(_, run)| *run).collect();
        let count = |which: fn(&CouplingRun) -> bool| there.iter().filter(|run| which(run)).count() as u32;
        let spread = |what: fn(&CouplingRun) -> u32| Spread::of(there.iter().map(what).collect());
        (!there.is_empty()).then(|| Summary {
            runs: there.len() as u32,
            tau: spread(|run| run.meeting.time),
            sweeps: spread(|run| run.sweeps),
            total: spread(|run| run.meeting.time.saturating_add(run.sweeps)),
            corrected: count(|run| run.meeting.time > 1),
            capped: count(|run| run.meeting.capped),
            tries_capped: there.iter().map(|run| run.tries_capped).fold(0, u32::saturating_add),
        })
    }
}

impl Results {
    fn of(&self, couplings: &Couplings) -> Option<&Runs> {
        self.0.iter().find(|(of, _)| of == couplings).map(|(_, runs)| runs)
    }

    /// Stores a job's results. An error if the job returned a different number of runs.
    pub fn take(&mut self, settings: &FigureSettings, job: &CouplingRuns, answer: &[CouplingRun]) -> Result<(), String> {
        let place = self.0.iter().position(|(of, _)| *of == job.couplings).unwrap_or_else(|| {
            self.0.push((job.couplings, Runs::default()));
            self.0.len() - 1
        });
        let runs = &mut self.0[place].1;
        runs.each.take(job.first_run, job.runs, answer, "couplings")?;
        runs.cached = runs.summary(settings.runs).map(|summary| (settings.runs, summary));
        Ok(())
    }

    /// Jobs for wanted runs that are missing, at most `most` per job: the first number, and how many, in order.
    pub fn missing(&self, settings: &FigureSettings, pair: &Pair, dimension: u32, most: u32) -> Vec<(u32, u32)> {
        let runs = self.of(&settings.couplings(pair, dimension)).map(|runs| &runs.each);
        runs.unwrap_or(&Numbered::default()).missing(settings.runs, most)
    }

    /// The summary of the wanted runs of a pair at a dimension; `None` if none has arrived.
    pub fn summary(&self, settings: &FigureSettings, pair: &Pair, dimension: u32) -> Option<Summary> {
        let runs = self.of(&settings.couplings(pair, dimension))?;
        match runs.cached {
            Some((of, summary)) if of == settings.runs => Some(summary),
            _ => runs.summary(settings.runs),
        }
    }

    /// One line per dimension and pair that has runs.
    pub fn csv(&self, settings: &FigureSettings) -> String {
        let parts = |what| ["mean", "q25", "median", "q75", "max"].map(|part| format!("{what}_{part}")).join(",");
        let spreads = ["tau", "T", "tau_plus_T"].map(parts).join(",");
        let head = format!(
            "dimension,units,kernel,start,seed,runs,cap,max_tries,{spreads},share_tau_above_1,share_at_cap,tries_capped\n"
        );
        let line = |(dimension, pair): (u32, &Pair)| {
            let summary = self.summary(settings, pair, dimension)?;
            let FigureSettings { units, seed, cap, tries, .. } = settings;
            let [units, kernel, start] = [units.choice().name, pair.kernel.choice().name, pair.start.choice().name];
            let spread = |Spread { mean, quartiles: [low, middle, high], most }| format!("{mean},{low},{middle},{high},{most}");
            let spreads = [summary.tau, summary.sweeps, summary.total].map(spread).join(",");
            let [corrected, capped] = [summary.corrected, summary.capped].map(|count| summary.share(count));
            let Summary { runs, tries_capped, .. } = summary;
            Some(format!(
                "{dimension},{units},{kernel},{start},{seed},{runs},{cap},{tries},{spreads},{corrected},{capped},{tries_capped}\n"
            ))
        };
        settings.points().filter_map(line).fold(head, |text, line| text + &line)
    }
}

#[cfg(test)]
mod tests {
    use super::super::figure_settings::given;
    use super::super::pairs::PAIRS;
    use super::*;
    use dbm_core::coupling::Meeting;

    fn settings(runs: &str) -> FigureSettings {
        given(&[("d", "3, 7"), ("runs", runs)])
    }

    fn gibbs() -> &'static Pair {
        &PAIRS[3]
    }

    fn job(settings: &FigureSettings, first_run: u32, runs: u32) -> CouplingRuns {
        CouplingRuns { couplings: settings.couplings(gibbs(), 7), first_run, runs }
    }

    fn met(times: &[u32], tries_capped: u32) -> Vec<CouplingRun> {
        let run = |&time: &u32| CouplingRun { meeting: Meeting { time, capped: time == 1000 }, sweeps: 2, tries_capped };
        times.iter().map(run).collect()
    }

    #[test]
    fn quartiles_lie_between_runs() {
        assert_eq!(Spread::of(vec![4, 1, 3, 2]), Spread { mean: 2.5, quartiles: [1.75, 2.5, 3.25], most: 4 });
        assert_eq!(Spread::of(vec![9]), Spread { mean: 9.0, quartiles: [9.0; 3], most: 9 });
        assert_eq!(Spread::of(vec![]), Spread::default());
    }

    #[test]
    fn what_is_there_is_counted_and_what_is_missing_is_known() {
        let (wide, narrow) = (settings("10"), settings("4"));
        let mut results = Results::default();
        assert_eq!(results.summary(&wide, gibbs(), 7), None);
        assert_eq!(results.missing(&wide, gibbs(), 7, 99), [(0, 10)]);
        results.take(&wide, &job(&wide, 2, 3), &met(&[1, 5, 1000], 2)).unwrap();
        results.take(&wide, &job(&wide, 7, 1), &met(&[2], 0)).unwrap();
        assert_eq!(results.missing(&wide, gibbs(), 7, 99), [(0, 2), (5, 2), (8, 2)]);
        assert_eq!(results.missing(&narrow, gibbs(), 7, 99), [(0, 2)]);
        let all = results.summary(&wide, gibbs(), 7).unwrap();
        assert_eq!((all.runs, all.corrected, all.capped, all.tries_capped), (4, 3, 1, 6));
        assert_eq!((all.tau.mean, all.total.mean, all.tau.most, all.sweeps.mean), (252.0, 254.0, 1000, 2.0));
        // Fewer runs: only the first ones.
        let first = results.summary(&narrow, gibbs(), 7).unwrap();
        assert_eq!((first.runs, first.tau.mean, first.capped, first.tries_capped), (2, 3.0, 0, 4));
        // Another seed gives other runs.
        let other = given(&[("d", "3, 7"), ("runs", "10"), ("seed", "9")]);
        assert_eq!(results.summary(&other, gibbs(), 7), None);
    }

    #[test]
    fn the_csv_has_a_line_a_dimension_and_pair() {
        let settings = settings("2");
        let mut results = Results::default();
        results.take(&settings, &job(&settings, 0, 2), &met(&[1, 1000], 1)).unwrap();
        let text = results.csv(&settings);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert_eq!(
            lines[1],
            "7,signs,gibbs,uniform,1,2,1000,10000,500.5,250.75,500.5,750.25,1000,2,2,2,2,2,502.5,252.75,502.5,752.25,1002,0.5,0.5,2"
        );
        assert_eq!(lines[0].split(',').count(), lines[1].split(',').count());
    }
}
