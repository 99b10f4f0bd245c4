//! Sums over rows: how a flipped unit changes the fields of its neighbours.
//!
//! Element by element and without fused multiply-adds, so that the bits do not depend on the vector unit that `pulp` finds.

use crate::vector::vectorized;
use std::ops::{Add, AddAssign, Mul};

/// `out += alpha row`.
///
/// # Panics
/// If the lengths differ.
pub fn add_scaled(out: &mut [f32], alpha: f32, row: &[f32]) {
    assert_eq!(out.len(), row.len());
    vectorized(
        #[inline(always)]
        || {
            for (x, &y) in out.iter_mut().zip(row) {
                *x += alpha * y;
            }
        },
    );
}

/// The number type in which sums are computed.
pub trait Sum: Copy + From<f32> + Add<Output = Self> + Mul<Output = Self> + AddAssign {}
impl Sum for f32 {}
impl Sum for f64 {}

/// `out += sum_i alphas[i] rows[i]`, four rows per pass, so that `out` is loaded and stored a quarter as often; in f64 for fields that are
/// updated through a long coupling.
///
/// # Panics
/// If a row is shorter than `out`.
pub fn add_scaled_rows<'a, T: Sum>(out: &mut [T], flips: &[(u32, f32)], row_of: impl Fn(u32) -> &'a [f32]) {
    let n = out.len();
    let mut fours = flips.chunks_exact(4);
    for four in &mut fours {
        let [(i0, a0), (i1, a1), (i2, a2), (i3, a3)] = [four[0], four[1], four[2], four[3]];
        let (r0, r1, r2, r3) = (&row_of(i0)[..n], &row_of(i1)[..n], &row_of(i2)[..n], &row_of(i3)[..n]);
        let [a0, a1, a2, a3] = [a0, a1, a2, a3].map(T::from);
        let out = &mut *out;
        vectorized(
            #[inline(always)]
            || {
                for j in 0..n {
                    out[j] += (a0 * T::from(r0[j]) + a1 * T::from(r1[j])) + (a2 * T::from(r2[j]) + a3 * T::from(r3[j]));
                }
            },
        );
    }
    for &(i, alpha) in fours.remainder() {
        let (alpha, row) = (T::from(alpha), &row_of(i)[..n]);
        let out = &mut *out;
        vectorized(
            #[inline(always)]
            || {
                for (x, &y) in out.iter_mut().zip(row) {
                    *x += alpha * T::from(y);
                }
            },
        );
    }
}

/// The sums of `a_i b_i` in `N` fixed lanes, `i mod N`.
fn lanes_of<T: Sum, const N: usize>(a: &[f32], b: &[f32]) -> [T; N] {
    assert_eq!(a.len(), b.len());
    vectorized(
        #[inline(always)]
        || {
            let mut lanes = [T::from(0.0); N];
            let ((whole_a, rest_a), (whole_b, rest_b)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
            for (lane, (&x, &y)) in lanes.iter_mut().zip(rest_a.iter().zip(rest_b)) {
                *lane += T::from(x) * T::from(y);
            }
            for (x, y) in whole_a.iter().zip(whole_b) {
                for i in 0..N {
                    lanes[i] += T::from(x[i]) * T::from(y[i]);
                }
            }
            lanes
        },
    )
}

/// `a . b`, summed in f64 over eight fixed lanes.
///
/// # Panics
/// If the lengths differ.
pub fn dot(a: &[f32], b: &[f32]) -> f64 {
    lanes_of::<f64, 8>(a, b).iter().sum()
}

/// `a . b`, summed in f32 over sixteen fixed lanes: for the bulk work of orthogonalization.
///
/// # Panics
/// If the lengths differ.
pub fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    lanes_of::<f32, 16>(a, b).iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_added_together_equal_rows_added_one_by_one() {
        let rows: Vec<Vec<f32>> = (0..7).map(|i| (0..37).map(|j| ((i * 37 + j) as f32).sin()).collect()).collect();
        let flips: Vec<(u32, f32)> = (0..7).map(|i| (i, if i % 2 == 0 { 2.0 } else { -2.0 })).collect();
        let (mut in_f32, mut in_f64) = (vec![0.5_f32; 37], vec![0.5_f64; 37]);
        let mut one_by_one = in_f64.clone();
        add_scaled_rows(&mut in_f32, &flips, |i| &rows[i as usize]);
        add_scaled_rows(&mut in_f64, &flips, |i| &rows[i as usize]);
        for &(i, alpha) in &flips {
            for (x, &y) in one_by_one.iter_mut().zip(&rows[i as usize]) {
                *x += f64::from(alpha) * f64::from(y);
            }
        }
        assert!(in_f32.iter().zip(&one_by_one).all(|(&x, y)| (f64::from(x) - y).abs() < 1e-5));
        assert!(in_f64.iter().zip(&one_by_one).all(|(x, y)| (x - y).abs() < 1e-14));
    }

    #[test]
    fn dots_agree_with_the_plain_sum() {
        let a: Vec<f32> = (0..101).map(|i| (i as f32).cos()).collect();
        let b: Vec<f32> = (0..101).map(|i| (i as f32 * 0.7).sin()).collect();
        let plain: f64 = a.iter().zip(&b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
        assert!((dot(&a, &b) - plain).abs() < 1e-12);
        assert!((f64::from(dot_f32(&a, &b)) - plain).abs() < 1e-5);
    }
}
