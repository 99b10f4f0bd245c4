//! `dbm read`.

use crate::args::DataArgs;
use crate::context::Context;
use dbm_experiments::data::Split;
use dbm_experiments::{Error, files};
use serde_json::json;
use std::path::PathBuf;

/// `dbm read`.
#[derive(clap::Args)]
pub struct Read {
    #[command(flatten)]
    data: DataArgs,
    /// Write the reading here, for --reading
    #[arg(long, value_name = "FILE.json")]
    out: Option<PathBuf>,
}

impl Read {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let (data, raw) = self.data.source()?.load_raw(Split::Train)?;
        let reading = raw.reading.to_json();
        if let Some(out) = &self.out {
            files::write(out, reading.as_bytes())?;
        }
        let hash = data.sha256();
        let fields = json!({ "reading": raw.reading, "notes": raw.notes, "doubts": raw.doubts, "examples": data.examples.len(),
                             "units": data.examples.width(), "missing": data.examples.missing(), "sha256": hash, "out": self.out });
        context.done(fields, || {
            let doubts = raw.doubts.iter().map(|doubt| format!("{} ({}?)", doubt.text, doubt.label));
            let lines: Vec<String> = raw.notes.iter().cloned().chain(doubts).collect();
            format!(
                "{}: {} examples of {} visible units, {} bits missing; SHA-256 {hash}\n{}{}{reading}",
                raw.name,
                data.examples.len(),
                data.examples.width(),
                data.examples.missing(),
                lines.join("\n"),
                if lines.is_empty() { "" } else { "\n" }
            )
        });
        Ok(())
    }
}
