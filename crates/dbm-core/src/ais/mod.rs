//! log Z by annealing: from independent units to the model, too low on average; from the model to independent units, too high on average if
//! it starts at samples of the model; and from both at once.

mod base;
mod bennett;
mod bracket;
mod bridge;
mod estimate;
mod forward;
mod path;
mod reverse;
mod settings;
mod start;

pub use base::BaseDistribution;
pub use bennett::{LogRatio, bennett};
pub use bracket::{Bracket, OPEN};
pub use bridge::{ladder, log_ratios};
pub use estimate::AisEstimate;
pub use forward::{Ais, estimate};
pub use reverse::{ReverseAis, raise, reverse_estimate};
pub use settings::AisSettings;
pub use start::ReverseStart;
