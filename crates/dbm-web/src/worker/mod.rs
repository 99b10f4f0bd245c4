//! The workers as the page knows them.

pub mod client;
pub mod export;
pub mod pool;
pub mod session;
pub mod uploads;
