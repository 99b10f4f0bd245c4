//! A run on a GPU: the same steps as those of [`Trainer`], with other draws.
//!
//! The order of the data is the core's. All other draws come from Philox, whose key is drawn from the core's stream of seed, phase and
//! step. A coupling's uniforms, and its proposals after the first, come from the core's stream of their chain. Each chain draws its own
//! first proposal. If it is accepted, which never happens in wide models, the parameters are read back and the core continues the pair
//! until it meets.

use crate::counted::Counted;
use crate::ladder::GpuLadder;
use crate::optimizer::GradientTerm;
use crate::particles::{Points, SmcContext};
use crate::{Draws, Gpu, GpuChains, GpuError, GpuModel, GpuOptimizer, philox};
use dbm_core::chains::Chains;
use dbm_core::coupling::{Acceptance, MetropolisCoupling, SharedUniform, StateWithEnergy, meet};
use dbm_core::gradient::{EstimatorKind, EstimatorSettings, Info, Phase, PhaseInfo, SmcPath};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Stream, Streams};
use dbm_core::tempering::{Change, Exchanges, GROW_BELOW, Ladder, LadderDepth, RunCoupling, Temperatures};
use dbm_core::{Clamp, Dbm, DbmError, Examples, LadderStatus, Parity, Settings, Snapshot, Trainer, Units, Visits};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// Sweeps of a search between two checks for completion.
const SWEEPS_A_LOOK: u32 = 8;

/// The purposes of draws with one key.
#[derive(Clone, Copy)]
enum DrawPurpose {
    Start,
    Gibbs,
    Proposal,
    Order,
}

/// A run being trained on a GPU, by `ucd-lmi`, `lmi`, `cd`, `pcd-gibbs`, `ptt` or `ucd-smc`.
pub struct GpuTrainer {
    gpu: Gpu,
    units: Units,
    settings: Settings,
    step: u64,
    visits: Visits,
    model: GpuModel,
    optimizer: GpuOptimizer,
    /// Chains of the positive phase, with clamped visible layers, and of the negative phase, which are free.
    chains: [GpuChains; 2],
    /// Proposals, with the same clamps.
    proposals: [GpuChains; 2],
    /// Whether the persistent chains have begun.
    has_begun: bool,
    /// For `ptt` and `ucd-smc`, from the first step on.
    ladder: Option<GpuLadder>,
    climb: Option<LadderStatus>,
    /// For `ucd-smc`: room for the models between independent units and the model.
    between: Option<GpuModel>,
}

const PHASES: [(Phase, f32, Clamp); 2] = [(Phase::Positive, 1.0, Clamp::Visible), (Phase::Negative, -1.0, Clamp::Free)];

/// Number of batches of chains: those of both phases, and their proposals.
pub(crate) const BATCHES: usize = 4;
/// How many of them belong to the positive phase.
pub(crate) const CLAMPED: usize = 2;
/// As many free chains as the core has in a shard share a pair of coupled runs.
const OF_A_PAIR: usize = 32;
/// Runs with clamped units have this share of the particles and steps of free ones, as in the core.
const CLAMPED_SHARE: u32 = 10;

/// Maximum number of states that enter a gradient in one part.
pub(crate) fn most_of_a_part(settings: &Settings) -> usize {
    let of_run = if settings.estimator.kind == EstimatorKind::UcdSmc { settings.estimator.particles as usize } else { 0 };
    settings.batch.max(of_run)
}

impl GpuTrainer {
    /// A run in its present state, on this device.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if only the core can train it so far, and [`GpuError::TooLarge`].
    pub fn new(gpu: Gpu, run: &Trainer) -> Result<Self, GpuError> {
        let (view, settings) = (run.view(), run.settings().clone());
        let kinds = [
            EstimatorKind::UcdLmi,
            EstimatorKind::Lmi,
            EstimatorKind::Cd,
            EstimatorKind::PcdGibbs,
            EstimatorKind::Ptt,
            EstimatorKind::UcdSmc,
        ];
        let refused = [
            (!kinds.contains(&settings.estimator.kind), "this estimator"),
            (settings.conditional > 0.0, "a conditional share"),
            (settings.classes > 0, "labels"),
            (settings.average.is_some(), "averaged weights"),
            (settings.estimator.centering.is_some(), "centering"),
            (settings.local.is_some(), "local fields"),
        ];
        if let Some((_, what)) = refused.into_iter().find(|(refused, _)| *refused) {
            return Err(GpuError::Unsupported(what));
        }
        let (model, batch) = (GpuModel::new(&gpu, run.model())?, settings.batch);
        let optimizer = GpuOptimizer::new(&gpu, &model, settings.optimizer.clone(), most_of_a_part(&settings))?;
        optimizer.write(&gpu, &view.optimizer_state);
        let rest = |clamp| GpuChains::at_rest(&gpu, &model, batch, clamp);
        let persistent = view.persistent.as_ref().map(|layers| -> Vec<Matrix> {
            let layers = layers.iter().zip(model.sizes().iter().cycle());
            layers.map(|(values, &n)| Matrix::from_vec(batch, n, values.to_vec())).collect()
        });
        // Those of the model come last.
        let negative = match &persistent {
            Some(layers) => GpuChains::new(&gpu, &model, &layers[layers.len() - model.sizes().len()..], &Clamp::Free)?,
            None => rest(Clamp::Free)?,
        };
        let ladder = run.ladder().map(|ladder| GpuLadder::new(&gpu, ladder.clone(), batch, persistent.as_deref())).transpose()?;
        Ok(Self {
            units: view.units,
            step: view.step,
            visits: Visits::new(Streams::new(settings.seed), 0),
            chains: [rest(Clamp::Visible)?, negative],
            proposals: [rest(Clamp::Visible)?, rest(Clamp::Free)?],
            has_begun: view.persistent.is_some(),
            ladder,
            climb: None,
            between: None,
            gpu,
            settings,
            model,
            optimizer,
        })
    }

    /// Gradient steps taken.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// The state of its ladder, after a step by `ptt`.
    pub fn climb(&self) -> Option<LadderStatus> {
        self.climb
    }

    /// Everything that the run needs to continue, here or by [`Trainer::restore`].
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub async fn snapshot(&self) -> Result<Snapshot, GpuError> {
        let mut persistent = None;
        if self.has_begun {
            let mut layers = Vec::new();
            for chains in self.ladder.iter().flat_map(GpuLadder::chains).chain([&self.chains[1]]) {
                layers.extend(self.states(chains).await?.iter().map(|layer| layer.data().to_vec()));
            }
            persistent = Some(layers);
        }
        Ok(Snapshot {
            units: self.units,
            settings: self.settings.clone(),
            step: self.step,
            parameters: self.model.parameters(&self.gpu).await?,
            optimizer_state: self.optimizer.moments(&self.gpu).await?,
            average: None,
            persistent,
            ladder: self.ladder.as_ref().map(|kept| kept.ladder.view().to_owned()),
            offsets: None,
        })
    }

    async fn states(&self, chains: &GpuChains) -> Result<Vec<Matrix>, GpuError> {
        let mut layers = Vec::new();
        for l in 0..=self.model.depth() {
            layers.push(chains.states(&self.gpu, &self.model, l).await?);
        }
        Ok(layers)
    }

    /// One gradient step. Returns what happened in it, and what `shown` of its free chains look like.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] for data with gaps, categories or scales; [`GpuError::Run`] for data whose width differs from the visible layer's, and if
    /// energies are no longer finite; [`GpuError::Failed`].
    pub async fn step(&mut self, data: &Examples, shown: usize) -> Result<Info, GpuError> {
        data.check_width(self.model.sizes[0])?;
        if data.has_gaps() {
            return Err(GpuError::Unsupported("data with gaps"));
        }
        if !data.groups().is_empty() {
            return Err(GpuError::Unsupported("data with categories or scales"));
        }
        let (batch, marginalize) = (self.settings.batch, self.settings.marginalize);
        let visits = self.visits.of(data.len(), (self.step, batch), 0..batch);
        let mut visible = Matrix::zeros(batch, self.model.sizes[0]);
        visits.iter().enumerate().for_each(|(row, &visit)| self.visits.write(data, visit, self.units, visible.row_mut(row)));
        self.chains[0].place_visible(&self.gpu, &visible);
        self.proposals[0].place_visible(&self.gpu, &visible);

        // With one hidden layer, the posterior's units are independent.
        let exact = self.model.depth() == 1;
        let kind = self.settings.estimator.kind;
        let by_modes = matches!(kind, EstimatorKind::UcdLmi | EstimatorKind::Lmi);
        let by_runs = kind == EstimatorKind::UcdSmc;
        let started = self.gpu.multiply_adds();
        let mut positive = match kind {
            _ if exact => self.short_positive().await?,
            EstimatorKind::UcdSmc => self.runs_of_examples(&visible).await?,
            _ if by_modes => self.local_mode(0).await?,
            _ => self.short_positive().await?,
        };
        positive.0.work.products = self.gpu.multiply_adds() - started;
        if kind == EstimatorKind::Cd {
            let [positive, negative] = &mut self.chains;
            negative.copy_states(&self.gpu, positive);
        } else if kind == EstimatorKind::PcdGibbs && !self.has_begun {
            let start = self.draws(1, DrawPurpose::Start);
            self.chains[1].randomize(&self.gpu, &self.model, start)?;
            self.has_begun = true;
        } else if by_runs || kind == EstimatorKind::Ptt {
            self.begin_ladder(data).await?;
        }
        if exact && marginalize {
            self.chains[0].keep_means(&self.gpu, 1);
        }
        let started = self.gpu.multiply_adds();
        let mut negative = match kind {
            EstimatorKind::Ptt => self.tempered_negative().await?,
            EstimatorKind::UcdSmc => self.free_runs().await?,
            _ if by_modes => self.local_mode(1).await?,
            _ => self.short_negative().await?,
        };
        negative.0.work.products = self.gpu.multiply_adds() - started;
        let phases = [positive, negative];
        if phases.iter().any(|(info, _)| !info.energy_sum.is_finite()) {
            return Err(DbmError::Diverged { step: self.step }.into());
        }

        let (changes, rate) = self.follow(&phases[1].0).await?;
        let share = 1.0 / batch as f32;
        let mut besides = Vec::new();
        for ((_, counted), (_, sign, clamp)) in phases.iter().zip(PHASES) {
            let (all, most): (Vec<usize>, usize) = ((0..counted.times.len()).collect(), most_of_a_part(&self.settings));
            for (rows, times) in all.chunks(most).zip(counted.times.chunks(most)) {
                let layers: Vec<Matrix> = counted.layers.iter().map(|layer| layer.select(rows)).collect();
                let mut chains = GpuChains::new(&self.gpu, &self.model, &layers, &clamp)?;
                chains.settle(&self.gpu, &self.model);
                let times = chains.times(&self.gpu, &self.model, times)?;
                besides.push((chains, times, sign * share));
            }
        }
        // If runs are the states of the coupled chains, only they enter the estimate.
        let of_phases =
            self.chains.iter().zip(PHASES).filter(|(_, (phase, ..))| !by_runs || (exact && *phase == Phase::Positive));
        let of_phases = of_phases.map(|(chains, (phase, sign, _))| {
            let marginalize = marginalize && !(exact && phase == Phase::Positive);
            GradientTerm { chains, times: None, weight: sign * share, marginalize }
        });
        let besides = besides.iter().map(|(chains, times, weight)| GradientTerm {
            chains,
            times: Some(times),
            weight: *weight,
            marginalize,
        });
        let parts: Vec<GradientTerm> = of_phases.chain(besides).collect();
        self.optimizer.ascend(&self.gpu, &mut self.model, &parts, (self.step, rate));
        if let Some(ladder) = &mut self.ladder {
            ladder.change(&self.gpu, (&mut self.model, &mut self.chains[1]), &changes)?;
        }
        self.gpu.check()?;
        self.step += 1;
        let [(positive, _), (mut negative, _)] = phases;
        negative.visible = self.chains[1].likelier_visible(&self.gpu, &self.model, shown).await?;
        Ok(Info { positive, negative })
    }

    /// The draws' key for a phase, by its number, of the present step.
    fn draws(&self, phase: usize, stage: DrawPurpose) -> Draws {
        draws(self.settings.seed, (PHASES[phase].0, self.step), 0, stage)
    }

    /// The parity that each chain updates first, by a fair coin: the first coin for a search, the second for the Gibbs sweeps after it.
    fn first(&self, phase: usize, coin: usize) -> Vec<Parity> {
        let draws = self.draws(phase, DrawPurpose::Order);
        let word = |chain: u32| philox(draws.counter(0, chain, 0, 0), draws.key)[coin];
        (0..self.settings.batch as u32).map(|chain| Parity::first(word(chain) >> 31 == 1)).collect()
    }

    /// The positive phase of CD, and of all estimators if the posterior's units are independent.
    async fn short_positive(&mut self) -> Result<(PhaseInfo, Counted), GpuError> {
        let (start, gibbs) = (self.draws(0, DrawPurpose::Start), self.draws(0, DrawPurpose::Gibbs));
        let first = vec![Parity::Odd; self.settings.batch];
        let sweeps = if self.model.depth() == 1 { 1 } else { self.settings.estimator.k };
        self.chains[0].randomize(&self.gpu, &self.model, start)?;
        self.chains[0].gibbs(&self.gpu, &self.model, &first, sweeps, gibbs)?;
        Ok((self.end(0).await?.0, Counted::default()))
    }

    /// The negative phase of CD and PCD, continuing from the chains' present states.
    async fn short_negative(&mut self) -> Result<(PhaseInfo, Counted), GpuError> {
        let gibbs = self.draws(1, DrawPurpose::Gibbs);
        let first = vec![Parity::Even; self.settings.batch];
        self.chains[1].gibbs(&self.gpu, &self.model, &first, self.settings.estimator.k, gibbs)?;
        Ok((self.end(1).await?.0, Counted::default()))
    }

    /// The negative phase of PTT: a round of its ladder.
    async fn tempered_negative(&mut self) -> Result<(PhaseInfo, Counted), GpuError> {
        let EstimatorSettings { k, ladder_every, .. } = self.settings.estimator;
        let mut streams = self.streams(1, self.settings.batch);
        let draws = self.rung_draws(DrawPurpose::Gibbs);
        let mut exchanges = Exchanges::default();
        if let Some(ladder) = &mut self.ladder {
            let top = (&self.model, &mut self.chains[1]);
            exchanges = ladder.round(&self.gpu, top, (LadderDepth::at(self.step, ladder_every), k), draws, &mut streams).await?;
        }
        Ok((PhaseInfo { exchanges, ..self.end(1).await?.0 }, Counted::default()))
    }

    /// Creates the ladder if there is none yet, and starts the chains on it if they have not started.
    async fn begin_ladder(&mut self, data: &Examples) -> Result<(), GpuError> {
        let mut ladder = match self.ladder.take() {
            Some(ladder) => ladder,
            None => GpuLadder::new(&self.gpu, Ladder::of_data(&self.on_core().await?, data)?, self.settings.batch, None)?,
        };
        if !self.has_begun && self.settings.estimator.kind == EstimatorKind::Ptt {
            let (start, gibbs) = (self.rung_draws(DrawPurpose::Start), self.rung_draws(DrawPurpose::Order));
            ladder.start(&self.gpu, (&self.model, &mut self.chains[1]), |rung| [start(rung), gibbs(rung)])?;
            self.has_begun = true;
        }
        self.ladder = Some(ladder);
        Ok(())
    }

    /// Adapts the ladder, if there is one, to the outcome of a step's exchanges. Returns its changes, still to be made on the device, and
    /// the fraction of the rate for the step.
    async fn follow(&mut self, negative: &PhaseInfo) -> Result<(Vec<Change>, f64), GpuError> {
        let Some(kept) = &mut self.ladder else { return Ok((Vec::new(), 1.0)) };
        let EstimatorSettings { kind, path, smc_steps, .. } = self.settings.estimator;
        let by_runs = kind == EstimatorKind::UcdSmc;
        if by_runs && path == SmcPath::Temperatures {
            kept.ladder.follow_temperatures(smc_steps, &negative.spread);
            self.climb = Some(LadderStatus { rungs: kept.ladder.rungs().len(), taken: true, rate: kept.ladder.rate });
            return Ok((Vec::new(), kept.ladder.rate));
        }
        // The model is only checked if it has moved far from the last rung.
        let nearest = if by_runs { negative.spread.means().last() } else { negative.exchanges.rates().next_back() };
        let is_far = nearest.is_some_and(|share| share < GROW_BELOW);
        let last = kept.ladder.rungs().last().cloned();
        let model = if is_far { Some(Arc::new(self.on_core().await?)) } else { last };
        let (Some(kept), Some(model)) = (&mut self.ladder, model) else { return Ok((Vec::new(), 1.0)) };
        let changes = if by_runs {
            kept.ladder.follow_particles(&negative.spread, self.step, &model)?
        } else {
            kept.ladder.follow_exchanges(&negative.exchanges, &model)?
        };
        let climb =
            LadderStatus { rungs: kept.ladder.rungs().len(), taken: !changes.contains(&Change::Undone), rate: kept.ladder.rate };
        self.climb = Some(climb);
        Ok((changes, if climb.taken { climb.rate } else { 0.0 }))
    }

    /// The model, read back from the device.
    async fn on_core(&self) -> Result<Dbm, GpuError> {
        let parameters = self.model.parameters(&self.gpu).await?;
        Ok(Dbm::new(self.units, parameters.weights, parameters.biases)?)
    }

    /// The draws' keys for the rungs of a ladder, by number, in the negative phase of the present step.
    fn rung_draws(&self, stage: DrawPurpose) -> impl Fn(usize) -> Draws + use<> {
        let (seed, step) = (self.settings.seed, self.step);
        move |rung| draws(seed, (PHASES[1].0, step), 1 + rung as u64, stage)
    }

    /// The positive phase of UCD-SMC: a pair of coupled chains for each example, with fewer particles and shorter runs than the free ones.
    async fn runs_of_examples(&mut self, visible: &Matrix) -> Result<(PhaseInfo, Counted), GpuError> {
        let EstimatorSettings { particles, smc_steps, .. } = self.settings.estimator;
        let fewer = |of: u32| (of / CLAMPED_SHARE).max(2);
        let points = Points::Temperatures(Temperatures::equal(fewer(smc_steps)).betas().to_vec());
        let counts = vec![1.0; visible.rows()];
        let mut between = self.take_between()?;
        let draws = self.part_draws(0);
        let way = SmcContext {
            gpu: &self.gpu,
            model: &self.model,
            base: &self.model.biases,
            points,
            held: Parity::Even,
            clamp: Clamp::Visible,
            particles: fewer(particles) as usize,
            coupling: self.run_coupling(),
            draws: &draws,
            drawn: Cell::new(0),
        };
        let (mut info, mut streams) = (PhaseInfo::default(), self.streams(0, visible.rows()));
        let (counted, _) = way.couple(&mut between, (visible, &counts), &mut streams, &mut info).await?;
        self.between = Some(between);
        Ok((info, counted))
    }

    /// The negative phase of UCD-SMC: pairs of coupled chains, each of which represents several free chains of the batch.
    async fn free_runs(&mut self) -> Result<(PhaseInfo, Counted), GpuError> {
        let EstimatorSettings { particles, smc_steps, path, .. } = self.settings.estimator;
        let (batch, n) = (self.settings.batch, self.model.sizes[0]);
        let counts: Vec<f64> = (0..batch).step_by(OF_A_PAIR).map(|first| (batch - first).min(OF_A_PAIR) as f64).collect();
        let mut between = self.take_between()?;
        let draws = self.part_draws(1);
        let (mut info, mut counted, mut starts) = (PhaseInfo::default(), Counted::default(), Vec::new());
        if let Some(kept) = &self.ladder
            && let Some(base) = kept.rungs().next()
        {
            let points = match path {
                SmcPath::Temperatures => Points::Temperatures(kept.ladder.temperatures(smc_steps).betas().to_vec()),
                SmcPath::Past => Points::Models(kept.rungs().skip(1).collect()),
            };
            let way = SmcContext {
                gpu: &self.gpu,
                model: &self.model,
                base: &base.biases,
                points,
                held: kept.held(),
                clamp: Clamp::Free,
                particles: particles as usize,
                coupling: self.run_coupling(),
                draws: &draws,
                drawn: Cell::new(0),
            };
            let mut streams = self.streams(1, counts.len());
            let visible = Matrix::zeros(counts.len(), n);
            (counted, starts) = way.couple(&mut between, (&visible, &counts), &mut streams, &mut info).await?;
        }
        self.between = Some(between);
        // The free chains shown are particles of the runs that the pairs start from.
        let layers: Vec<Matrix> = (0..=self.model.depth())
            .map(|l| {
                let mut layer = Matrix::zeros(batch, self.model.sizes[l]);
                for row in 0..batch {
                    let Some(start) = starts.get(row / OF_A_PAIR) else { break };
                    let of = &start.states[l];
                    layer.row_mut(row).copy_from_slice(of.row(row % OF_A_PAIR % of.rows()));
                }
                layer
            })
            .collect();
        self.chains[1].place(&self.gpu, &layers);
        self.chains[1].settle(&self.gpu, &self.model);
        Ok((info, counted))
    }

    /// Room for a model, to be returned after use.
    fn take_between(&mut self) -> Result<GpuModel, GpuError> {
        self.between.take().map_or_else(|| GpuModel::like(&self.gpu, &self.model), Ok)
    }

    fn run_coupling(&self) -> RunCoupling {
        let EstimatorSettings { average_from: first, average_to: last, .. } = self.settings.estimator;
        RunCoupling { first, last, cap: self.settings.max_meeting }
    }

    /// The core's streams for this many chains of a phase of the present step.
    fn streams(&self, phase: usize, count: usize) -> Vec<Stream> {
        Streams::new(self.settings.seed).of_chains(PHASES[phase].0.purpose(), self.step, 0..count as u64)
    }

    /// The draws' keys, part by part, for a phase of the present step.
    fn part_draws(&self, phase: usize) -> impl Fn(u64) -> Draws + use<> {
        let (seed, step) = (self.settings.seed, self.step);
        move |part| draws(seed, (PHASES[phase].0, step), part, DrawPurpose::Gibbs)
    }

    /// Computes the conditional means at the chains' states, and their energies, `[batch]`.
    async fn end(&mut self, phase: usize) -> Result<(PhaseInfo, Vec<f32>), GpuError> {
        let chains = &mut self.chains[phase];
        chains.settle(&self.gpu, &self.model);
        let energies = chains.energies(&self.gpu, &self.model).await?;
        let energy_sum = energies.iter().map(|&energy| f64::from(energy)).sum();
        Ok((PhaseInfo { energy_sum, chains: energies.len() as u32, ..PhaseInfo::default() }, energies))
    }

    /// A phase of UCD-LMI or LMI: uniform states, local modes, Gibbs sweeps, and for UCD-LMI the coupling.
    async fn local_mode(&mut self, phase: usize) -> Result<(PhaseInfo, Counted), GpuError> {
        let (batch, most) = (self.settings.batch, self.settings.max_sweeps);
        let (start, gibbs) = (self.draws(phase, DrawPurpose::Start), self.draws(phase, DrawPurpose::Gibbs));
        let (first, second) = (self.first(phase, 0), self.first(phase, 1));
        let (gpu, model, chains) = (&self.gpu, &self.model, &mut self.chains[phase]);
        chains.randomize(gpu, model, start)?;
        let (mut searched, mut done) = (vec![None; batch], 0);
        while done < most && searched.contains(&None) {
            let some = SWEEPS_A_LOOK.min(most - done);
            let flips = chains.search(gpu, model, &first, some).await?;
            for (c, searched) in searched.iter_mut().enumerate().filter(|(_, searched)| searched.is_none()) {
                let delay = usize::from(first[c] == Parity::Odd);
                let still = |sweep: u32| (0..2).all(|half| flips[(2 * sweep as usize + half + delay) * batch + c] == 0);
                *searched = (0..some).find(|&sweep| still(sweep)).map(|sweep| done + sweep + 1);
            }
            done += some;
        }
        chains.gibbs(gpu, model, &second, self.settings.estimator.mode_sweeps, gibbs)?;
        let (mut info, energies) = self.end(phase).await?;
        info.sweeps = searched.iter().map(|searched| searched.unwrap_or(most)).collect();
        info.searches_capped = searched.iter().filter(|searched| searched.is_none()).count() as u32;
        let mut counted = Counted::default();
        if self.settings.estimator.kind == EstimatorKind::UcdLmi {
            counted = self.couple(phase, &energies, &mut info).await?;
        }
        Ok((info, counted))
    }

    /// The correction of each chain's estimate: the Metropolis coupling from its state, with these energies.
    async fn couple(&mut self, phase: usize, energies: &[f32], info: &mut PhaseInfo) -> Result<Counted, GpuError> {
        let (batch, draws) = (self.settings.batch, self.draws(phase, DrawPurpose::Proposal));
        let proposals = &mut self.proposals[phase];
        proposals.randomize(&self.gpu, &self.model, draws)?;
        let offered = proposals.energies(&self.gpu, &self.model).await?;
        let mut streams = self.streams(phase, batch);
        info.meeting_times = vec![1; batch];
        info.proposals += batch as u64;
        let accepts = |c: usize, u: f64| {
            let (offered, present) = (offered[c].into(), energies[c].into());
            SharedUniform.decide(u, offered, present, present).0
        };
        let uniforms: Vec<f64> = streams.iter_mut().map(Stream::uniform).collect();
        let accepted: Vec<usize> = (0..batch).filter(|&c| accepts(c, uniforms[c])).collect();
        let mut counted = Counted::default();
        if accepted.is_empty() {
            return Ok(counted);
        }
        info.accepted += accepted.len() as u64;
        let dbm = self.on_core().await?;
        let (states, offers) = (self.states(&self.chains[phase]).await?, self.states(&self.proposals[phase]).await?);
        for c in accepted {
            let point = |layers: &[Matrix]| {
                let state: Vec<Vec<f32>> = layers.iter().map(|layer| layer.row(c).to_vec()).collect();
                Rc::new(StateWithEnergy { energy: dbm.energy(&state), state })
            };
            let one = Chains::new(&dbm, states[0].select(&[c]), PHASES[phase].2.clone());
            let mut pair = MetropolisCoupling::new(&dbm, &one, 0, &mut streams[c], &SharedUniform);
            let correct = |times: i32, state: &[Vec<f32>]| {
                let layers: Vec<Matrix> = state.iter().map(|layer| Matrix::from_vec(1, layer.len(), layer.clone())).collect();
                counted.push(times as f32, &layers);
            };
            let meeting = meet(point(&states), point(&offers), &mut pair, self.settings.max_meeting, correct);
            info.proposals += pair.proposals;
            info.accepted += pair.accepted;
            info.meeting_times[c] = meeting.time;
            info.couplings_capped += u32::from(meeting.capped);
        }
        Ok(counted)
    }
}

/// The draws' key for a stage of a step's phase: `part` distinguishes parallel draws.
fn draws(seed: u64, (phase, step): (Phase, u64), part: u64, stage: DrawPurpose) -> Draws {
    // No chain of the core has this number.
    let mut stream = Streams::new(seed).at(phase.purpose(), step, u64::MAX - part);
    let mut word = || stream.below(1 << 32) as u32;
    Draws { key: [word(), word()], stage: stage as u8 }
}
