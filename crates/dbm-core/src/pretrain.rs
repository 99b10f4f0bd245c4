//! Greedy layer-wise pretraining: a stack of RBMs, trained one after another, as the start of a deep model.

mod rbm;

use crate::error::within;
use crate::linalg::{Backend, Matrix};
use crate::rng::{Purpose, Stream, Streams};
use crate::settings::Setting;
use crate::{Clamp, Dbm, DbmError, Examples, SingleThread, Units, Visits, init};
pub use rbm::Rbm;
use serde::{Deserialize, Serialize};

/// Momentum of the ascent: the customary value for the beginning of training (Hinton 2012, section 9).
const MOMENTUM: f32 = 0.5;

/// Gibbs sweeps that draw the missing bits of an example, with the known ones clamped.
pub const GAP_SWEEPS: u32 = 5;

/// A run with larger parameters has diverged.
const LARGEST_PARAMETER: f32 = 1e6;

/// Settings of greedy pretraining, apart from sizes, units and data; not checked yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PretrainSettings {
    /// Minibatches for each RBM.
    pub steps: u64,
    /// Learning rate, as for bits. A model of signs is a model of bits with weights `gap^2 W` and biases `gap b` plus a sum of weights; in
    /// those, the gradient is smaller by factors of `gap^2` and `gap`. So that the same rate moves both kinds equally far, the weights of
    /// signs move by this over `gap^4` (a sixteenth of it) times their gradient, and the biases by this over `gap^2` (a quarter).
    pub learning_rate: f64,
    /// Examples, and so chains, per minibatch.
    pub batch: usize,
    /// Gibbs sweeps of contrastive divergence.
    pub k: u32,
    /// Standard deviation of the Gaussian initial weights.
    pub deviation: f64,
    /// Seed of every random stream of the run.
    pub seed: u64,
}

/// The customary values: CD-1 at a rate of 0.05 with minibatches of 100, from weights of deviation 0.01 (Hinton 2012). With 1000
/// minibatches per RBM, samples of a 784-500-500 model with either kind of unit show digits. Models of a few dozen units, whose fields sum
/// fewer weights, need a larger rate: 0.2 for images of 4 x 4.
impl Default for PretrainSettings {
    fn default() -> Self {
        Self { steps: 1000, learning_rate: 0.05, batch: 100, k: 1, deviation: 0.01, seed: 0 }
    }
}

impl PretrainSettings {
    /// Accepts settings that make sense.
    ///
    /// # Errors
    /// [`DbmError::Setting`], naming the first setting out of range.
    pub fn check(&self) -> Result<(), DbmError> {
        let deviation = self.deviation;
        Setting::PretrainingSteps.check(self.steps as f64)?;
        Setting::PretrainingRate.check(self.learning_rate)?;
        Setting::Batch.check(self.batch as f64)?;
        within("pretraining k", "1 to 1000", f64::from(self.k), (1..=1000).contains(&self.k))?;
        let expected = "a number above 0 and at most 1";
        within("pretraining deviation", expected, deviation, deviation > 0.0 && deviation <= 1.0)
    }
}

/// A pretraining run: RBM by RBM from the visible layer up, each by contrastive divergence (Salakhutdinov and Hinton 2009, section 3.1;
/// Hinton 2002), composed into one deep model.
///
/// **Each RBM** has the conditionals of [`Rbm`]. Its data are the examples for l = 0; for higher layers they are states drawn for each
/// minibatch from `P(h_1 | v)`, ..., `P(h_l | h_{l-1})` of the RBMs below. From data `lower_0` the chain draws
/// `upper_0, lower_1, upper_1, ..., lower_k`, and the gradients are means over the minibatch of
///
/// `W: lower_0 m_0^T - lower_k m_k^T`, `b: lower_0 - lower_k`, `c: m_0 - m_k`, with `m_t = E[upper | lower_t]`:
/// Conditional means replace the upper states at both ends; they have the same expectation and are less noisy. The copies of a doubled
/// layer share one draw, and their number is left out of the gradient, as is customary: it would only scale the rate.
///
/// **Gaps.** A missing bit of an example is latent: it starts uniformly at random, and [`GAP_SWEEPS`] Gibbs sweeps of the first RBM, with
/// the known bits clamped, draw it before the example serves as `lower_0` or is carried upwards. So few sweeps bias it towards its start,
/// which matters little to contrastive divergence, biased as it is; later training has no such bias.
///
/// **The composed model** takes each `W_l` as its RBM learned it, undoubled. The bias of a layer that belongs to two RBMs is half the sum
/// of the biases they learned. So the field of such a layer, `b_l + W_{l-1}^T s_{l-1} + W_l s_{l+1}`, is the mean of the fields
/// `c + 2 W_{l-1}^T s_{l-1}` and `b + 2 W_l s_{l+1}` in its two RBMs: what was counted twice from one side is counted once from both. The
/// visible and the top layer, which have one neighbour only, keep the field of their RBM.
///
/// Before the first step the composed model is [`init::gaussian`]. An RBM begins with the bias its lower layer already has.
///
/// ```
/// use dbm_core::{Examples, Units};
/// use dbm_core::pretrain::{PretrainSettings, Pretrainer};
/// let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1])?;
/// let settings = PretrainSettings { steps: 10, ..PretrainSettings::default() };
/// let mut run = Pretrainer::new(&[4, 6, 3], Units::Signs, settings)?;
/// while !run.is_done() {
///     run.step(&data)?;
/// }
/// assert_eq!((run.steps_done(), run.model().sizes()), (20, &[4, 6, 3][..]));
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pretrainer {
    settings: PretrainSettings,
    /// The model composed so far; the only place where weights are stored.
    model: Dbm,
    /// `b` of each RBM.
    lower_biases: Vec<Vec<f32>>,
    /// `c` of each RBM.
    upper_biases: Vec<Vec<f32>>,
    velocity: Tensors,
    step: u64,
    visits: Visits,
    reconstruction_error: Option<f64>,
}

/// One value for each parameter of the RBM in training: those of `W`, `b` and `c`.
type Tensors = [Vec<f32>; 3];

impl Pretrainer {
    /// A run at step 0.
    ///
    /// # Errors
    /// Those of [`PretrainSettings::check`] and [`crate::check_sizes`].
    pub fn new(sizes: &[usize], units: Units, settings: PretrainSettings) -> Result<Self, DbmError> {
        settings.check()?;
        let model = init::gaussian(sizes, units, settings.deviation, settings.seed)?;
        Ok(Self {
            lower_biases: model.biases()[..model.depth()].to_vec(),
            upper_biases: model.biases()[1..].to_vec(),
            velocity: zeros(&model, 0),
            // Another order than that of a [`crate::Trainer`] with the same seed.
            visits: Visits::new(Streams::new(settings.seed), 1),
            settings,
            model,
            step: 0,
            reconstruction_error: None,
        })
    }

    /// The same run with other kernels.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.model = self.model.with_backend(backend);
        self
    }

    /// The settings of the run.
    pub fn settings(&self) -> &PretrainSettings {
        &self.settings
    }

    /// The RBM that the next step trains, 0 being the one on the visible layer; the last one when all are done.
    pub fn layer(&self) -> usize {
        (self.step / self.settings.steps).min(self.model.depth() as u64 - 1) as usize
    }

    /// Steps taken, over all RBMs.
    pub fn steps_done(&self) -> u64 {
        self.step
    }

    /// Steps of the full run, over all RBMs.
    pub fn steps_total(&self) -> u64 {
        self.settings.steps * self.model.depth() as u64
    }

    /// Whether every RBM has had its steps.
    pub fn is_done(&self) -> bool {
        self.step >= self.steps_total()
    }

    /// For the last minibatch, the mean over examples and units of `(bit - P(bit high | upper_0))^2`, in `0.0..=1.0`, where `bit` is a
    /// lower unit of the data as 0 or 1; missing units are left out. None before the first step. Each RBM has its own data, and so its own
    /// errors.
    pub fn reconstruction_error(&self) -> Option<f64> {
        self.reconstruction_error
    }

    /// The model composed so far.
    pub fn model(&self) -> Dbm {
        self.model.clone()
    }

    /// The model composed so far, without a copy.
    pub fn into_model(self) -> Dbm {
        self.model
    }

    /// The RBM between layers `layer` and `layer + 1` as trained so far, or None if there is no such layer.
    pub fn rbm(&self, layer: usize) -> Option<Rbm<'_>> {
        (layer < self.model.depth()).then(|| self.part(layer))
    }

    fn part(&self, layer: usize) -> Rbm<'_> {
        let counted = |twice| if twice { 2.0 } else { 1.0 };
        Rbm {
            units: self.model.units(),
            backend: self.model.backend(),
            weight: &self.model.weights()[layer],
            transposed: &self.model.transposed()[layer],
            lower_bias: &self.lower_biases[layer],
            upper_bias: &self.upper_biases[layer],
            up: counted(layer + 1 < self.model.depth()),
            down: counted(layer > 0),
        }
    }

    /// Trains the present RBM on one minibatch; after its last one, continues with the next RBM. Does nothing when all are done.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if the data are not as wide as the visible layer; [`DbmError::Diverged`] if a parameter would become infinite,
    /// NaN or too large. Either leaves the run as it was.
    pub fn step(&mut self, data: &Examples) -> Result<(), DbmError> {
        let n = self.model.n_visible();
        data.check_width(n)?;
        if self.is_done() {
            return Ok(());
        }
        let layer = self.layer();
        let streams = Streams::new(self.settings.seed);
        let mut chains = streams.of_chains(Purpose::Pretraining, self.step, 0..self.settings.batch as u64);
        let visits = self.visits.of(data.len(), (self.step, self.settings.batch), 0..chains.len());
        let mut lower = Matrix::zeros(chains.len(), n);
        for (row, &visit) in visits.iter().enumerate() {
            self.visits.write(data, visit, self.model.units(), lower.row_mut(row));
        }
        let clamp = data.clamp(&visits.iter().map(|visit| visit.example).collect::<Vec<_>>());
        if clamp != Clamp::Visible {
            fill_gaps(&self.part(0), &mut lower, &clamp, &mut chains)?;
        }
        // Above the visible layer nothing is missing.
        let clamp = if layer == 0 { clamp } else { Clamp::Visible };
        for below in 0..layer {
            let rbm = self.part(below);
            lower = rbm.draw(&rbm.upper_fields(&lower)?, &mut chains)?;
        }
        let (gradient, error) = contrastive_divergence(&self.part(layer), &lower, &clamp, self.settings.k, &mut chains)?;
        self.ascend(layer, gradient)?;
        self.reconstruction_error = Some(error);
        self.step += 1;
        if self.layer() > layer {
            self.lower_biases[layer + 1].clone_from(&self.upper_biases[layer]);
            self.velocity = zeros(&self.model, layer + 1);
        }
        Ok(())
    }

    /// Moves the parameters of the present RBM along the gradient, with momentum, and updates the composed model.
    fn ascend(&mut self, layer: usize, gradient: Tensors) -> Result<(), DbmError> {
        let (rate, gap) = (self.settings.learning_rate as f32, self.model.units().gap());
        let bias_rate = rate / (gap * gap);
        let rates = [bias_rate / (gap * gap), bias_rate, bias_rate];
        let mut velocity = gradient;
        for (new, old) in velocity.iter_mut().zip(&self.velocity) {
            new.iter_mut().zip(old).for_each(|(g, u)| *g += MOMENTUM * u);
        }
        let rbm = self.part(layer);
        let bounded = |((values, velocity), rate): ((&[f32], &Vec<f32>), f32)| {
            // A comparison with NaN is false.
            values.iter().zip(velocity).all(|(x, u)| (x + rate * u).abs() <= LARGEST_PARAMETER)
        };
        if ![rbm.weight.data(), rbm.lower_bias, rbm.upper_bias].into_iter().zip(&velocity).zip(rates).all(bounded) {
            return Err(DbmError::Diverged { step: self.step });
        }
        let moved = |values: &mut [f32], velocity: &[f32], rate: f32| {
            values.iter_mut().zip(velocity).for_each(|(x, u)| *x += rate * u);
        };
        moved(&mut self.lower_biases[layer], &velocity[1], rates[1]);
        moved(&mut self.upper_biases[layer], &velocity[2], rates[2]);
        let (lower_biases, upper_biases) = (&self.lower_biases, &self.upper_biases);
        let (weights, biases) = self.model.parameters_mut();
        moved(weights[layer].data_mut(), &velocity[0], rates[0]);
        // The next RBM, if there is one, has not learned anything yet.
        biases[layer + 1].clone_from(&upper_biases[layer]);
        biases[layer].clone_from(&lower_biases[layer]);
        if layer > 0 {
            biases[layer].iter_mut().zip(&upper_biases[layer - 1]).for_each(|(b, c)| *b = 0.5 * (*b + c));
        }
        self.model.transpose(&SingleThread);
        self.velocity = velocity;
        Ok(())
    }
}

fn zeros(model: &Dbm, layer: usize) -> Tensors {
    let (rows, columns) = (model.sizes()[layer], model.sizes()[layer + 1]);
    [vec![0.0; rows * columns], vec![0.0; rows], vec![0.0; columns]]
}

/// Draws the missing units of the rows that have any, each from its own stream; clamped units do not change.
#[inline(never)]
fn fill_gaps(rbm: &Rbm, lower: &mut Matrix, clamp: &Clamp, streams: &mut [Stream]) -> Result<(), DbmError> {
    let n = lower.columns();
    let rows: Vec<usize> = (0..lower.rows()).filter(|&row| (0..n).any(|unit| !clamp.holds(row * n + unit))).collect();
    let mut states = Matrix::zeros(rows.len(), n);
    let mut own: Vec<Stream> = rows.iter().map(|&row| streams[row].clone()).collect();
    let place = |row: usize, lower: &mut [f32], drawn: &[f32]| {
        let missing = (0..n).filter(|unit| !clamp.holds(row * n + unit));
        missing.for_each(|unit| lower[unit] = drawn[unit]);
    };
    let mut drawn = vec![0.0; n];
    for (at, &row) in rows.iter().enumerate() {
        states.row_mut(at).copy_from_slice(lower.row(row));
        own[at].fill_coins(rbm.units.low(), rbm.units.high(), &mut drawn);
        place(row, states.row_mut(at), &drawn);
    }
    for _ in 0..GAP_SWEEPS {
        let upper = rbm.draw(&rbm.upper_fields(&states)?, &mut own)?;
        let all = rbm.draw(&rbm.lower_fields(&upper)?, &mut own)?;
        rows.iter().enumerate().for_each(|(at, &row)| place(row, states.row_mut(at), all.row(at)));
    }
    for (at, (&row, stream)) in rows.iter().zip(own).enumerate() {
        lower.row_mut(row).copy_from_slice(states.row(at));
        streams[row] = stream;
    }
    Ok(())
}

/// The gradient of CD-k on these data, and the error of the first reconstruction over the clamped units.
fn contrastive_divergence(
    rbm: &Rbm,
    data: &Matrix,
    clamp: &Clamp,
    k: u32,
    streams: &mut [Stream],
) -> Result<(Tensors, f64), DbmError> {
    let mut fields = rbm.upper_fields(data)?;
    let first = rbm.means(&fields);
    let mut lower = data.clone();
    let mut error = 0.0;
    for sweep in 0..k {
        let upper = rbm.draw(&fields, streams)?;
        let lower_fields = rbm.lower_fields(&upper)?;
        if sweep == 0 {
            error = squared_error(rbm, data, clamp, &rbm.means(&lower_fields));
        }
        lower = rbm.draw(&lower_fields, streams)?;
        fields = rbm.upper_fields(&lower)?;
    }
    let last = rbm.means(&fields);
    let alpha = 1.0 / data.rows() as f32;
    let mut weight = vec![0.0; rbm.weight.data().len()];
    rbm.backend.add_outer_products(&mut weight, alpha, data, 0, &first);
    rbm.backend.add_outer_products(&mut weight, -alpha, &lower, 0, &last);
    Ok(([weight, mean_difference(data, &lower), mean_difference(&first, &last)], error))
}

/// The mean over rows of `a - b`.
fn mean_difference(a: &Matrix, b: &Matrix) -> Vec<f32> {
    let mut sums = vec![0.0; a.columns()];
    for (a, b) in a.data().chunks_exact(a.columns()).zip(b.data().chunks_exact(b.columns())) {
        sums.iter_mut().zip(a).zip(b).for_each(|((sum, a), b)| *sum += a - b);
    }
    sums.iter_mut().for_each(|sum| *sum /= a.rows() as f32);
    sums
}

/// The mean of `((states - means) / gap)^2` over the clamped units; 0 if there are none.
fn squared_error(rbm: &Rbm, states: &Matrix, clamp: &Clamp, means: &Matrix) -> f64 {
    let gap = f64::from(rbm.units.gap());
    let (mut sum, mut count) = (0.0, 0_usize);
    for (_, (&s, &m)) in states.data().iter().zip(means.data()).enumerate().filter(|(place, _)| clamp.holds(*place)) {
        sum += ((f64::from(s) - f64::from(m)) / gap).powi(2);
        count += 1;
    }
    sum / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact;

    /// 20 000 rows, seed 4, 4.5 standard errors for 2 x 3 means (alpha = 4e-5). In so weak a model, five sweeps suffice to forget the
    /// start.
    #[test]
    fn gaps_are_drawn_given_what_is_known() {
        for units in [Units::Signs, Units::Bits] {
            let settings =
                PretrainSettings { deviation: if units == Units::Signs { 0.25 } else { 0.8 }, ..PretrainSettings::default() };
            let mut run = Pretrainer::new(&[5, 4], units, settings).unwrap();
            run.lower_biases[0] = vec![0.3, -0.4, 0.2, 0.5, -0.3];
            let weights = vec![run.model.weights()[0].data().to_vec()];
            let biases = vec![run.lower_biases[0].clone(), run.upper_biases[0].clone()];
            let model = Dbm::new(units, weights, biases).unwrap();
            let visible = [Some(true), None, None, Some(false), None];
            let exact = &exact::marginals(&model, &visible).unwrap()[0];
            let n = 20_000;
            let values = visible.map(|bit| units.value(bit.unwrap_or(true)));
            // A row without gaps between rows that have some.
            let (mut lower, mut known) = (Matrix::from_vec(n, 5, values.repeat(n)), visible.map(|bit| bit.is_some()).repeat(n));
            known[5..10].fill(true);
            let mut streams = Streams::new(4).of_chains(Purpose::Pretraining, 0, 0..n as u64);
            let untouched = streams[1].clone();
            fill_gaps(&run.part(0), &mut lower, &Clamp::Known(known), &mut streams).unwrap();
            assert_eq!((lower.row(1), &streams[1]), (&values[..], &untouched));
            for (unit, (bit, exact)) in visible.iter().zip(exact).enumerate() {
                let highs = (2..n).filter(|&row| lower.row(row)[unit] == units.high()).count() as f64;
                let apart = (highs / (n - 2) as f64 - exact).abs();
                let error = (exact * (1.0 - exact) / (n - 2) as f64).sqrt();
                assert!(apart <= 4.5 * error, "{units:?} unit {unit} {bit:?}: {apart:.4} apart, standard error {error:.4}");
            }
        }
    }

    #[test]
    fn a_run_beyond_all_bounds_is_refused_and_stays_as_it_was() {
        let data = Examples::from_bits(3, &[1, 0, 1, 0, 1, 1]).unwrap();
        for place in 0..2 {
            let mut run = Pretrainer::new(&[3, 2], Units::Bits, PretrainSettings::default()).unwrap();
            run.step(&data).unwrap();
            let far = [&mut run.lower_biases, &mut run.upper_biases];
            far.into_iter().nth(place).unwrap()[0][1] = [2.0 * LARGEST_PARAMETER, f32::NAN][place];
            let before = run.model();
            assert_eq!(run.step(&data), Err(DbmError::Diverged { step: 1 }));
            assert_eq!((run.model(), run.steps_done()), (before, 1));
        }
    }
}
