//! The tests of the mathematics, of the GPU's kernels and of the diagnostics: one program, linked and started once.
//!
//! Statistics run natively alone. In browsers, equal bits ([`pinned`]) make them hold; there, tests look at what could differ: the vector
//! unit, messages between workers, the GPU, and that a run stays a value.

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

mod common;

mod data;
mod exact;
mod fields;
mod gpu;
mod pinned;
mod reference;
mod run;

#[cfg(target_arch = "wasm32")]
mod messages;

#[cfg(not(target_arch = "wasm32"))]
mod statistics {
    mod annealing;
    mod diagnostics;
    mod expectation;
    mod gpu_kernels;
    mod gpu_runs;
    mod gradient;
    mod impute;
    mod kernels;
    mod labels;
    mod likelihood;
    mod pretrain;
    mod proof;
    mod redraw;
    mod tempering;
}
