//! The course of training, row by row, for export.

use crate::canvas::bins::Summary;
use crate::ui::history;
use crate::worker::session::Session;
use dbm_protocol::{LogPhase, LogRow, Metrics, PhaseMetrics};
use leptos::prelude::*;
use std::cell::RefCell;

/// The most rows of a log: beyond that every other one is dropped, so that it still covers the whole run.
const ROWS: usize = 20_000;

thread_local! {
    static LOG: RefCell<Log> = const { RefCell::new(Log { rows: Vec::new(), began: 0.0 }) };
}

struct Log {
    rows: Vec<LogRow>,
    began: f64,
}

/// Logs what the session reports from now on.
pub fn follow(session: Session) {
    Effect::new(move |_| session.run.metrics.with(add));
}

/// Adds a row if training has advanced; a run that starts over begins a new log.
fn add(metrics: &Metrics) {
    LOG.with_borrow_mut(|log| {
        let now = js_sys::Date::now() / 1000.0;
        if log.rows.last().is_none_or(|last| metrics.step < last.step) {
            log.rows.clear();
            log.began = now;
        }
        if metrics.step == 0 || log.rows.last().is_some_and(|last| last.step == metrics.step) {
            return;
        }
        let row = row(metrics, now - log.began);
        history::add(&mut log.rows, row, ROWS, |row| row.step);
    });
}

/// The rows so far, oldest first.
pub fn rows() -> Vec<LogRow> {
    LOG.with_borrow(|log| log.rows.clone())
}

fn row(metrics: &Metrics, seconds: f64) -> LogRow {
    LogRow {
        step: metrics.step,
        seconds,
        workers: metrics.workers,
        steps_per_second: metrics.steps_per_second,
        reconstruction_error: metrics.signals.map(|signals| signals.reconstruction_error),
        pseudo_log_likelihood: metrics.signals.map(|signals| signals.pseudo_log_likelihood),
        free_energy_data: metrics.signals.map(|signals| signals.free_energy),
        free_energy_samples: metrics.signals.and_then(|signals| signals.free_energy_of_samples),
        log_likelihood: metrics.signals.and_then(|signals| signals.log_likelihood),
        positive: phase(&metrics.positive),
        negative: phase(&metrics.negative),
    }
}

fn phase(metrics: &PhaseMetrics) -> LogPhase {
    let summary = |histogram: &dbm_protocol::Histogram| (!histogram.counts.is_empty()).then(|| Summary::of(&[histogram]));
    let meeting = summary(&metrics.meeting_time);
    LogPhase {
        mean_meeting_time: meeting.as_ref().map(|summary| summary.mean),
        longest_meeting_time: meeting.as_ref().map(|summary| summary.max),
        couplings_capped: metrics.meeting_time.capped,
        mean_search_sweeps: summary(&metrics.sweeps).map(|summary| summary.mean),
        energy: metrics.energy,
    }
}
