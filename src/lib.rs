//! DBM Lab's root package: no code of its own, only `tests/`, which run natively and in the browser.

pub use dbm_core as core;
pub use dbm_data as data;
pub use dbm_protocol as protocol;
