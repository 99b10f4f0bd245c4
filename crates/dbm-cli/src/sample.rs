//! `dbm sample`.

use crate::args::{ModelArgs, SamplerArgs};
use crate::context::Context;
use crate::output::Format;
use clap::Args;
use dbm_core::Host;
use dbm_data::npy;
use dbm_data::picture::{Tile, grid};
use dbm_engine::MAX_SWEEPS;
use dbm_experiments::model::visible;
use dbm_experiments::{Error, files};
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub struct Sample {
    #[command(flatten)]
    model: ModelArgs,
    /// How many samples
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    #[command(flatten)]
    sampler: SamplerArgs,
    /// Seed of the samples
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// u8 0/1 of shape [N, visible] (.npy), a picture of them all (.png), or, for a table's model, rows with its columns' names and values
    /// (.csv)
    #[arg(long, value_name = "FILE.npy|FILE.png|FILE.csv")]
    out: PathBuf,
}

impl Sample {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let session = &context.session;
        let format = Format::of(&self.out)?;
        files::check_writable(&self.out)?;
        let file = self.model.file();
        let (checkpoint, model) = file.load()?;
        let columns = if format == Format::Csv { Some(file.columns(&checkpoint)?) } else { None };
        let started = session.now();
        let count = self.count as usize;
        let samples = self.sampler.draw(session, &checkpoint, &model, count, self.seed)?;
        let seconds = session.now() - started;
        let bits = &samples.bits;
        let n = model.n_visible();
        let bytes = match (format, columns) {
            (_, Some(columns)) => columns.decode(bits, &[], |_| vec![]),
            (Format::Npy | Format::Csv, None) => npy::write_u8(&[count, n], bits),
            (Format::Png, None) => {
                let visible = visible(&checkpoint)?;
                let tiles: Vec<Tile> =
                    bits.chunks(n).map(|units| Tile::of_units(checkpoint.image, visible.as_ref(), units)).collect();
                grid(&tiles, if checkpoint.image.is_some() { count.isqrt().max(1) } else { 1 }, 2)?
            }
        };
        files::write(&self.out, &bytes)?;
        let distinct = bits.chunks(n).collect::<std::collections::HashSet<_>>().len();
        let (capped, sweeps) = (samples.capped(), samples.mean_sweeps());
        context.done(
            json!({ "count": count, "distinct": distinct, "mean_sweeps": sweeps, "searches_capped": capped, "seconds": seconds,
                    "out": self.out }),
            || {
                let note = if capped > 0 { format!(", {capped} cut at {MAX_SWEEPS} sweeps") } else { String::new() };
                let out = self.out.display();
                format!("{count} samples, {distinct} distinct, {sweeps:.1} sweeps per search{note}, {seconds:.2} s: {out}")
            },
        );
        Ok(())
    }
}
