//! Annealed importance sampling: an estimate of log Z, with its error, from chains on the way from independent units to the model.

mod bennett;

use crate::chains::Chains;
use crate::error::within;
use crate::host::even_pieces;
use crate::linalg::dot;
use crate::math::{log_sum_exp, softplus, sum_softplus};
use crate::parity::Parity;
use crate::rng::{Purpose, Stream, Streams};
use crate::sweep::AnnealedDraw;
use crate::{Dbm, DbmError, Examples, Host};
pub use bennett::{LogRatio, bennett};
use std::ops::Range;

/// Chains a shard: enough for the batch products, few enough to keep every thread busy.
const SHARD: usize = 32;

/// How much work an estimate is.
///
/// ```
/// use dbm_core::ais::AisSettings;
/// assert!(AisSettings::default().check().is_ok());
/// assert!(AisSettings { chains: 1, ..AisSettings::default() }.check().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AisSettings {
    /// R: independent chains, over which the weights are averaged; at least 2, so that there is an error to tell.
    pub chains: usize,
    /// K: steps from the base model to the model, `beta_k = k / K`.
    pub betas: usize,
    /// Seed of the chains' streams.
    pub seed: u64,
}

impl Default for AisSettings {
    fn default() -> Self {
        Self { chains: 100, betas: 10_000, seed: 0 }
    }
}

impl AisSettings {
    /// Accepts settings that make sense.
    ///
    /// # Errors
    /// [`DbmError::Setting`] naming the first one out of its range.
    pub fn check(&self) -> Result<(), DbmError> {
        within("number of AIS chains", "2 to 100000", self.chains as f64, (2..=100_000).contains(&self.chains))?;
        within("number of AIS betas", "1 to 100000000", self.betas as f64, (1..=100_000_000).contains(&self.betas))
    }

    /// The chains in even shards of at most 32, which depend on nothing but their number.
    pub fn shards(&self) -> Vec<Range<usize>> {
        even_pieces(self.chains, SHARD)
    }
}

/// The model of independent units that the way begins at, `p_A(s)` proportional to `exp(sum_l a_l . s_l)`.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseDistribution {
    biases: Vec<Vec<f32>>,
    /// `log Z_A = sum_i low a_i + log(1 + exp(gap a_i))`.
    pub log_z: f64,
}

impl BaseDistribution {
    /// All biases zero: every state is as likely as every other.
    pub fn uniform(model: &Dbm) -> Self {
        Self::new(model, model.sizes().iter().map(|&size| vec![0.0; size]).collect())
    }

    /// Visible units as independent as they are often high in the data, `gap a = log((ones + 1) / (zeros + 1))` with the counts of the known
    /// bits alone; hidden biases zero. Nearer to a model trained on these data than the uniform one, so fewer betas do.
    ///
    /// # Errors
    /// [`DbmError::Shape`] where the data are not as wide as the visible layer.
    pub fn of_data(model: &Dbm, data: &Examples) -> Result<Self, DbmError> {
        let n = model.n_visible();
        data.check_width(n)?;
        let (mut ones, mut missing) = (vec![0_u32; n], vec![0_u32; n]);
        for row in 0..data.len() {
            ones.iter_mut().zip(data.row(row)).for_each(|(ones, bit)| *ones += u32::from(bit));
            if data.has_gaps() {
                missing.iter_mut().zip(data.known_row(row)).for_each(|(missing, known)| *missing += u32::from(!known));
            }
        }
        let mut biases: Vec<Vec<f32>> = model.sizes().iter().map(|&size| vec![0.0; size]).collect();
        for ((bias, &ones), &missing) in biases[0].iter_mut().zip(&ones).zip(&missing) {
            let (ones, zeros) = (f64::from(ones), data.len() as f64 - f64::from(ones) - f64::from(missing));
            *bias = (libm::log((ones + 1.0) / (zeros + 1.0)) / f64::from(model.units().gap())) as f32;
        }
        Ok(Self::new(model, biases))
    }

    /// This distribution as a model of that shape: its biases, and no weights.
    pub fn model(&self, like: &Dbm) -> Dbm {
        like.without_weights(self.biases.clone())
    }

    fn new(model: &Dbm, biases: Vec<Vec<f32>>) -> Self {
        let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
        let log_z = biases.iter().flatten().map(|&a| low * f64::from(a) + softplus(gap * f64::from(a))).sum();
        Self { biases, log_z }
    }
}

/// Some of the chains at work, to be advanced in slices. What a chain does depends on the seed and its own number alone.
///
/// The way leads through `p_beta(s)` proportional to `exp((1 - beta) sum_l a_l . s_l - beta E(s))`, from the [`BaseDistribution`] model at 0 to
/// the model at 1 (Neal 2001; Salakhutdinov and Murray 2008 for one hidden layer, Salakhutdinov and Hinton 2009 for two). A
/// chain holds one parity of layers, the one with fewer units; the other is summed out: with `p` the parity held,
///
/// `log p*_beta(s_p) = sum_{l in p} ((1 - beta) a_l + beta b_l) . s_l + sum_{l not in p} sum_j log sum_j(g_lj)`,
///
/// where `g_l = (1 - beta) a_l + beta field_l` and `log sum_j` is the log of the sum over one unit. A chain starts from `p_A`; for
/// each k its log weight grows by `log p*_{beta_{k+1}}(s_p) - log p*_{beta_k}(s_p)`, and then a blocked Gibbs transition (the
/// other parity given s_p, then s_p given the other) that leaves `p_{beta_{k+1}}` as it is moves it on. The mean of the weights is
/// an unbiased estimate of `Z / Z_A` for any number of betas.
pub struct Ais {
    base: BaseDistribution,
    held: Parity,
    /// K: betas in all.
    pub betas: usize,
    /// How many betas are done.
    pub done: usize,
    chains: Chains,
    streams: Vec<Stream>,
    /// Log weights as they stand, chain by chain; they mean something once all betas are done.
    pub log_weights: Vec<f64>,
    /// Fields of the layers summed out, at one beta.
    fields: Vec<f64>,
}

impl Ais {
    /// Chains of these numbers, at their starts.
    ///
    /// # Panics
    /// If the base is that of a model of another shape.
    pub fn new(model: &Dbm, base: &BaseDistribution, settings: &AisSettings, chains: Range<usize>) -> Self {
        assert!(base.biases.iter().map(Vec::len).eq(model.sizes().iter().copied()), "a base of the model's shape");
        let units = |parity: Parity| parity.layers(model.depth()).map(|l| model.sizes()[l]).sum::<usize>();
        let held = if units(Parity::Odd) < units(Parity::Even) { Parity::Odd } else { Parity::Even };
        let streams = Streams::new(settings.seed).of_chains(Purpose::Annealing, 0, chains.start as u64..chains.end as u64);
        let mut this = Self {
            base: base.clone(),
            held,
            betas: settings.betas,
            done: 0,
            chains: Chains::free(model, streams.len()),
            log_weights: vec![0.0; streams.len()],
            streams,
            fields: vec![],
        };
        this.draw(model, held, 0.0);
        this
    }

    /// Goes on by this many betas, or to the end.
    pub fn advance(&mut self, model: &Dbm, betas: usize) {
        let all = self.chains.all();
        for _ in 0..betas.min(self.betas - self.done) {
            let [from, to] = [self.done, self.done + 1].map(|k| k as f64 / self.betas as f64);
            self.chains.refresh(model, self.held.other(), &all);
            for c in 0..all.len() {
                self.log_weights[c] += self.step(model, c, from, to);
            }
            self.done += 1;
            // Where a chain would go after its last weight matters to nobody.
            if self.done < self.betas {
                self.draw(model, self.held.other(), to);
                self.draw(model, self.held, to);
            }
        }
    }

    /// Draws the layers of one parity from their distribution given the other, at one beta.
    fn draw(&mut self, model: &Dbm, parity: Parity, beta: f64) {
        let all = self.chains.all();
        let mut rule = AnnealedDraw::new(&mut self.streams, &self.base.biases, beta as f32);
        self.chains.half_sweep(model, parity, &all, &mut rule);
    }

    /// `log p*_to(s_p) - log p*_from(s_p)` of one chain.
    fn step(&mut self, model: &Dbm, c: usize, from: f64, to: f64) -> f64 {
        let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
        let Self { base, held, chains, fields, .. } = self;
        let biases = held.layers(model.depth()).map(|l| {
            let state = chains.layer(l).row(c);
            dot(&model.biases()[l], state) - dot(&base.biases[l], state)
        });
        let held_part = (to - from) * biases.sum::<f64>();
        let mut log_sums = |beta: f64| {
            fields.clear();
            for l in held.other().layers(model.depth()) {
                let field = chains.field(l, c).unwrap_or(&[]); // refreshed by the caller
                let both = base.biases[l].iter().zip(field);
                fields.extend(both.map(|(&a, &field)| gap * ((1.0 - beta) * f64::from(a) + beta * f64::from(field))));
            }
            low / gap * fields.iter().sum::<f64>() + sum_softplus(fields)
        };
        held_part + log_sums(to) - log_sums(from)
    }
}

/// What the chains say about log Z.
///
/// The estimate of Z is unbiased, and so that of log Z errs on the low side (Jensen), above all where the chains miss modes that hold
/// much of the mass: its standard error, taken from the same weights, then knows nothing of what was missed. Compare
/// several numbers of betas; and read a small effective sample size as a warning.
#[derive(Clone, Debug, PartialEq)]
pub struct AisEstimate {
    /// `log Z_A + log mean w`, in nats.
    pub log_z: f64,
    /// Standard error of `log_z` by the delta method, `deviation(w) / (sqrt(R) mean(w))`; infinite for fewer than two chains.
    pub standard_error: f64,
    /// `(sum w)^2 / sum w^2`, from 1, where one chain has all the weight, to R.
    pub effective_sample_size: f64,
    /// Log weights, chain by chain.
    pub log_weights: Vec<f64>,
}

impl AisEstimate {
    /// From the chains' log weights and the base model's log Z, without overflow.
    ///
    /// ```
    /// use dbm_core::ais::AisEstimate;
    /// let estimate = AisEstimate::from_log_weights(1.0, &[1000.0, 1000.0, 1000.0]);
    /// assert_eq!((estimate.log_z, estimate.standard_error, estimate.effective_sample_size), (1001.0, 0.0, 3.0));
    /// ```
    pub fn from_log_weights(log_z_base: f64, log_weights: &[f64]) -> Self {
        let n = log_weights.len() as f64;
        let log_mean = log_sum_exp(log_weights) - libm::log(n);
        // In units of their mean the weights neither overflow nor vanish.
        let weights: Vec<f64> = log_weights.iter().map(|w| libm::exp(w - log_mean)).collect();
        let [sum, squares] = [weights.iter().sum::<f64>(), weights.iter().map(|w| w * w).sum::<f64>()];
        Self {
            log_z: log_z_base + log_mean,
            standard_error: crate::math::mean_and_error(&weights).1,
            effective_sample_size: sum * sum / squares,
            log_weights: log_weights.to_vec(),
        }
    }
}

/// An estimate of log Z, all shards of chains through `host`.
///
/// ```
/// use dbm_core::ais::{AisSettings, BaseDistribution, estimate};
/// use dbm_core::{SingleThread, Units, exact, init};
/// let model = init::orthogonal(&[5, 4], Units::Signs, 1)?;
/// let settings = AisSettings { chains: 50, betas: 200, seed: 1 };
/// let estimate = estimate(&model, &BaseDistribution::uniform(&model), &settings, &SingleThread)?;
/// let exact = exact::expectation(&model, &[None; 5])?.log_sum;
/// assert!((estimate.log_z - exact).abs() < 4.0 * estimate.standard_error);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Errors
/// Those of [`AisSettings::check`]; [`DbmError::NotFinite`] where the parameters are so large that energies overflow.
///
/// # Panics
/// If the base is that of a model of another shape.
pub fn estimate(model: &Dbm, base: &BaseDistribution, settings: &AisSettings, host: &impl Host) -> Result<AisEstimate, DbmError> {
    settings.check()?;
    let weights = host.map(settings.shards(), |chains| {
        let mut ais = Ais::new(model, base, settings, chains);
        ais.advance(model, settings.betas);
        ais.log_weights
    });
    AisEstimate::from_log_weights(base.log_z, &weights.concat()).finite()
}

impl AisEstimate {
    /// The estimate, if it is a number.
    ///
    /// # Errors
    /// [`DbmError::NotFinite`] where the parameters are so large that energies overflow.
    pub fn finite(self) -> Result<Self, DbmError> {
        if self.log_weights.iter().all(|w| w.is_finite()) {
            Ok(self)
        } else {
            Err(DbmError::NotFinite { what: "the estimate of log Z".into() })
        }
    }
}
