//! A run being trained, on the processor or on a GPU.

use crate::{Error, Workbench};
use dbm_core::linalg::Backend;
use dbm_core::words::{Choice, Choose, Label, choice, words};
use dbm_core::{Examples, Host, StepInfo, Trainer};
use dbm_data::Backends;
use dbm_gpu::{Gpu, GpuError, GpuTrainer};
use pollster::block_on;

/// Seconds after which a run on a GPU is saved, so that no more than this is lost with it.
const KEPT_EVERY: f64 = 60.0;

/// What computes a run: kernels of the core, or a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunBackend {
    /// The processor, with these kernels.
    Processor(Backend),
    /// The fastest available GPU.
    Gpu,
}

impl RunBackend {
    /// The kernels for the work that a GPU does not do.
    pub fn on_processor(self) -> Backend {
        match self {
            Self::Processor(backend) => backend,
            Self::Gpu => Backend::Fast,
        }
    }
}

/// The row of these kernels, in the core's table.
const fn of_core(row: &Choice<Backend>) -> Choice<RunBackend> {
    choice(RunBackend::Processor(row.value), row.name, row.label, row.help)
}

impl Choose for RunBackend {
    const WORDS: Label = words("backend", "Kernels", "What computes.");
    const CHOICES: &'static [Choice<Self>] = &[
        of_core(&Backend::CHOICES[0]),
        of_core(&Backend::CHOICES[1]),
        choice(
            Self::Gpu,
            "gpu",
            "GPU",
            "On the GPU, through Vulkan or Metal: ucd-lmi, lmi, cd, pcd-gibbs and ptt; the same bits on one device. If it fails on the way, fast continues",
        ),
    ];
}

/// A run, its present backend, and its past ones.
pub struct Training {
    /// On a GPU, in its last saved state.
    run: Trainer,
    gpu: Option<GpuTrainer>,
    /// The backend's name in the run's file.
    name: String,
    backends: Backends,
    kept_at: f64,
}

impl Training {
    /// A run in its present state, on this backend; so far these backends computed it.
    ///
    /// # Errors
    /// [`Error::Gpu`] if there is none, or it cannot train such a run.
    pub fn new(run: Trainer, backend: RunBackend, backends: Backends, session: &Workbench) -> Result<Self, Error> {
        match backend {
            RunBackend::Processor(backend) => {
                let (run, name) = (run.with_backend(backend), backend.choice().name.into());
                Ok(Self { run, gpu: None, name, backends, kept_at: session.now() })
            }
            RunBackend::Gpu => Self::on_gpu(run, block_on(Gpu::open())?, backends, session),
        }
    }

    /// The same on this GPU.
    ///
    /// # Errors
    /// [`Error::Gpu`] if it cannot train such a run.
    pub fn on_gpu(run: Trainer, gpu: Gpu, backends: Backends, session: &Workbench) -> Result<Self, Error> {
        let (run, name) = (run.with_backend(RunBackend::Gpu.on_processor()), format!("gpu: {}", gpu.name()));
        Ok(Self { gpu: Some(GpuTrainer::new(gpu, &run)?), run, name, backends, kept_at: session.now() })
    }

    /// The backend's name in the run's file.
    pub fn backend(&self) -> &str {
        &self.name
    }

    /// The backends that have computed its steps.
    pub fn backends(&self) -> &Backends {
        &self.backends
    }

    /// Gradient steps taken. Fewer than before if a GPU has failed: everything since the run was last saved is lost with it.
    pub fn steps(&self) -> u64 {
        self.gpu.as_ref().map_or(self.run.steps(), GpuTrainer::steps)
    }

    /// One gradient step; if the GPU fails, the processor takes it, from where the run was last saved.
    ///
    /// # Errors
    /// Those of [`Trainer::step`], and [`Error::Gpu`] if the GPU does not train on such data.
    pub fn step(&mut self, data: &Examples, session: &Workbench) -> Result<StepInfo, Error> {
        if let Some(gpu) = &mut self.gpu {
            let started = session.now();
            self.backends.computed_by(gpu.steps(), &self.name);
            match block_on(gpu.step(data, 0)) {
                Ok(info) => {
                    let (step, climb, now) = (gpu.steps(), gpu.climb(), session.now());
                    if now - self.kept_at > KEPT_EVERY {
                        self.kept(session)?;
                    }
                    return Ok(StepInfo { step, info, seconds: now - started, climb, ..StepInfo::default() });
                }
                Err(error) => self.leave_gpu(error, session)?,
            }
        }
        self.backends.computed_by(self.run.steps(), &self.name);
        Ok(self.run.step(data, session)?)
    }

    /// The run in its present state, read back from the GPU if it is on one. If that fails, the last saved state.
    ///
    /// # Errors
    /// [`Error::Gpu`].
    pub fn kept(&mut self, session: &Workbench) -> Result<&mut Trainer, Error> {
        if let Some(gpu) = self.gpu.as_ref().filter(|gpu| gpu.steps() > self.run.steps()) {
            match block_on(gpu.snapshot()) {
                Ok(snapshot) => self.run = Trainer::restore(snapshot)?.with_backend(self.run.model().backend()),
                Err(error) => self.leave_gpu(error, session)?,
            }
            self.kept_at = session.now();
        }
        Ok(&mut self.run)
    }

    /// Continues on the processor, if the GPU failed and not the run.
    fn leave_gpu(&mut self, error: GpuError, session: &Workbench) -> Result<(), Error> {
        let GpuError::Failed(reason) = error else { return Err(error.into()) };
        self.gpu = None;
        self.name = self.run.model().backend().choice().name.into();
        let (step, name) = (self.run.steps(), &self.name);
        self.backends.computed_by(step, name);
        session.progress.say(&format!("the GPU failed: {reason}; backend {name} continues from step {step}"));
        session.progress.resume(step);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::{Settings, Units, init};

    #[test]
    fn the_processor_goes_on_from_where_a_run_was_kept_when_the_gpu_fails() {
        let session = Workbench::silent(1).unwrap();
        let gpu = match block_on(Gpu::open()) {
            Ok(gpu) => gpu,
            Err(error) => return println!("skipped: {error}"),
        };
        let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1]).unwrap();
        let model = init::orthogonal(&[4, 5, 3], Units::Bits, 1).unwrap();
        let run = Trainer::new(model, Settings { batch: 10, ..Settings::default() }).unwrap();
        let mut training = Training::on_gpu(run, gpu.clone(), Backends::default(), &session).unwrap();
        let on_gpu = format!("gpu: {}", gpu.name());
        for step in 1..=5 {
            assert_eq!(training.step(&data, &session).unwrap().step, step);
        }
        let kept = training.kept(&session).unwrap().snapshot();
        training.step(&data, &session).unwrap();
        assert_eq!((training.steps(), training.backends().to_string()), (6, on_gpu.clone()));

        gpu.destroy();
        let info = training.step(&data, &session).unwrap();
        assert_eq!((info.step, training.steps(), training.backend()), (6, 6, "fast"));
        assert_eq!(training.backends().to_string(), format!("{on_gpu} until step 5, then fast"));
        let mut alone = Trainer::restore(kept).unwrap();
        alone.step(&data, &session).unwrap();
        assert_eq!(training.kept(&session).unwrap().snapshot(), alone.snapshot());
    }

    #[test]
    fn a_gpu_that_fails_while_the_run_is_brought_from_it_takes_no_step_along() {
        let session = Workbench::silent(1).unwrap();
        let gpu = match block_on(Gpu::open()) {
            Ok(gpu) => gpu,
            Err(error) => return println!("skipped: {error}"),
        };
        let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1]).unwrap();
        let run =
            Trainer::new(init::orthogonal(&[4, 3], Units::Signs, 1).unwrap(), Settings { batch: 10, ..Settings::default() });
        let mut training = Training::on_gpu(run.unwrap(), gpu.clone(), Backends::default(), &session).unwrap();
        training.step(&data, &session).unwrap();
        gpu.destroy();
        assert_eq!(training.kept(&session).unwrap().steps(), 0);
        assert_eq!((training.steps(), training.backends().to_string()), (0, "fast".to_string()));
    }
}
