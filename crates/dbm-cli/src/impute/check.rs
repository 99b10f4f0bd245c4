//! How a check on hidden cells is reported.

use crate::context::Context;
use dbm_core::impute::ImputationMethod;
use dbm_engine::{Calibration, Checked, Trust};
use serde_json::{Value, json};

/// Every bin that has guesses.
pub fn calibration(calibration: &Calibration) -> Value {
    json!({ "error": calibration.error(), "error_by_chance": calibration.by_chance(), "bins": calibration.bins() })
}

/// The verdict, and what can be done.
fn sentence(checked: &Checked, seen: bool) -> String {
    let advice = match checked.trust {
        Trust::BeatsBoth | Trust::BeatsModes => "",
        Trust::NeighboursBetter => " Train it longer (--steps) or larger (--hidden).",
        Trust::TooSure => " Train it shorter (--steps) or smaller (--hidden), or give it more rows.",
        Trust::NoBetter => " Give it more rows, or train it longer (--steps).",
        Trust::Worse => " Train it longer (--steps), at another rate (--lr), or smaller (--hidden).",
    };
    let seen = if seen {
        " It may have been trained on the hidden cells and have memorized them, so these are upper bounds; without --model a model is trained that has not seen them."
    } else {
        ""
    };
    format!("{}{advice}{seen}", checked.sentence())
}

/// Prints the scores. `seen`: the model may have been trained on the hidden cells.
pub fn say(checked: &Checked, share: f64, seen: bool, context: &Context) {
    let report = &checked.report;
    let scores = ImputationMethod::ALL.map(|method| {
        let mut score = json!(report.of(method));
        score["method"] = json!(method);
        score
    });
    let fields = json!({ "share": share, "cells": report.cells, "rows": report.rows, "rows_with_hidden": report.rows_with_hidden,
                         "rows_compared": report.rows_compared, "scores": scores, "model_may_have_seen_them": seen,
                         "calibration": calibration(&checked.calibration), "verdict": sentence(checked, seen) });
    context.tell("evaluation", fields, || {
        let rows = if report.rows < report.rows_with_hidden {
            format!(", scored in {} of {} rows", report.rows, report.rows_with_hidden)
        } else {
            String::new()
        };
        let first = format!("\nOf the known cells {:.0} % were hidden{rows}; {} guessed:", 100.0 * share, report.cells);
        let head = format!("{:<20} {:>9} {:>22}", "", "accuracy", "log-loss, nats per cell");
        let line = |method: ImputationMethod| {
            let score = report.of(method);
            let loss = format!("{:.3} +- {:.3}", score.log_loss, score.log_loss_error);
            format!("{:<20} {:>7.1} % {loss:>22}", method.name(), 100.0 * score.accuracy)
        };
        let lines = ImputationMethod::ALL.map(line).join("\n");
        format!("{first}\n{head}\n{lines}\n{}\n{}\n", checked.calibration.sentence(), sentence(checked, seen))
    });
}
