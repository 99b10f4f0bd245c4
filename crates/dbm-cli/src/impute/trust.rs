//! Whether to trust what a model fills in: its score compared with those of the baselines, and the conclusion in a sentence.

use super::calibration::Calibration;
use dbm_core::impute::{ImputationMethod, Outcome, Report};
use dbm_core::math::mean_and_error;
use serde_json::{Value, json};

/// Differences below this many standard errors count as none.
const ERRORS: f64 = 2.0;

/// The model compared with a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    Better,
    Alike,
    Worse,
}

pub struct ImputationVerdict {
    report: Report,
    /// By log-loss, compared with the column's mode and with the nearest rows.
    beside: [Beside; 2],
    /// By the share of correct values, compared with the column's mode.
    right: Beside,
    /// The model may have been trained on the hidden cells.
    seen: bool,
    calibration: Calibration,
}

impl ImputationVerdict {
    pub fn new(report: &Report, outcomes: &[Outcome], seen: bool) -> Self {
        let loss = |cell: &Outcome, method: ImputationMethod| cell.predictions[method as usize].loss();
        let wrong =
            |cell: &Outcome, method: ImputationMethod| f64::from(cell.predictions[method as usize].value != cell.cell.truth);
        Self {
            report: report.clone(),
            beside: [ImputationMethod::ColumnMode, ImputationMethod::Neighbours].map(|other| beside(outcomes, other, loss)),
            right: beside(outcomes, ImputationMethod::ColumnMode, wrong),
            seen,
            calibration: Calibration::of(outcomes.iter().map(|outcome| (outcome.predictions[0], outcome.cell.truth))),
        }
    }

    /// What the scores mean for the missing cells.
    fn sentence(&self) -> String {
        let right = (100.0 * self.report.of(ImputationMethod::Model).accuracy).round();
        let text = match self.beside {
            [Beside::Better, Beside::Better] => {
                format!("The model beats both: expect about {right} of 100 filled cells to be right, and their probabilities to mean something.")
            }
            [Beside::Better, Beside::Alike] => {
                format!("The model beats the column's mode and does as well as the nearest rows: expect about {right} of 100 filled cells to be right.")
            }
            [Beside::Better, Beside::Worse] => {
                "The model beats the column's mode, but the nearest rows do better: train it longer (--steps) or larger (--hidden) before you trust it."
                    .into()
            }
            _ if self.right == Beside::Better => {
                format!("The model guesses about {right} of 100 right, more than the column's mode, but it is too sure of itself: do not trust its probabilities; train it shorter (--steps) or smaller (--hidden), or give it more rows.")
            }
            [Beside::Alike, _] => {
                "The model does no better than the column's mode: do not trust it; either the columns do not depend on each other, or it needs more rows or training."
                    .into()
            }
            [Beside::Worse, _] => {
                "The model does worse than the column's mode: do not trust it; train it longer (--steps), at another rate (--lr), or smaller (--hidden)."
                    .into()
            }
        };
        let seen = "It may have been trained on the hidden cells and have memorized them, so these are upper bounds; without --model a model is trained that has not seen them.";
        if self.seen { format!("{text} {seen}") } else { text }
    }

    pub fn print(&self, share: f64) {
        let report = &self.report;
        let rows = if report.rows < report.rows_with_hidden {
            format!(", scored in {} of {} rows", report.rows, report.rows_with_hidden)
        } else {
            String::new()
        };
        println!("\nOf the known cells {:.0} % were hidden{rows}; {} guessed:", 100.0 * share, report.cells);
        println!("{:<20} {:>9} {:>22}", "", "accuracy", "log-loss, nats per cell");
        for method in ImputationMethod::ALL {
            let score = report.of(method);
            let loss = format!("{:.3} +- {:.3}", score.log_loss, score.log_loss_error);
            println!("{:<20} {:>7.1} % {loss:>22}", method.name(), 100.0 * score.accuracy);
        }
        println!("{}", self.calibration.sentence());
        println!("{}\n", self.sentence());
    }

    pub fn line(&self, share: f64) -> Value {
        let report = &self.report;
        let scores = ImputationMethod::ALL.map(|method| {
            let mut score = json!(report.of(method));
            score["method"] = json!(method);
            score
        });
        json!({ "event": "evaluation", "share": share, "cells": report.cells, "rows": report.rows, "rows_with_hidden": report.rows_with_hidden,
                "rows_compared": report.rows_compared, "scores": scores, "model_may_have_seen_them": self.seen,
                "calibration": self.calibration.json(), "verdict": self.sentence() })
    }
}

/// From the differences of their losses, cell by cell.
fn beside(outcomes: &[Outcome], other: ImputationMethod, loss: impl Fn(&Outcome, ImputationMethod) -> f64) -> Beside {
    let differences: Vec<f64> = outcomes.iter().map(|cell| loss(cell, ImputationMethod::Model) - loss(cell, other)).collect();
    let (mean, error) = mean_and_error(&differences);
    if mean < -ERRORS * error {
        Beside::Better
    } else if mean > ERRORS * error {
        Beside::Worse
    } else {
        Beside::Alike
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::impute::{Cell, Prediction, Score};

    /// The sentence if each method gives the truth these probabilities, in turn.
    fn sentence(model: [f64; 2], mode: [f64; 2], neighbours: [f64; 2], seen: bool) -> String {
        let cell = |row: usize| Outcome {
            cell: Cell { row, units: 0..1, truth: 1 },
            predictions: [model, mode, neighbours].map(|p| Prediction {
                of_truth: p[row % 2],
                value: usize::from(p[row % 2] > 0.5),
                of_value: p[row % 2].max(1.0 - p[row % 2]),
            }),
        };
        let outcomes: Vec<Outcome> = (0..100).map(cell).collect();
        let score = Score { accuracy: 0.875, log_loss: 0.3, log_loss_error: 0.01 };
        let report =
            Report { cells: 100, rows: 100, rows_with_hidden: 100, rows_compared: 100, rows_in_all: 100, scores: [score; 3] };
        ImputationVerdict::new(&report, &outcomes, seen).sentence()
    }

    #[test]
    fn the_verdict_follows_the_scores() {
        let (good, fair, poor) = ([0.9, 0.95], [0.8, 0.7], [0.4, 0.45]);
        assert!(sentence(good, poor, fair, false).starts_with("The model beats both: expect about 88 of 100"));
        assert!(sentence(good, poor, good, false).contains("does as well as the nearest rows"));
        assert!(sentence(fair, poor, good, false).contains("the nearest rows do better"));
        assert!(sentence(poor, poor, fair, false).contains("no better than the column's mode: do not trust"));
        assert!(sentence(poor, fair, good, false).contains("does worse than the column's mode"));
        // Nearly always right, and quite sure when it is wrong.
        assert!(sentence([0.99, 1e-6], [0.4, 0.4], fair, false).contains("too sure of itself"));
        assert!(sentence(good, poor, fair, true).contains("upper bounds"));
    }
}
