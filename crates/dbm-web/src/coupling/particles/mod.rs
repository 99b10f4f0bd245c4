//! Pairs of coupled chains whose states are runs of particles, on the visitor's model: when they meet, what their correction
//! changes, and one of the pairs run by run.

mod change;
mod meetings;
mod one_pair;
mod results;
mod settings;
mod state;
mod view;

pub use state::Particles;
pub use view::pairs_of_runs;
