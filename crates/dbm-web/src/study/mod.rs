//! The second program of the lab: two runs side by side, Coupling and Proof. It is fetched when one of them is first opened.

pub mod app;
mod compare;
mod coupling;
pub mod instruments;
mod pool;
mod proof;
