//! Whether to trust what a model fills in: its score beside those of the baselines, and what they say in a sentence.

use dbm_core::impute::{LEAST_PROBABILITY, Method, Outcome, Report};
use dbm_core::math::mean_and_error;
use serde_json::{Value, json};

/// Differences of less than so many standard errors are none.
const ERRORS: f64 = 2.0;

/// How the model does beside a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    Better,
    Alike,
    Worse,
}

pub struct Verdict {
    report: Report,
    /// Beside the column's mode, and beside the nearest rows.
    beside: [Beside; 2],
    /// The model may have been trained on what was hidden.
    seen: bool,
}

impl Verdict {
    pub fn new(report: &Report, outcomes: &[Outcome], seen: bool) -> Self {
        let beside = [Method::ColumnMode, Method::Neighbours].map(|other| beside(outcomes, other));
        Self { report: report.clone(), beside, seen }
    }

    /// What the scores mean for the cells that nobody knows.
    fn sentence(&self) -> String {
        let right = (100.0 * self.report.of(Method::Model).accuracy).round();
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
            [Beside::Alike, _] => {
                "The model does no better than the column's mode: do not trust it; either the columns do not depend on each other, or it needs more rows or training."
                    .into()
            }
            [Beside::Worse, _] => {
                "The model does worse than the column's mode: do not trust it; train it longer (--steps), at another rate (--lr), or smaller (--hidden)."
                    .into()
            }
        };
        let seen = "It may have been trained on the hidden cells and know them by heart, so these are upper bounds; without --model a model is trained that has not.";
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
        println!("{:<20} {:>9} {:>22}", "", "accuracy", "log-loss, nats a cell");
        for method in Method::ALL {
            let score = report.of(method);
            let loss = format!("{:.3} +- {:.3}", score.log_loss, score.log_loss_error);
            println!("{:<20} {:>7.1} % {loss:>22}", method.name(), 100.0 * score.accuracy);
        }
        println!("{}\n", self.sentence());
    }

    pub fn line(&self, share: f64) -> Value {
        let report = &self.report;
        let scores: Vec<Value> = Method::ALL
            .iter()
            .map(|&method| {
                let score = report.of(method);
                json!({ "method": method, "accuracy": score.accuracy, "log_loss": score.log_loss, "log_loss_error": score.log_loss_error })
            })
            .collect();
        json!({ "event": "evaluation", "share": share, "cells": report.cells, "rows": report.rows, "rows_with_hidden": report.rows_with_hidden,
                "rows_compared": report.rows_compared, "scores": scores, "model_may_have_seen_them": self.seen, "verdict": self.sentence() })
    }
}

/// By the differences of log-losses, cell by cell.
fn beside(outcomes: &[Outcome], other: Method) -> Beside {
    let loss =
        |outcome: &Outcome, method: Method| -libm::log(outcome.predictions[method as usize].of_truth.max(LEAST_PROBABILITY));
    let differences: Vec<f64> = outcomes.iter().map(|outcome| loss(outcome, Method::Model) - loss(outcome, other)).collect();
    let (mean, error) = mean_and_error(&differences);
    if mean < -ERRORS * error {
        Beside::Better
    } else if mean > ERRORS * error {
        Beside::Worse
    } else {
        Beside::Alike
    }
}
