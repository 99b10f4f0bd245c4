//! The program of the worker that has the GPU; all of it is in the library.

fn main() {
    #[cfg(target_family = "wasm")]
    dbm_gpu_worker::start();
}
