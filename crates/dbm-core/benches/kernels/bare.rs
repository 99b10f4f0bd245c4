//! `gemm` called as its authors would, to see what our use of it costs.
#![allow(unsafe_code)] // `gemm` takes raw pointers; the one call below is all there is

use dbm_core::linalg::Matrix;
use gemm::{Parallelism, gemm};

/// `out = a b`, all row-major, whatever `out` held.
pub fn product(out: &mut Matrix, a: &Matrix, b: &Matrix) {
    let (m, k, n) = (a.rows(), a.columns(), b.columns());
    assert_eq!((b.rows(), out.rows(), out.columns()), (k, m, n));
    // SAFETY: a `Matrix` holds rows * columns values, row-major, and the shapes fit, as asserted above; `out` is borrowed mutably, so it
    // overlaps neither of the others.
    unsafe {
        gemm(
            m,
            n,
            k,
            out.data_mut().as_mut_ptr(),
            1,
            n as isize,
            false,
            a.data().as_ptr(),
            1,
            k as isize,
            b.data().as_ptr(),
            1,
            n as isize,
            0.0_f32,
            1.0_f32,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}
