//! The pairs of runs that have arrived, and what they show together.

use super::super::numbered::Numbered;
use super::settings::ParticleSettings;
use crate::canvas::bins::Summary;
use crate::canvas::short;
use dbm_core::coupling::Meeting;
use dbm_core::diagnostics::{MeanCorrection, RunPair, spread_of_log_z};
use dbm_protocol::Histogram;

/// A run that counts at least this many times is mentioned.
const HEAVY: f64 = 3.0;

/// Pairs by number, all of one model as it was when they began.
pub type ParticleResults = Numbered<RunPair>;

/// What the pairs show together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Together {
    /// Number of pairs.
    pub pairs: u32,
    /// Meeting times of the runs of particles,
    pub particles: Histogram,
    /// and of the uniform proposals.
    pub uniform: Histogram,
    /// Runs offered to the chain ahead, and runs it accepted.
    pub offered: (u32, u32),
    /// Mean and standard deviation of log Z over all runs.
    pub log_z: (f64, f64),
    /// What the correction changed.
    pub change: MeanCorrection,
    /// The most times that a run counts, and the pair of that run.
    pub heaviest: (f64, u32),
}

impl ParticleResults {
    /// The first of the slowest pairs to meet among the first `wanted`.
    pub fn longest(&self, wanted: u32) -> Option<u32> {
        self.some(wanted).max_by_key(|(pair, found)| (found.meeting.time, std::cmp::Reverse(*pair))).map(|(pair, _)| pair)
    }

    /// Summarizes the first `wanted` pairs.
    pub fn together(&self, wanted: u32, cap: u32) -> Together {
        let all = || self.some(wanted).map(|(_, pair)| pair);
        let steps = || all().flat_map(|pair| pair.steps.iter().zip(1..));
        Together {
            pairs: all().count() as u32,
            particles: histogram(all().map(|pair| pair.meeting), cap),
            uniform: histogram(all().map(|pair| pair.uniform), cap),
            offered: (steps().count() as u32, steps().filter(|(step, t)| step.accepted(*t)[0]).count() as u32),
            log_z: spread_of_log_z(all()),
            change: MeanCorrection::of(all()),
            heaviest: (self.some(wanted).flat_map(|(pair, found)| found.runs.iter().map(move |run| (run.times.abs(), pair))))
                .fold((0.0, 0), |most, one| if one.0 > most.0 { one } else { most }),
        }
    }
}

fn histogram(meetings: impl Iterator<Item = Meeting>, cap: u32) -> Histogram {
    let mut histogram = Histogram { cap, ..Histogram::default() };
    let mut times: Vec<u32> = Vec::new();
    for meeting in meetings {
        times.push(meeting.time);
        histogram.capped += u32::from(meeting.capped);
    }
    times.sort_unstable();
    histogram.counts = times.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
    histogram
}

impl Together {
    /// How many pairs of runs met after step one.
    fn late(&self) -> u32 {
        self.particles.counts.iter().filter(|(time, _)| *time > 1).map(|(_, count)| count).sum()
    }

    /// How many pairs meet, and when, in a sentence or two.
    pub fn meeting_words(&self) -> String {
        let (particles, uniform) = (Summary::of(&[&self.particles]), Summary::of(&[&self.uniform]));
        let (pairs, late, last) = (self.pairs, self.late(), particles.max);
        let noun = if pairs == 1 { "pair" } else { "pairs" };
        let late = format!("Of {pairs} {noun} of runs {late} met after step one, the last at τ = {last}.");
        let other = if uniform.above_one == 0.0 {
            " Uniform proposals on the same model: every τ is 1, not one was accepted.".to_string()
        } else {
            format!(" With uniform proposals {} of them did.", percent(uniform.above_one))
        };
        let cut = match self.particles.capped {
            0 => String::new(),
            cut => format!(" {cut} cut at {}, which biases: more particles or a higher cap let them meet.", self.particles.cap),
        };
        late + &other + &cut
    }

    /// What the correction changed, in a sentence or two; `unit` is the word for a visible unit.
    pub fn change_words(&self, unit: &str) -> String {
        let MeanCorrection { size, chance, .. } = self.change;
        let [size_text, chance_text] = [size, chance].map(|x| short(100.0 * x));
        if self.pairs < 2 {
            return "One pair is one number: only two or more show what chance does.".into();
        }
        let moved = format!(
            "On average over the pairs, the correction changes a {unit} by {size_text} points of 100; chance alone, by {chance_text}."
        );
        let meaning = if size > 2.0 * chance {
            format!(" So a first run alone is off by about {} points.", short(100.0 * (size * size - chance * chance).sqrt()))
        } else {
            " So the error of a first run alone is too small for so many pairs to show.".into()
        };
        let (times, pair) = self.heaviest;
        let heaviest = format!(" The run that counts most counts {} times, in pair {}.", short(times), pair + 1);
        moved + &meaning + if times >= HEAVY { &heaviest } else { "" }
    }
}

/// A share in per cent.
pub fn percent(share: f64) -> String {
    format!("{} %", short((100.0 * share).round()))
}

/// Pairs per job on a model with this many parameters: about a tenth of a second of work, or enough to be worth the bytes sent
/// along.
pub fn pairs_a_job(settings: &ParticleSettings, parameters: f64, bytes: f64) -> u32 {
    /// Multiply-adds of a job.
    const SLICE: f64 = 2e8;
    /// Bytes that are worth sending for one pair.
    const PARCEL: f64 = 2e7;
    // About two and a half runs, with some four products per step.
    let cost = parameters * f64::from(settings.pairs.particles) * f64::from(settings.pairs.steps) * 10.0 + 1000.0;
    ((SLICE / cost).max(bytes / PARCEL)).clamp(1.0, 100.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::diagnostics::{OfferedRun, RunStep};

    /// A pair in which X accepts the first offer; the first run gives 0.2 and the other 0.6.
    fn pair(tau: u32, uniform: u32, times: f64) -> RunPair {
        let run = |times, high| OfferedRun { log_z: f64::from(tau), times, picture: vec![high] };
        RunPair {
            meeting: Meeting { time: tau, capped: tau == 9 },
            runs: vec![run(1.0 - times, 0.2), run(times, 0.6)],
            steps: vec![RunStep { x: 1, ..RunStep::default() }],
            uniform: Meeting { time: uniform, capped: false },
        }
    }

    #[test]
    fn what_is_there_is_counted() {
        let mut results = ParticleResults::default();
        results.take(1, 2, &[pair(3, 1, 0.5), pair(9, 1, 1.5)], "pairs").unwrap();
        let together = results.together(5, 9);
        assert_eq!((together.pairs, together.offered, together.particles.capped), (2, (2, 2), 1));
        assert_eq!(together.particles.counts, [(3, 1), (9, 1)]);
        assert_eq!((results.longest(5), results.longest(2), results.together(2, 9).pairs), (Some(2), Some(1), 1));
        // A correction of 0.4 times the share: 0.2 and 0.6.
        assert!((together.change.correction[0] - 0.4).abs() < 1e-6 && (together.change.chance - 0.2).abs() < 1e-6);
    }

    #[test]
    fn the_words_follow_from_the_pairs() {
        let mut results = ParticleResults::default();
        results.take(0, 1, &[pair(1, 1, 0.5)], "pairs").unwrap();
        assert!(results.together(1, 9).change_words("pixel").contains("only two or more"));
        results.take(1, 3, &[pair(3, 1, 0.5), pair(9, 1, 0.5), pair(2, 1, 0.6)], "pairs").unwrap();
        let together = results.together(4, 9);
        let words = together.meeting_words();
        assert!(
            words.contains("Of 4 pairs of runs 3 met after step one, the last at τ = 9. Uniform") && words.contains("1 cut at 9"),
            "{words}"
        );
        assert!(
            together.change_words("pixel").contains("a first run alone is off by about 21 points"),
            "{}",
            together.change_words("pixel")
        );
        results.take(4, 1, &[pair(1, 2, -1.0)], "pairs").unwrap();
        let together = results.together(5, 9);
        assert!(together.change_words("unit").contains("too small"), "{}", together.change_words("unit"));
        assert!(together.meeting_words().contains("With uniform proposals 20 % of them did."), "{}", together.meeting_words());
    }
}
