//! Whether a model is what it says: its samples against the number of Gibbs sweeps, from several starts, beside real digits and the exact distribution.

mod exact;
mod figure;
mod looks;
mod run;
mod table;
mod verdict;

pub use exact::Exact;
pub use figure::figure;
pub use looks::{Digits, Look, Model, Run, Verdict};
pub use run::{Plan, SWEEPS, Seen, Subject};
pub use table::{csv, text};
