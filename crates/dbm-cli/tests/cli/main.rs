//! The command as a user types it: what it writes, what it prints, and how it exits.

mod bench;
mod bias;
mod command;
mod compare;
mod couple;
mod evaluate;
mod experiment;
mod fit;
mod folder;
mod formats;
mod gradients;
mod impute;
mod memory;
mod refusals;
mod score;
mod sweeps;
