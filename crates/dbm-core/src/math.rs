//! The logistic function and related functions, with the same bits on every machine.
//!
//! The standard library's `exp` and `ln` differ in the last bit between platforms. Bulk work here is plain arithmetic in a fixed order
//! (which also vectorizes), and single values go through `libm`.

use crate::vector::vectorized;
use bytemuck::cast_slice_mut;
use pulp::{Scalar, Simd};
use std::array::from_fn;

/// Adding and subtracting 1.5 * 2^23 rounds to the nearest integer.
const ROUND: f32 = 12_582_912.0;

/// `2^n` for the integers `n` in the lowest bits of these: a cast would have to check for values that do not fit.
#[inline(always)]
fn powers_of_two<S: Simd>(simd: S, shifted: S::f32s) -> S::f32s {
    let mut power = simd.add_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(127));
    cast_slice_mut::<_, u32>(std::slice::from_mut(&mut power)).iter_mut().for_each(|bits| *bits <<= 23);
    simd.transmute_f32s_u32s(power)
}

/// This close to 1, `u (1 + rough_exp2(x))` may lie on the other side of it than `u (1 + 2^x)`: three times the relative error of
/// [`rough_exp2`].
pub(crate) const DOUBT: f32 = 1.0 / 4096.0;

/// `2^x` within 8 parts in 100 000 for `x` from -126 to 126; beyond that, its value at the nearer end.
#[inline(always)]
pub(crate) fn rough_exp2<S: Simd, const V: usize>(simd: S, x: [S::f32s; V]) -> [S::f32s; V] {
    let all = |c: f32| simd.splat_f32s(c);
    let x: [S::f32s; V] = from_fn(|v| simd.max_f32s(simd.min_f32s(x[v], all(126.0)), all(-126.0)));
    let shifted: [S::f32s; V] = from_fn(|v| simd.add_f32s(x[v], all(ROUND)));
    let r: [S::f32s; V] = from_fn(|v| simd.sub_f32s(x[v], simd.sub_f32s(shifted[v], all(ROUND))));
    let mut p = [all(0.055_171_493); V];
    // The cubic polynomial with the smallest maximal relative error.
    for c in [0.242_610_95, 0.693_260_97, 0.999_928_06] {
        p = from_fn(|v| simd.mul_add_e_f32s(p[v], r[v], all(c)));
    }
    from_fn(|v| simd.mul_f32s(p[v], powers_of_two(simd, shifted[v])))
}

/// `exp(x)` for `|x| <= 87`, to 2 units in the last place: argument reduction by ln 2 and a polynomial for the rest. It works on several
/// vectors at a time, step by step, so that each waits only for itself.
#[inline(always)]
#[allow(clippy::excessive_precision)] // ln 2 in two parts: the digits are the point
fn exp<S: Simd, const V: usize>(simd: S, x: [S::f32s; V]) -> [S::f32s; V] {
    let plus = |a: [S::f32s; V], b: [S::f32s; V]| from_fn(|v| simd.add_f32s(a[v], b[v]));
    let minus = |a: [S::f32s; V], b: [S::f32s; V]| from_fn(|v| simd.sub_f32s(a[v], b[v]));
    let times = |a: [S::f32s; V], b: [S::f32s; V]| from_fn(|v| simd.mul_f32s(a[v], b[v]));
    let all = |c: f32| [simd.splat_f32s(c); V];
    let shifted = plus(times(x, all(std::f32::consts::LOG2_E)), all(ROUND));
    let n = minus(shifted, all(ROUND));
    let r = plus(minus(x, times(n, all(0.693_359_375))), times(n, all(2.121_944_40e-4)));
    let mut p = all(1.987_569_15e-4);
    for c in [1.398_199_95e-3, 8.333_451_90e-3, 4.166_579_59e-2, 1.666_666_55e-1, 0.5] {
        p = plus(times(p, r), all(c));
    }
    let p = plus(plus(times(p, times(r, r)), r), all(1.0));
    times(p, shifted.map(|shifted| powers_of_two(simd, shifted)))
}

/// Beyond this, the logistic function keeps its value here.
const LARGEST: f32 = 87.0;

/// The logistic function, `1 / (1 + exp(-x))`, of several values, none of which is NaN.
#[inline(always)]
pub(crate) fn sigmas<S: Simd, const V: usize>(simd: S, x: [S::f32s; V]) -> [S::f32s; V] {
    let (least, most) = (simd.splat_f32s(-LARGEST), simd.splat_f32s(LARGEST));
    sigmas_within(simd, x.map(|x| simd.max_f32s(simd.min_f32s(x, most), least)))
}

#[inline(always)]
fn sigmas_within<S: Simd, const V: usize>(simd: S, x: [S::f32s; V]) -> [S::f32s; V] {
    let one = simd.splat_f32s(1.0);
    exp(simd, x.map(|x| simd.neg_f32s(x))).map(|exp| simd.div_f32s(one, simd.add_f32s(one, exp)))
}

/// The logistic function, `1 / (1 + exp(-x))`.
#[inline(always)]
pub(crate) fn sigma(x: f32) -> f32 {
    let [sigma] = sigmas_within(Scalar::new(), [x.clamp(-LARGEST, LARGEST)]);
    sigma
}

/// Writes `offset + scale sigma(gap a)` for each field `a`: with offset 0 and scale 1 the probability that the unit is high, with the low
/// value and the gap its mean.
///
/// ```
/// let mut means = [0.0; 3];
/// dbm_core::math::sigma_each(&[-50.0, 0.0, 50.0], 2.0, -1.0, 2.0, &mut means);
/// assert_eq!(means, [-1.0, 0.0, 1.0]);
/// ```
///
/// # Panics
/// If the lengths differ.
pub fn sigma_each(fields: &[f32], gap: f32, offset: f32, scale: f32, into: &mut [f32]) {
    assert_eq!(fields.len(), into.len());
    vectorized(
        #[inline(always)]
        || {
            for (x, &a) in into.iter_mut().zip(fields) {
                *x = offset + scale * sigma(gap * a);
            }
        },
    );
}

/// Writes the mean of a unit with each field `a`, and returns `log sum_h exp(h . a) = sum_i low a_i + log(1 + exp(gap a_i))`, to about six
/// digits: the logarithms are those of the probabilities of the likelier values, `log(1 + e^x) = max(x, 0) - log max(p, 1 - p)`.
///
/// # Panics
/// If the lengths differ.
pub(crate) fn means_and_log_sum(fields: &[f32], low: f32, gap: f32, into: &mut [f32]) -> f64 {
    const LANES: usize = 16;
    // The probabilities are at least a half: the product of this many per lane is above 2^-64, and that of all lanes above 2^-1022.
    const FACTORS: usize = 60;
    assert_eq!(fields.len(), into.len());
    let mut total = 0.0;
    for (fields, into) in fields.chunks(LANES * FACTORS).zip(into.chunks_mut(LANES * FACTORS)) {
        let (mut sums, mut products) = ([0.0_f32; LANES], [1.0_f32; LANES]);
        vectorized(
            #[inline(always)]
            || {
                let (lanes, mut each) = (fields.chunks_exact(LANES), into.chunks_exact_mut(LANES));
                let rest = lanes.remainder();
                for (fields, into) in lanes.zip(&mut each) {
                    for lane in 0..LANES {
                        let x = gap * fields[lane];
                        let p = sigma(x);
                        sums[lane] += low * fields[lane] + x.max(0.0);
                        products[lane] *= p.max(1.0 - p);
                        into[lane] = low + gap * p;
                    }
                }
                for (lane, (into, &a)) in each.into_remainder().iter_mut().zip(rest).enumerate() {
                    let p = sigma(gap * a);
                    sums[lane] += low * a + (gap * a).max(0.0);
                    products[lane] *= p.max(1.0 - p);
                    *into = low + gap * p;
                }
            },
        );
        total += sums.iter().map(|&sum| f64::from(sum)).sum::<f64>();
        total -= libm::log(products.iter().map(|&product| f64::from(product)).product());
    }
    total
}

/// The logistic function of a single value, `1 / (1 + exp(-x))`, without overflow.
pub fn logistic(x: f64) -> f64 {
    let tail = libm::exp(-x.abs());
    if x >= 0.0 { 1.0 / (1.0 + tail) } else { tail / (1.0 + tail) }
}

/// Writes [`logistic`] of each value, to a few units in the last place and vectorized.
///
/// # Panics
/// If the lengths differ.
pub fn logistic_each(values: &[f64], into: &mut [f64]) {
    assert_eq!(values.len(), into.len());
    vectorized(
        #[inline(always)]
        || {
            for (p, &x) in into.iter_mut().zip(values) {
                let tail = exp_below_zero(-x.abs());
                *p = if x >= 0.0 { 1.0 } else { tail } / (1.0 + tail);
            }
        },
    );
}

/// `exp(x)` for `x <= 0` in f64, to 2 units in the last place, and 0 below -708, where it would soon be denormal: argument reduction by ln
/// 2 and a Taylor series for the rest, in arithmetic that vectorizes.
#[inline(always)]
pub(crate) fn exp_below_zero(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: adding it leaves the nearest integer in the lowest bits
    const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10); // the first part has 21 bits to spare
    // 1/2!, 1/3!, ..., 1/13!: on |r| <= ln(2) / 2 the next term is below 1e-17.
    #[rustfmt::skip]
    const SERIES: [f64; 12] = [
        0.5, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0, 1.0 / 40_320.0, 1.0 / 362_880.0,
        1.0 / 3_628_800.0, 1.0 / 39_916_800.0, 1.0 / 479_001_600.0, 1.0 / 6_227_020_800.0,
    ];
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN_2.0) - n * LN_2.1;
    // Estrin's scheme: a third of the latency of Horner's.
    let (r2, r4) = (r * r, (r * r) * (r * r));
    let two = |k: usize| SERIES[k] + SERIES[k + 1] * r;
    let four = |k: usize| two(k) + two(k + 2) * r2;
    let series = 1.0 + (r + r2 * ((four(0) + four(4) * r4) + four(8) * (r4 * r4)));
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if x < -708.0 { 0.0 } else { series * power }
}

/// `log(1 + exp(x))`, without overflow.
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

/// `sum_i log(1 + exp(x_i))`, without overflow: one vectorized exponential per term, and very few logarithms.
pub fn sum_softplus(values: &[f64]) -> f64 {
    const LANES: usize = 8;
    // log(1 + e^x) = max(x, 0) + log(1 + e^-|x|). The second terms sum to the log of a product of numbers in 1..=2; this many per lane stay
    // below 2^1000.
    const FACTORS: usize = 1000;
    let mut total = 0.0;
    for block in values.chunks(LANES * FACTORS) {
        let (mut sums, mut products) = ([0.0_f64; LANES], [1.0_f64; LANES]);
        vectorized(
            #[inline(always)]
            || {
                let eights = block.chunks_exact(LANES);
                let mut last = [f64::NEG_INFINITY; LANES]; // adds nothing
                last[..eights.remainder().len()].copy_from_slice(eights.remainder());
                for eight in eights.chain(std::iter::once(&last[..])) {
                    for lane in 0..LANES {
                        sums[lane] += eight[lane].max(0.0);
                        products[lane] *= 1.0 + exp_below_zero(-eight[lane].abs());
                    }
                }
            },
        );
        total += sums.iter().sum::<f64>() + products.iter().map(|&product| libm::log(product)).sum::<f64>();
    }
    total
}

/// Mean of several values and its standard error, `deviation / sqrt(n)`, which is infinite for fewer than two.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, if n < 2.0 { f64::INFINITY } else { (squares / (n * (n - 1.0))).sqrt() })
}

/// `log(sum(exp(x)))`, without overflow; minus infinity for no terms.
pub fn log_sum_exp(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + libm::log(values.iter().map(|x| libm::exp(x - largest)).sum())
}

/// Weights that sum to 1, from their logarithms.
pub fn normalized(logs: &[f64]) -> Vec<f64> {
    let sum = log_sum_exp(logs);
    logs.iter().map(|log| libm::exp(log - sum)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sigma_is_the_logistic_function() {
        for i in -2000..=2000 {
            let x = i as f32 * 0.05;
            let exact = 1.0 / (1.0 + libm::exp(-f64::from(x)));
            let error = (f64::from(sigma(x)) - exact).abs();
            assert!(error <= 2e-7 * exact + 2e-38, "sigma({x}) is off by {error:e}");
        }
        assert_eq!(sigma(f32::INFINITY), 1.0);
        assert!(sigma(f32::NEG_INFINITY) < 1e-37);
        assert!(sigma(f32::NAN).is_nan());
    }

    #[test]
    fn the_exponential_below_zero_is_the_exponential() {
        for i in 0..=708_000 {
            let x = -f64::from(i) * 0.001;
            let exact = libm::exp(x);
            let error = (exp_below_zero(x) - exact).abs();
            assert!(error <= 4e-16 * exact, "exp({x}) is off by {:e}", error / exact);
        }
        assert_eq!((exp_below_zero(0.0), exp_below_zero(-0.0)), (1.0, 1.0));
        assert_eq!((exp_below_zero(-709.0), exp_below_zero(-1e300), exp_below_zero(f64::NEG_INFINITY)), (0.0, 0.0, 0.0));
        assert!(exp_below_zero(f64::NAN).is_nan());
    }

    #[test]
    fn many_logistic_functions_are_the_logistic_function() {
        let values: Vec<f64> = (-8000..=8000).map(|i| f64::from(i) * 0.01).chain([-1e300, 1e300, f64::NEG_INFINITY]).collect();
        let mut each = vec![0.0; values.len()];
        logistic_each(&values, &mut each);
        assert!(values.iter().zip(&each).all(|(&x, p)| (p - logistic(x)).abs() <= 1e-15 * logistic(x)));
    }

    #[test]
    fn sums_of_softplus_are_sums_of_softplus() {
        for n in [0, 1, 7, 8, 9, 1000, 20_003] {
            let values: Vec<f64> = (0..n).map(|i| 40.0 * libm::sin(f64::from(i))).collect();
            let one_by_one: f64 = values.iter().map(|&x| softplus(x)).sum();
            assert!((sum_softplus(&values) - one_by_one).abs() <= 1e-13 * one_by_one, "{n} values");
        }
        assert!(sum_softplus(&[0.0, f64::NAN]).is_nan() && sum_softplus(&[f64::INFINITY, 1.0]).is_infinite());
    }

    #[test]
    fn means_come_with_the_sum_over_states() {
        for n in [0, 1, 7, 8, 9, 1000, 20_003] {
            let fields: Vec<f32> = (0..n).map(|i| 20.0 * (i as f32).sin()).collect();
            let (mut means, mut expected) = (vec![0.0; n], vec![0.0; n]);
            for (low, gap) in [(-1.0, 2.0), (0.0, 1.0)] {
                let sum = means_and_log_sum(&fields, low, gap, &mut means);
                sigma_each(&fields, gap, low, gap, &mut expected);
                let of_one = |&a: &f32| f64::from(low) * f64::from(a) + softplus(f64::from(gap) * f64::from(a));
                let one_by_one: f64 = fields.iter().map(of_one).sum();
                assert_eq!(means, expected);
                assert!((sum - one_by_one).abs() <= 1e-6 * (n as f64 + one_by_one), "{n} values: {sum} and {one_by_one}");
            }
        }
    }

    #[test]
    fn means_come_with_their_errors() {
        assert_eq!(mean_and_error(&[1.0, 2.0, 3.0, 4.0]), (2.5, (5.0_f64 / 12.0).sqrt()));
        assert_eq!(mean_and_error(&[3.0]), (3.0, f64::INFINITY));
    }

    #[test]
    fn sums_in_log_space_do_not_overflow() {
        assert_eq!(softplus(1000.0), 1000.0);
        assert_eq!(sum_softplus(&vec![1e6; 20_001]), 20_001.0 * 1e6);
        assert!((softplus(0.0) - std::f64::consts::LN_2).abs() < 1e-15);
        assert!((log_sum_exp(&[1000.0, 1000.0]) - 1000.0 - std::f64::consts::LN_2).abs() < 1e-12);
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
    }
}
