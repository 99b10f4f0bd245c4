//! How far training is to go, how fast, and when the page is sent what.

use crate::clock::now;
use crate::job::within;
use dbm_protocol::Event;

/// The page gets a look at training's own chains at most this often, with every other report of metrics.
const GRID_SECONDS: f64 = 0.15;
/// Training evaluates its signals at most this often, and spends at most one part in [`LOOKS_SHARE`] of its time on that.
const LOOKS_SECONDS: f64 = 0.1;
const LOOKS_SHARE: f64 = 40.0;
/// If it has no chains to show, samples are drawn at most this often, and take as small a part of its time.
const DRAWN_SECONDS: f64 = 0.4;
const DRAWN_SHARE: f64 = 40.0;
/// The page gets a snapshot this often, or less often if that would cost more than one part in [`SNAPSHOT_SHARE`] of the training time. At
/// most this much is lost with the tab, plus the time the browser's storage takes to write it.
pub const SNAPSHOT_SECONDS: f64 = 4.0;
const SNAPSHOT_SHARE: f64 = 20.0;
const MAX_PACE: u32 = 1000;

/// How far training is to go.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Goal {
    #[default]
    Rest,
    /// One step, requested by the request with this id.
    OneStep(u32),
    Forever,
    /// Up to this many gradient steps in all.
    Until(u32),
}

/// How fast training may go.
#[derive(Default)]
pub struct Pace {
    /// Maximum steps per second; 0 for no limit.
    steps_a_second: u32,
    /// When the next step may begin.
    next_step: f64,
}

impl Pace {
    pub fn set(&mut self, steps_a_second: u32) -> Result<Event, String> {
        within("the number of steps a second", steps_a_second, 0..=MAX_PACE)?;
        *self = Self { steps_a_second, next_step: 0.0 };
        Ok(Event::Done)
    }

    /// A step begins.
    pub fn count(&mut self) {
        if self.steps_a_second > 0 {
            // If it is late by less than a step, the next one catches up.
            let (time, apart) = (now(), 1.0 / f64::from(self.steps_a_second));
            self.next_step = apart + self.next_step.clamp(time - apart, time);
        }
    }

    /// Seconds until the next step may begin; `None` if it may begin now.
    pub fn pause(&self) -> Option<f64> {
        let wait = if self.steps_a_second == 0 { 0.0 } else { self.next_step - now() };
        (wait > 0.0).then_some(wait)
    }
}

/// When the page last got each thing, and when it gets the next.
#[derive(Default)]
pub struct ReportTimes {
    pub metrics: f64,
    pub looks_due: f64,
    pub chains_due: f64,
    pub drawn_due: f64,
    /// Seconds spent so far on the samples being drawn.
    drawing_seconds: f64,
    pub snapshot_due: f64,
}

impl ReportTimes {
    /// A look began at this time and has ended.
    pub fn looked(&mut self, since: f64) {
        let time = now();
        self.looks_due = time + LOOKS_SECONDS.max(LOOKS_SHARE * (time - since));
    }

    /// Training's own chains were shown.
    pub fn showed_chains(&mut self) {
        self.chains_due = now() + GRID_SECONDS;
    }

    /// How long training's samples took to draw; once they are shown, this decides when the next ones are due.
    pub fn took_for_samples(&mut self, seconds: f64, shown: bool) {
        self.drawing_seconds += seconds;
        if shown {
            self.drawn_due = now() + DRAWN_SECONDS.max(DRAWN_SHARE * std::mem::take(&mut self.drawing_seconds));
        }
    }

    /// When the next snapshot is due after one that took this long.
    pub fn next_snapshot(seconds: f64) -> f64 {
        now() + SNAPSHOT_SECONDS.max(SNAPSHOT_SHARE * seconds)
    }
}
