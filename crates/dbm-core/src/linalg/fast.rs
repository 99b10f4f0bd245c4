//! The same kernels through `gemm`: AVX-512, AVX2 or simd128, found at run time (wasm: at build time).
#![allow(unsafe_code)] // `gemm` takes raw pointers, in the single call below

use super::Matrix;
use gemm::{Parallelism, gemm};

pub(super) fn add_product(out: &mut [f32], a: &[f32], b: &[f32], m: usize, k: usize, n: usize) {
    add_scaled_product(out, 1.0, (a, k, 1), b, (m, k, n));
}

pub(super) fn add_outer_products(out: &mut [f32], alpha: f32, left: &Matrix, from: usize, right: &Matrix) {
    let (r, q) = (right.rows(), right.columns());
    if r > 0 && !out.is_empty() {
        // The left operand is read transposed.
        add_scaled_product(out, alpha, (&left.data()[from..], 1, left.columns()), right.data(), (out.len() / q, r, q));
    }
}

/// `out += alpha a b` with `a: [m, k]`, whose entry `(i, t)` is at `i row + t column`, and `b: [k, n]` and `out: [m, n]` row-major.
fn add_scaled_product(
    out: &mut [f32],
    alpha: f32,
    (a, row, column): (&[f32], usize, usize),
    b: &[f32],
    (m, k, n): (usize, usize, usize),
) {
    assert_eq!((out.len(), b.len()), (m * n, k * n));
    assert!(m * k == 0 || (m - 1) * row + (k - 1) * column < a.len());
    // SAFETY: `out` and `b` hold exactly m*n and k*n values and are read and written row-major (column stride 1, row stride n), and the
    // last entry of `a` that is read is inside it, all asserted above; so every access is inside the slices. `out` is borrowed mutably, so
    // it overlaps neither of the others.
    unsafe {
        gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            n as isize,
            true,
            a.as_ptr(),
            column as isize,
            row as isize,
            b.as_ptr(),
            1,
            n as isize,
            1.0_f32,
            alpha,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
