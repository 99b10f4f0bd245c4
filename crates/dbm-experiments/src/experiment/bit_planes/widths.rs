//! Models of 6272 visible units whose hidden layers this machine can carry.

use super::planes::{self, Plane};
use crate::Error;
use crate::experiment::recipe::Recipe;
use crate::experiment::workspace::Workspace;
use crate::samples::{self, Samples};
use dbm_core::complete::SamplingSchedule;
use dbm_core::signals::Signals;
use dbm_core::{Dbm, OptimizerSettings, Settings};
use dbm_data::raw::Visible;
use dbm_data::{Dataset, npy};
use dbm_score::{PIXELS, Reference, Scores};
use serde::{Deserialize, Serialize};

/// Units of both hidden layers, and gradient steps of a few minutes.
pub const WIDTHS: [(usize, u64); 3] = [(500, 3000), (1000, 1600), (2000, 800)];
/// Samples that are scored, and how many of them are shown.
pub const SAMPLES: usize = 10_000;
pub const SHOWN: usize = 20;
/// Digits that signals and planes are looked at on.
pub const LOOKED_AT: usize = 200;
/// Adam's rate: a field is the sum of 6272 units' parts here and not of 784, and moves eight times as far in a step.
pub const RATE: f64 = 3e-4;

/// A width's model, measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Width {
    pub hidden: usize,
    pub steps: u64,
    /// Mean squared error of reconstructed training bits, before the first step and after the last.
    pub reconstruction: [f64; 2],
    pub planes: Vec<Plane>,
    pub scores: Scores,
    pub ink: Ink,
    /// Sweeps of a search from noise, on average, and searches that were cut.
    pub sweeps: f64,
    pub capped: usize,
    /// Grey levels of the first samples, and of the first that differ from each other.
    pub first: Vec<u8>,
    #[serde(default)]
    pub seconds: f64,
}

impl Width {
    /// Its layers, such as `6272-500-500`.
    pub fn name(&self) -> String {
        format!("6272-{0}-{0}", self.hidden)
    }
}

/// How pictures spend their levels: shares of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ink {
    /// Of level 0.
    pub black: f64,
    /// Of levels 1 to 250: where a stroke of MNIST ends. Within, it has 252 to 255.
    pub grey: f64,
    /// Of 128 and more.
    pub bright: f64,
    /// Of pictures most of whose pixels are bright: digits have none.
    pub inverted: f64,
}

impl Ink {
    /// Of grey levels `[N, 784]`.
    pub fn of(levels: &[u8]) -> Self {
        let share = |of: &[u8], counts: fn(u8) -> bool| {
            of.iter().map(|&level| f64::from(u8::from(counts(level)))).sum::<f64>() / of.len().max(1) as f64
        };
        let bright = |level: u8| level > 127;
        let inverted: Vec<u8> = levels.chunks(PIXELS).map(|picture| u8::from(share(picture, bright) > 0.5)).collect();
        Self {
            black: share(levels, |level| level == 0),
            grey: share(levels, |level| (1..=250).contains(&level)),
            bright: share(levels, bright),
            inverted: share(&inverted, |inverted| inverted == 1),
        }
    }
}

pub fn recipe(workspace: &Workspace, (width, steps): (usize, u64)) -> Recipe {
    let size = workspace.pick((width, steps), (width / 50, 8));
    recipe_of(size, workspace.pick(RATE, 1e-3), workspace.seed)
}

/// Of these hidden units and steps.
pub fn recipe_of((width, steps): (usize, u64), learning_rate: f64, seed: u64) -> Recipe {
    let settings = Settings {
        optimizer: OptimizerSettings { learning_rate, weight_decay: 5e-4, ..OptimizerSettings::default() },
        average: Some(0.99),
        seed,
        ..Settings::default()
    };
    Recipe::new(vec![width; 2], settings, steps)
}

/// Trains a width, draws from it and scores what it draws, in grey.
///
/// # Errors
/// Those of [`Workspace::trained`] and [`Workspace::cell`].
pub fn run(
    workspace: &Workspace,
    width: (usize, u64),
    (training, test): (&Dataset, &Dataset),
    real: &Reference,
) -> Result<Width, Error> {
    let recipe = recipe(workspace, width);
    let hidden = recipe.hidden[0];
    let run = workspace.trained(&format!("width-{hidden}"), &recipe, training)?;
    let count = workspace.pick(SAMPLES, 40);
    let asked = (&recipe, count, LOOKED_AT, (&training.name, training.examples.len()), (&test.name, test.examples.len()));
    let (width, seconds) = workspace.cell(&format!("width-{hidden}"), &asked, || {
        workspace.say(&format!("{count} samples of width {hidden}"));
        let start = recipe.begin(training, workspace.session)?;
        let error = |model: &Dbm, step| {
            Ok::<_, Error>(Signals::of(model, &training.examples, LOOKED_AT, workspace.seed, step)?.reconstruction_error)
        };
        let visible = planes::visible(training)?;
        let drawn = draw(workspace, &run.model, visible, count);
        workspace.write(&format!("samples-{hidden}.npy"), &npy::write_u8(&[count, PIXELS], &drawn.bits))?;
        let looked_at = workspace.pick(LOOKED_AT, 20);
        Ok(Width {
            hidden,
            steps: recipe.steps,
            reconstruction: [error(start.model(), 0)?, error(&run.model, recipe.steps)?],
            planes: planes::held(&run.model, visible.depth(), (&training.examples, &test.examples), looked_at),
            scores: real.scores(workspace.session, &drawn.bits)?,
            ink: Ink::of(&drawn.bits),
            sweeps: drawn.mean_sweeps(),
            capped: drawn.capped(),
            first: drawn.bits[..SHOWN.min(count) * PIXELS].to_vec(),
            seconds: 0.0,
        })
    })?;
    Ok(Width { seconds: seconds + run.seconds, ..width })
}

/// Modes from noise as grey levels: bits of 6272 units would be eight times as many bytes.
pub fn draw(workspace: &Workspace, model: &Dbm, visible: &Visible, count: usize) -> Samples {
    let grey = |bits: Vec<u8>| bits.chunks_exact(model.n_visible()).flat_map(|units| visible.grey(units)).collect();
    samples::draw_as(workspace.session, model, SamplingSchedule::Mode, (count, workspace.seed), grey)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ink_is_counted_by_pixel_and_inversion_by_picture() {
        let mut levels = vec![0_u8; 2 * PIXELS];
        levels[PIXELS..PIXELS + 600].fill(200);
        levels[0] = 100;
        levels[PIXELS] = 251;
        let ink = Ink::of(&levels);
        assert_eq!(ink.inverted, 0.5);
        assert!((ink.grey - 600.0 / 1568.0).abs() < 1e-12, "{ink:?}");
        assert!((ink.bright - 600.0 / 1568.0).abs() < 1e-12 && (ink.black - 967.0 / 1568.0).abs() < 1e-12, "{ink:?}");
    }
}
