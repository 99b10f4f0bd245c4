//! The reference kernels: loops in the order of the formula, the same bits on every machine.

use super::Matrix;

pub(super) fn add_product(out: &mut [f32], a: &[f32], b: &[f32], m: usize, k: usize, n: usize) {
    for i in 0..m {
        for l in 0..k {
            for j in 0..n {
                out[i * n + j] += a[i * k + l] * b[l * n + j];
            }
        }
    }
}

pub(super) fn add_outer_products(out: &mut [f32], alpha: f32, left: &Matrix, from: usize, right: &Matrix) {
    let q = right.columns();
    for r in 0..right.rows() {
        for (i, row) in out.chunks_exact_mut(q).enumerate() {
            for (x, &y) in row.iter_mut().zip(right.row(r)) {
                *x += alpha * left.row(r)[from + i] * y;
            }
        }
    }
}
