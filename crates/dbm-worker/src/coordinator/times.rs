//! How far training is to go, how fast, and when the page is shown what.

use crate::clock::now;
use crate::job::within;
use dbm_protocol::Event;

/// The page is shown what training's own chains look like at most this often, with metrics: with every other one of them.
const GRID_SECONDS: f64 = 0.15;
/// Training looks at its signals at most this often, and spends at most one part in [`LOOKS_SHARE`] of its time on that.
const LOOKS_SECONDS: f64 = 0.1;
const LOOKS_SHARE: f64 = 40.0;
/// Where it has no chains to show, samples are drawn at most this often, and in as small a part of its time.
const DRAWN_SECONDS: f64 = 0.4;
const DRAWN_SHARE: f64 = 40.0;
/// The page gets a snapshot this often, and more rarely where that would cost more than one part in [`SNAPSHOT_SHARE`] of the time of training: at most
/// so much is lost with the tab, and what the browser's storage takes to write it.
pub const SNAPSHOT_SECONDS: f64 = 4.0;
const SNAPSHOT_SHARE: f64 = 20.0;
const MAX_PACE: u32 = 1000;

/// How far training is to go.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Goal {
    #[default]
    Rest,
    /// One step, asked for by the request of this id.
    OneStep(u32),
    Forever,
    /// This many gradient steps in all.
    Until(u32),
}

/// How fast training may go.
#[derive(Default)]
pub struct Pace {
    /// Steps a second at most; 0 for as many as can be.
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
            // Late by less than a step, the next one makes up for it.
            let (time, apart) = (now(), 1.0 / f64::from(self.steps_a_second));
            self.next_step = apart + self.next_step.clamp(time - apart, time);
        }
    }

    /// Seconds until the next step may begin; none where it may.
    pub fn pause(&self) -> Option<f64> {
        let wait = if self.steps_a_second == 0 { 0.0 } else { self.next_step - now() };
        (wait > 0.0).then_some(wait)
    }
}

/// When the page last got what, and when it gets the next.
#[derive(Default)]
pub struct ReportTimes {
    pub metrics: f64,
    pub looks_due: f64,
    pub chains_due: f64,
    pub drawn_due: f64,
    /// Seconds that the samples being drawn have taken.
    drawing_seconds: f64,
    pub snapshot_due: f64,
}

impl ReportTimes {
    /// A look began then and is over.
    pub fn looked(&mut self, since: f64) {
        let time = now();
        self.looks_due = time + LOOKS_SECONDS.max(LOOKS_SHARE * (time - since));
    }

    /// Training's own chains were shown.
    pub fn showed_chains(&mut self) {
        self.chains_due = now() + GRID_SECONDS;
    }

    /// Training's samples took so long to draw; once they are shown, that decides when the next ones are due.
    pub fn took_for_samples(&mut self, seconds: f64, shown: bool) {
        self.drawing_seconds += seconds;
        if shown {
            self.drawn_due = now() + DRAWN_SECONDS.max(DRAWN_SHARE * std::mem::take(&mut self.drawing_seconds));
        }
    }

    /// When a snapshot is due after one that took so long.
    pub fn next_snapshot(seconds: f64) -> f64 {
        now() + SNAPSHOT_SECONDS.max(SNAPSHOT_SHARE * seconds)
    }
}
