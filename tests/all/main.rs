//! The tests of the mathematics, of the GPU kernels and of the diagnostics, natively and in a browser: one program, linked and started
//! once.

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

mod annealing;
mod common;
mod data;
mod diagnostics;
mod exact;
mod expectation;
mod gpu;
mod gradient;
mod impute;
mod kernels;
mod labels;
mod likelihood;
#[cfg(target_arch = "wasm32")]
mod messages;
mod pretrain;
mod proof;
mod reference;
mod run;
mod tempering;
