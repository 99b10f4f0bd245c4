//! The program of the Web Workers; all of it is in `dbm-worker`. With link-time optimization, loops of every crate become vector code at the level of the crate that is linked, which
//! is this one: the rest can be small.

fn main() {
    #[cfg(target_arch = "wasm32")]
    dbm_worker::start();
}
