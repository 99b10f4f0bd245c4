//! The benchmark that `?bench=…` in the page's address asks for, and the report that answers it.

pub mod page;

use crate::ui::notices::Notices;
use crate::worker::client::{Client, Failure, Progress};
use dbm_core::{Settings, Units};
use dbm_protocol::{BenchProtocol, BenchRow, Command, Computing, DataSource, Event, Initialization, RunPlan};
use leptos::prelude::*;
use serde::Serialize;
use wasm_bindgen::JsValue;

/// The benchmark whose hidden layers and batch the address names: `hidden=2000,2000`, `batch=100`.
const SCALE: &str = "scale";
/// Hidden layers that it takes at most.
const MOST_LAYERS: usize = 64;
/// Names of the presets, and their hidden layers on 784 visible units.
const PRESETS: [(&str, [u32; 2]); 2] = [("mnist-500", [500, 500]), ("mnist-1000", [1000, 500])];
/// Generated digits to train on.
const EXAMPLES: u32 = 2000;
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
}

/// Where it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Measuring {
    /// The worker has been asked.
    Working {
        /// The worker's request, by which it can be cancelled.
        id: u32,
        /// Steps done, and of how many; `None` before the first.
        steps: Option<(u32, u32)>,
    },
    /// It was cancelled, or failed.
    #[default]
    Stopped,
    /// It is done.
    Done(Box<Report>),
}

/// What the address asks for: nothing, a benchmark, or one that cannot be (why not).
pub fn asked(search: &str) -> Option<Result<Asked, String>> {
    let pairs: Vec<(&str, &str)> =
        search.trim_start_matches('?').split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    let value = |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    let name = value("bench")?;
    Some(named(name).and_then(|(preset, hidden)| {
        let number = |name, usual| match value(name) {
            None => Ok(usual),
            Some(text) => {
                text.parse::<u32>().map_err(|_| format!("{name} should be a whole number, but the address has “{name}={text}”."))
            }
        };
        let (hidden, settings) = if preset == SCALE {
            let batch = number("batch", Settings::default().batch as u32)? as usize;
            (layers(value("hidden"))?, Settings { batch, ..Settings::default() })
        } else if let Some(other) = ["hidden", "batch"].into_iter().find(|&name| value(name).is_some()) {
            return Err(format!("{other}= goes with ?bench={SCALE}, but the address has ?bench={preset}."));
        } else {
            (hidden, Settings::default())
        };
        let plan = RunPlan { hidden, units: Units::Signs, start: Initialization::Orthogonal, settings };
        let protocol = BenchProtocol {
            warm_up: number("warm-up", USUAL.warm_up)?,
            steps: number("steps", USUAL.steps)?,
            runs: number("runs", USUAL.runs)?,
        };
        let workers = match value("workers") {
            None => Vec::new(),
            Some(text) => text.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| {
                format!("workers should be whole numbers with commas between them, but the address has “workers={text}”.")
            })?,
        };
        Ok(Asked { preset, plan, protocol, workers })
    }))
}

fn named(name: &str) -> Result<(&'static str, Vec<u32>), String> {
    if name == SCALE {
        return Ok((SCALE, vec![]));
    }
    let preset = PRESETS.into_iter().find(|(preset, _)| *preset == name);
    preset.map(|(preset, hidden)| (preset, hidden.to_vec())).ok_or_else(|| {
        let known = PRESETS.map(|(preset, _)| format!("?bench={preset}")).join(" or ");
        format!(
            "There is no benchmark “{name}”: the address should end with {known}, or ?bench={SCALE}&hidden=2000,2000&batch=100."
        )
    })
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

/// A benchmark and where it stands: a handle, as long-lived as the page.
#[derive(Clone, Copy)]
pub struct Bench {
    client: StoredValue<Client<Computing>, LocalStorage>,
    notices: Notices,
    asked: StoredValue<Asked>,
    /// Where it stands.
    pub measuring: RwSignal<Measuring>,
}

impl Bench {
    /// A benchmark, not begun yet.
    pub fn new(asked: Asked, notices: Notices) -> Self {
        Self {
            client: StoredValue::new_local(Client::new("dbm-bench")),
            notices,
            asked: StoredValue::new(asked),
            measuring: RwSignal::default(),
        }
    }

    /// Has the worker measure; one that was lost is replaced.
    pub fn begin(self) {
        let asked = self.asked.get_value();
        let Asked { plan, protocol, workers, .. } = asked.clone();
        let source = DataSource::Digits { count: EXAMPLES, seed: 1 };
        let progress = move |Progress { done, total, .. }| {
            self.measuring.update(|measuring| {
                if let Measuring::Working { steps, .. } = measuring {
                    *steps = Some((done, total));
                }
            });
        };
        let answer = self.client.get_value().ask_long(Command::Bench { source, plan, protocol, workers }, progress);
        self.measuring.set(Measuring::Working { id: answer.id, steps: None });
        leptos::task::spawn_local(async move {
            self.measuring.set(match answer.await {
                Ok(Event::Bench(result)) => Measuring::Done(Box::new(Report::new(asked, &result, Browser::here()))),
                Ok(_) => Measuring::Stopped,
                Err(failure) => {
                    self.notices.error(match failure {
                        Failure::Lost(why) => {
                            format!("The worker that computes was lost: {why}. Press “Run again” to begin anew with another.")
                        }
                        other => other.to_string(),
                    });
                    Measuring::Stopped
                }
            });
        });
    }

    /// Has the worker stop.
    pub fn cancel(self) {
        if let Measuring::Working { id, .. } = self.measuring.get_untracked() {
            self.client.get_value().cancel(id);
        }
    }
}

/// What was measured, of what and where.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    preset: &'static str,
    sizes: Vec<u32>,
    examples: u32,
    plan: RunPlan,
    protocol: BenchProtocol,
    /// One for each number of workers.
    pub rows: Vec<Row>,
    /// Where.
    #[serde(flatten)]
    pub browser: Browser,
}

/// What was measured with one number of workers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Workers that computed.
    pub workers: u32,
    /// Of the parameters after the last step.
    pub checksum: String,
    /// Of the measurements.
    pub steps_per_second: Spread,
    /// At the median.
    pub milliseconds_per_step: f64,
    /// Where a step's time goes: means.
    pub milliseconds: Parts,
    /// Mean sweeps T of a search.
    pub sweeps: Phases,
}

/// Of several measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The middle one; of an even number the mean of the two in the middle.
    pub median: f64,
    /// The slowest.
    pub min: f64,
    /// The fastest.
    pub max: f64,
}

/// Milliseconds of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parts {
    /// Searches and Gibbs sweeps, visible layer clamped.
    pub positive_search: f64,
    /// The same, visible layer free.
    pub negative_search: f64,
    /// Couplings, both phases.
    pub coupling: f64,
    /// Update of the parameters.
    pub update: f64,
    /// The rest: drawing the batch, conditional means, messages.
    pub other: f64,
}

/// A number for each phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Phases {
    /// Visible layer clamped.
    pub positive: f64,
    /// Visible layer free.
    pub negative: f64,
}

/// What the browser says of itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Browser {
    /// Whether the page may share memory between workers, and has a precise clock.
    pub cross_origin_isolated: bool,
    /// Threads of the machine, as far as the browser tells.
    pub hardware_concurrency: f64,
    /// Its name for itself.
    pub user_agent: String,
}

impl Browser {
    fn here() -> Self {
        let get = |of: &JsValue, name: &str| js_sys::Reflect::get(of, &name.into()).unwrap_or_default();
        let window: JsValue = window().into();
        let navigator = get(&window, "navigator");
        Self {
            cross_origin_isolated: get(&window, "crossOriginIsolated").is_truthy(),
            hardware_concurrency: get(&navigator, "hardwareConcurrency").as_f64().unwrap_or_default(),
            user_agent: get(&navigator, "userAgent").as_string().unwrap_or_default(),
        }
    }
}

impl Report {
    fn new(asked: Asked, bench: &dbm_protocol::BenchResult, browser: Browser) -> Self {
        let Asked { preset, plan, protocol, .. } = asked;
        let rows = bench.rows.iter().map(|row| Row::new(row, protocol.steps)).collect();
        Self { preset, sizes: bench.sizes.clone(), examples: EXAMPLES, plan, protocol, rows, browser }
    }

    /// As JSON, indented.
    pub fn json(&self) -> String {
        let text = serde_wasm_bindgen::Serializer::json_compatible();
        self.serialize(&text)
            .ok()
            .and_then(|value| js_sys::JSON::stringify_with_replacer_and_space(&value, &JsValue::NULL, &2.into()).ok())
            .map(String::from)
            .unwrap_or_default()
    }
}

impl Row {
    fn new(row: &BenchRow, steps: u32) -> Self {
        let steps = f64::from(steps);
        let mut rates: Vec<f64> = row.seconds.iter().map(|seconds| steps / seconds).collect();
        rates.sort_by(f64::total_cmp);
        let at = |place: usize| rates.get(place).copied().unwrap_or_default();
        let n = rates.len();
        let median = f64::midpoint(at(n.saturating_sub(1) / 2), at(n / 2));
        let BenchRow { positive_search, negative_search, coupling, update, .. } = *row;
        let mean = row.seconds.iter().sum::<f64>() / (steps * n.max(1) as f64);
        let milliseconds = |seconds: f64| rounded(1e3 * seconds);
        Self {
            workers: row.workers,
            checksum: row.checksum.clone(),
            steps_per_second: Spread { median: rounded(median), min: rounded(at(0)), max: rounded(at(n.saturating_sub(1))) },
            milliseconds_per_step: rounded(1e3 / median),
            milliseconds: Parts {
                positive_search: milliseconds(positive_search),
                negative_search: milliseconds(negative_search),
                coupling: milliseconds(coupling),
                update: milliseconds(update),
                other: milliseconds((mean - positive_search - negative_search - coupling - update).max(0.0)),
            },
            sweeps: Phases { positive: rounded(row.positive_sweeps), negative: rounded(row.negative_sweeps) },
        }
    }
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
        assert_eq!(asked("?bench=mnist-500&workers=1,4").unwrap().unwrap().workers, [1, 4]);
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
        let row = Row::new(&row, 20);
        assert_eq!(row.steps_per_second, Spread { median: 10.0, min: 5.0, max: 20.0 });
        assert_eq!(row.milliseconds_per_step, 100.0);
        // Nine seconds for 80 steps are 112.5 ms each.
        let Parts { positive_search, update, other, .. } = row.milliseconds;
        assert_eq!((positive_search, update, other), (50.0, 20.0, 42.5));
        assert_eq!(row.sweeps, Phases { positive: 0.0, negative: 7.25 });
        let three = BenchRow { seconds: vec![1.0, 4.0, 2.0], ..BenchRow::default() };
        assert_eq!(Row::new(&three, 4).steps_per_second.median, 2.0);
    }
}
