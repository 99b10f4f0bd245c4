//! The same kernels through `gemm`: AVX-512, AVX2 or simd128, found at run time (wasm: at build time).
#![allow(unsafe_code)] // `gemm` takes raw pointers; the two calls below are all there is

use super::Matrix;
use gemm::{Parallelism, gemm};

pub(super) fn add_product(out: &mut [f32], a: &[f32], b: &[f32], m: usize, k: usize, n: usize) {
    assert_eq!((out.len(), a.len(), b.len()), (m * n, m * k, k * n));
    // SAFETY: the three slices hold exactly m*n, m*k and k*n values, asserted above, and are read and written row-major
    // (column stride 1, row stride n, k and n), so every access is inside them; `out` is borrowed mutably, so it overlaps neither.
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
            1,
            k as isize,
            b.as_ptr(),
            1,
            n as isize,
            1.0_f32,
            1.0_f32,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

pub(super) fn add_outer_products(out: &mut [f32], alpha: f32, left: &Matrix, from: usize, right: &Matrix) {
    let (r, q, columns) = (right.rows(), right.columns(), left.columns());
    let p = out.len() / q;
    assert!(out.len() == p * q && left.rows() == r && from + p <= columns);
    assert!(left.data().len() == r * columns && right.data().len() == r * q);
    if r == 0 || p == 0 {
        return;
    }
    // SAFETY: `out` holds p*q values, row-major. The left operand is read transposed: entry (i, t) at from + i + t*columns with
    // i < p, t < r and from + p <= columns, inside the r*columns values of `left`. `right` holds r*q, row-major. All asserted
    // above; `out` is borrowed mutably, so it overlaps neither.
    unsafe {
        gemm(
            p,
            q,
            r,
            out.as_mut_ptr(),
            1,
            q as isize,
            true,
            left.data().as_ptr().add(from),
            columns as isize,
            1,
            right.data().as_ptr(),
            1,
            q as isize,
            1.0_f32,
            alpha,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
