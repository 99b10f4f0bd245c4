//! The page's side of the workers.

pub mod client;
pub mod export;
pub mod pool;
pub mod session;
pub mod uploads;
