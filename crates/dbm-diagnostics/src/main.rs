//! The program of the workers that study couplings and estimators; all of it is in the library.

fn main() {
    #[cfg(target_family = "wasm")]
    dbm_diagnostics::start();
}
