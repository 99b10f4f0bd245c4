//! A report as a table for people, and as CSV.

use super::Report;
use dbm_score::{Completions, Scores};
use serde_json::Value;
use std::fmt::Write;

/// Columns of numbers beside their names.
pub fn text(report: &Report) -> String {
    let Report { samples, floor, .. } = report;
    let mut text = format!("{:28}{:>10}{:>12}\n", "", "samples", "real digits");
    let mut line = |name: &str, value: &dyn Fn(&Scores) -> String| {
        let _ = writeln!(text, "{name:28}{:>10}{:>12}", value(samples), value(floor));
    };
    line("pictures", &|scores| scores.count.to_string());
    line("digit Frechet distance", &|scores| format!("{:.3}", scores.digit_frechet_distance));
    line(&format!("precision (k = {})", samples.neighbours), &|scores| format!("{:.4}", scores.overlap.precision));
    line("recall", &|scores| format!("{:.4}", scores.overlap.recall));
    line("density", &|scores| format!("{:.4}", scores.overlap.density));
    line("coverage", &|scores| format!("{:.4}", scores.overlap.coverage));
    line("distinct", &|scores| percent(scores.distinct));
    line("class entropy (nats)", &|scores| format!("{:.4}", scores.classes.entropy));
    line("  as a share of ln 10", &|scores| percent(scores.classes.entropy_share));
    for digit in 0..samples.classes.shares.len() {
        line(&format!("  read as {digit}"), &|scores| percent(scores.classes.shares[digit]));
    }
    line("mean confidence", &|scores| format!("{:.4}", scores.confidence));
    if let (Some(completions), Some(nearest)) = (&report.completions, &report.nearest) {
        completed(&mut text, completions, nearest);
    }
    if let Some(bound) = &report.bound {
        let _ = writeln!(
            text,
            "\nlog p(v) of {} test digits   at least {:.3} +- {:.3} from log Z, +- {:.3} over the digits, in nats each\n\
             {:29}as far as log Z is right: {:.1} chains carry the weight",
            bound.count, bound.log_p, bound.error_from_log_z, bound.error_over_examples, "", bound.effective_sample_size
        );
    }
    text
}

fn completed(text: &mut String, completions: &Completions, nearest: &Completions) {
    let _ = writeln!(text, "\n{:28}{:>10}{:>12}", format!("{} digits completed", completions.count), "answers", "nearest");
    let mut line = |name: &str, value: &dyn Fn(&Completions) -> String| {
        let _ = writeln!(text, "{name:28}{:>10}{:>12}", value(completions), value(nearest));
    };
    line("answers each", &|scores| scores.answers.to_string());
    line("unknown pixels as in truth", &|scores| percent(scores.agreement));
    line("read as the true digit", &|scores| percent(scores.read_right));
    line("  in at least one answer", &|scores| percent(scores.read_right_once));
    line("distinct answers each", &|scores| format!("{:.2}", scores.distinct));
    line("pixels apart among answers", &|scores| scores.diversity.map_or("-".into(), percent));
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// `of,score,value`: every number of a report, lists with their place after the name.
pub fn csv(report: &Report) -> String {
    let mut text = "of,score,value\n".to_string();
    if let Ok(Value::Object(parts)) = serde_json::to_value(report) {
        for (part, value) in &parts {
            match value {
                Value::Object(scores) => scores.iter().for_each(|(name, value)| numbers(&mut text, part, name, value)),
                value => numbers(&mut text, "samples", part, value),
            }
        }
    }
    text
}

fn numbers(text: &mut String, part: &str, name: &str, value: &Value) {
    match value {
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| numbers(text, part, &format!("{name}_{at}"), value));
        }
        Value::Null => {}
        value => {
            let _ = writeln!(text, "{part},{name},{value}");
        }
    }
}
