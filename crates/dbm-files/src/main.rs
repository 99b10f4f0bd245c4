//! The program of the second Web Worker; all of it is in the library.

fn main() {
    #[cfg(target_arch = "wasm32")]
    dbm_files::start();
}
