//! What several commands choose from: units, optimizers, masks, kernels.

use clap::ValueEnum;
use dbm_core::mask::Masks;
use dbm_core::{Backend, OptimizerMethod, Units};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UnitKind {
    Signs,
    Bits,
}

impl From<UnitKind> for Units {
    fn from(kind: UnitKind) -> Self {
        match kind {
            UnitKind::Signs => Self::Signs,
            UnitKind::Bits => Self::Bits,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OptimizerKind {
    Sgd,
    Adam,
    Amsgrad,
}

impl From<OptimizerKind> for OptimizerMethod {
    fn from(kind: OptimizerKind) -> Self {
        match kind {
            OptimizerKind::Sgd => Self::Sgd,
            OptimizerKind::Adam => Self::Adam,
            OptimizerKind::Amsgrad => Self::AmsGrad,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MaskKind {
    Mixed,
    Halves,
    Boxes,
    Pixels,
}

impl From<MaskKind> for Masks {
    fn from(kind: MaskKind) -> Self {
        match kind {
            MaskKind::Mixed => Self::Mixed,
            MaskKind::Halves => Self::Halves,
            MaskKind::Boxes => Self::Boxes,
            MaskKind::Pixels => Self::Pixels,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendKind {
    Fast,
    Plain,
}

impl From<BackendKind> for Backend {
    fn from(kind: BackendKind) -> Self {
        match kind {
            BackendKind::Fast => Self::Fast,
            BackendKind::Plain => Self::Plain,
        }
    }
}

impl BackendKind {
    /// As it is given.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Plain => "plain",
        }
    }
}

/// Puts what was given, if anything was.
pub fn set<T>(into: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *into = given;
    }
}
