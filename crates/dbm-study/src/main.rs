//! The program of the third Web Worker; all of it is in the library. With link-time optimization, loops of every crate become vector code at the level of this
//! one.

fn main() {
    #[cfg(target_arch = "wasm32")]
    dbm_study::start();
}
