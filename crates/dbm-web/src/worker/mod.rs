//! The workers as the page knows them.

pub mod checkpoint;
pub mod client;
pub mod files;
pub mod keeper;
pub mod link;
pub mod model_file;
pub mod pool;
pub mod pool_new;
pub mod session;
