//! The benchmark that `?bench=…` in the page's address asks for, and the numbers that answer it.

pub mod page;

use crate::ui::binding::Keys;
use dbm_core::{Settings, Units};
use dbm_protocol::{BenchProtocol, BenchRow, Initialization, RunPlan};

/// The benchmark whose hidden layers and batch the address names: `hidden=2000,2000`, `batch=100`.
const SCALE: &str = "scale";
/// Hidden layers that it takes at most.
const MOST_LAYERS: usize = 64;
/// Names of the presets, and their hidden layers on 784 visible units.
const PRESETS: [(&str, [u32; 2]); 2] = [("mnist-500", [500, 500]), ("mnist-1000", [1000, 500])];
/// As in `dbm bench`.
const USUAL: BenchProtocol = BenchProtocol { warm_up: 20, steps: 20, runs: 5 };

/// A benchmark to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The name that the address has: `mnist-500`, `mnist-1000` or `scale`.
    pub preset: &'static str,
    /// The run to time.
    pub plan: RunPlan,
    /// Steps to warm up, steps of a measurement, and measurements.
    pub protocol: BenchProtocol,
    /// On how many workers; none for 1, 2, 4 and so on up to all there can be.
    pub workers: Vec<u32>,
    /// Whether on the GPU as well.
    pub gpu: bool,
}

/// What the address asks for: nothing, a benchmark, or one that cannot be (why not).
pub fn asked(search: &str) -> Option<Result<Asked, String>> {
    let keys: Keys = search.trim_start_matches('?').split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    Some(read(keys.get("bench")?, &keys))
}

fn read(name: &str, keys: &Keys) -> Result<Asked, String> {
    let number = |name, usual| match keys.get(name) {
        None => Ok(usual),
        Some(text) => {
            text.parse::<u32>().map_err(|_| format!("{name} should be a whole number, but the address has “{name}={text}”."))
        }
    };
    let mut settings = Settings::default();
    let (preset, hidden) = if name == SCALE {
        settings.batch = number("batch", settings.batch as u32)? as usize;
        (SCALE, layers(keys.get("hidden"))?)
    } else {
        let (preset, hidden) = PRESETS.into_iter().find(|(preset, _)| *preset == name).ok_or_else(|| {
            let known = PRESETS.map(|(preset, _)| format!("?bench={preset}")).join(" or ");
            format!(
                "There is no benchmark “{name}”: the address should end with {known}, or ?bench={SCALE}&hidden=2000,2000&batch=100."
            )
        })?;
        if let Some(other) = ["hidden", "batch"].into_iter().find(|&name| keys.get(name).is_some()) {
            return Err(format!("{other}= goes with ?bench={SCALE}, but the address has ?bench={preset}."));
        }
        (preset, hidden.to_vec())
    };
    let workers = keys.get("workers").map_or(Ok(Vec::new()), |text| {
        text.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| {
            format!("workers should be whole numbers with commas between them, but the address has “workers={text}”.")
        })
    })?;
    let protocol = BenchProtocol {
        warm_up: number("warm-up", USUAL.warm_up)?,
        steps: number("steps", USUAL.steps)?,
        runs: number("runs", USUAL.runs)?,
    };
    let plan = RunPlan { hidden, units: Units::Signs, start: Initialization::Orthogonal, settings };
    Ok(Asked { preset, plan, protocol, workers, gpu: keys.get("gpu").is_some() })
}

/// Sizes of hidden layers, from the address.
fn layers(text: Option<&str>) -> Result<Vec<u32>, String> {
    let text = text.unwrap_or_default();
    // Some programs write a comma in an address as %2C.
    let sizes = text.replace("%2C", ",").replace("%2c", ",").split(',').map(str::parse).collect::<Result<Vec<u32>, _>>();
    sizes.ok().filter(|sizes| sizes.len() <= MOST_LAYERS && !sizes.contains(&0)).ok_or_else(|| {
        format!("hidden should be the sizes of 1 to {MOST_LAYERS} hidden layers, as in hidden=2000,2000, but is “{text}”.")
    })
}

/// What is told of each row: its words in the table, and where it stands in the JSON.
pub const LINES: [(&str, &str, &str); 11] = [
    ("steps a second, median", "steps_per_second", "median"),
    ("slowest run", "steps_per_second", "min"),
    ("fastest run", "steps_per_second", "max"),
    ("milliseconds a step, median", "", "milliseconds_per_step"),
    ("search, data clamped, ms", "milliseconds", "positive_search"),
    ("search, free, ms", "milliseconds", "negative_search"),
    ("coupling, ms", "milliseconds", "coupling"),
    ("update, ms", "milliseconds", "update"),
    // Drawing the batch, conditional means, messages.
    ("all else, ms", "milliseconds", "other"),
    ("T, data clamped, sweeps", "sweeps", "positive"),
    ("T, free, sweeps", "sweeps", "negative"),
];

/// What was measured of one row, line by line of [`LINES`]. The parts of a step are means over all runs of so many steps.
pub fn numbers(row: &BenchRow, steps: u32) -> [f64; LINES.len()] {
    let steps = f64::from(steps);
    let mut rates: Vec<f64> = row.seconds.iter().map(|seconds| steps / seconds).collect();
    rates.sort_by(f64::total_cmp);
    let at = |place: usize| rates.get(place).copied().unwrap_or_default();
    let n = rates.len();
    // Of an even number the mean of the two in the middle.
    let median = f64::midpoint(at(n.saturating_sub(1) / 2), at(n / 2));
    let BenchRow { positive_search, negative_search, coupling, update, positive_sweeps, negative_sweeps, .. } = *row;
    let mean = row.seconds.iter().sum::<f64>() / (steps * n.max(1) as f64);
    let other = (mean - positive_search - negative_search - coupling - update).max(0.0);
    let [positive_search, negative_search, coupling, update, other] =
        [positive_search, negative_search, coupling, update, other].map(|seconds| 1e3 * seconds);
    [
        median,
        at(0),
        at(n.saturating_sub(1)),
        1e3 / median,
        positive_search,
        negative_search,
        coupling,
        update,
        other,
        positive_sweeps,
        negative_sweeps,
    ]
    .map(rounded)
}

/// To three digits after the point.
fn rounded(x: f64) -> f64 {
    (1e3 * x).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_says_which_benchmark() {
        assert_eq!(asked(""), None);
        assert_eq!(asked("?from=bench"), None);
        let usual = asked("?bench=mnist-1000").unwrap().unwrap();
        assert_eq!((usual.preset, &usual.plan.hidden[..], usual.protocol), ("mnist-1000", &[1000, 500][..], USUAL));
        let short = asked("?steps=2&bench=mnist-500&runs=1&warm-up=0").unwrap().unwrap();
        assert_eq!(short.protocol, BenchProtocol { warm_up: 0, steps: 2, runs: 1 });
        assert_eq!((&short.plan.hidden[..], &short.workers[..]), (&[500, 500][..], &[][..]));
        let some = asked("?bench=mnist-500&workers=1,4").unwrap().unwrap();
        assert_eq!((&some.workers[..], some.gpu), (&[1, 4][..], false));
        assert!(asked("?bench=mnist-500&gpu").unwrap().unwrap().gpu);
        let scale = asked("?bench=scale&hidden=2000,1000%2C500&batch=1000&steps=3&runs=1").unwrap().unwrap();
        assert_eq!((scale.preset, &scale.plan.hidden[..], scale.plan.settings.batch), ("scale", &[2000, 1000, 500][..], 1000));
        assert_eq!(asked("?bench=scale&hidden=7").unwrap().unwrap().plan.settings.batch, 100);
        for (search, said) in [
            ("?bench", "?bench=mnist-500 or ?bench=mnist-1000"),
            ("?bench=mnist-5", "“mnist-5”"),
            ("?bench=mnist-500&steps=many", "“steps=many”"),
            ("?bench=mnist-500&runs=-1", "“runs=-1”"),
            ("?bench=mnist-500&workers=1,all", "“workers=1,all”"),
            ("?bench=scale", "hidden=2000,2000"),
            ("?bench=scale&hidden=20,0", "“20,0”"),
            ("?bench=scale&hidden=20,many", "“20,many”"),
            ("?bench=scale&hidden=5000000000", "“5000000000”"),
            ("?bench=scale&hidden=20&batch=big", "“batch=big”"),
            ("?bench=mnist-500&hidden=20", "hidden= goes with ?bench=scale"),
            ("?bench=mnist-500&batch=20", "batch= goes with ?bench=scale"),
        ] {
            let message = asked(search).unwrap().unwrap_err();
            assert!(message.contains(said), "{search}: {message}");
        }
    }

    #[test]
    fn rates_are_of_runs_and_parts_of_steps() {
        let seconds = vec![4.0, 1.0, 2.0, 2.0];
        let row =
            BenchRow { workers: 1, seconds, positive_search: 0.05, update: 0.02, negative_sweeps: 7.25, ..BenchRow::default() };
        // Nine seconds for 80 steps are 112.5 ms each.
        assert_eq!(numbers(&row, 20), [10.0, 5.0, 20.0, 100.0, 50.0, 0.0, 0.0, 20.0, 42.5, 0.0, 7.25]);
        let three = BenchRow { seconds: vec![1.0, 4.0, 2.0], ..BenchRow::default() };
        assert_eq!(numbers(&three, 4)[0], 2.0);
    }
}
