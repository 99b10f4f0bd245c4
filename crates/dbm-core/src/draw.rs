//! Units drawn from their conditional distributions with vector code.

use crate::math::{DOUBT, rough_exp2, sigmas};
use crate::rng::{Stream, uniform};
use bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};
use std::array::from_fn;
use std::f32::consts::LOG2_E;

/// Decides as [`GibbsDraw`](crate::sweep::GibbsDraw) does, by `sigma(gap a) - u` or a number of the same sign.
///
/// Each draw of the generator waits for the one before, while all else is vector code; so the draws for later units are made alongside the
/// decisions for the units of a block. `u (1 + exp(-gap a))`, known to four digits, decides if it is clearly on one side of 1; a block with
/// a doubtful unit is computed again.
pub(crate) struct Draw<'a> {
    pub stream: &'a mut Stream,
    /// Buffer for the raw numbers behind the uniforms.
    pub draws: &'a mut Vec<u64>,
    pub fields: &'a [f32],
    pub gap: f32,
    pub decisions: &'a mut [f32],
}

/// Vectors computed together, since each step on one waits for the step before.
const VECTORS: usize = 2;
/// Draws are made this far ahead of being read, so that they have reached memory by then.
const AHEAD: usize = 64;

/// `1 - u (1 + exp(-gap a))`, or `sigma(gap a) - u` for all if some are too close to 0.
#[inline(always)]
fn decisions_of<S: Simd>(simd: S, gap: f32, fields: &[S::f32s; VECTORS], draws: &[u64]) -> [S::f32s; VECTORS] {
    let all = |value: f32| simd.splat_f32s(value);
    let mut us = [all(0.0); VECTORS];
    let bits: &[u32] = cast_slice(draws);
    cast_slice_mut::<_, f32>(&mut us).iter_mut().zip(bits).for_each(|(u, &bits)| *u = uniform(bits));
    let tails = rough_exp2(simd, fields.map(|field| simd.mul_f32s(field, all(-gap * LOG2_E))));
    let rough = from_fn(|v| simd.sub_f32s(all(1.0), simd.mul_add_e_f32s(us[v], tails[v], us[v])));
    let mut near = simd.less_than_f32s(all(1.0), all(0.0));
    for rough in rough {
        near = simd.or_m32s(near, simd.less_than_f32s(simd.abs_f32s(rough), all(DOUBT)));
    }
    if simd.first_true_m32s(near) == S::F32_LANES {
        return rough;
    }
    let sigmas = sigmas(simd, fields.map(|field| simd.mul_f32s(field, all(gap))));
    from_fn(|v| simd.sub_f32s(sigmas[v], us[v]))
}

impl WithSimd for Draw<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { stream, draws, fields, gap, decisions } = self;
        let (count, block) = (fields.len().div_ceil(2), VECTORS * S::F32_LANES / 2);
        draws.resize(count.next_multiple_of(block), 0);
        let mut drawn = count.min(AHEAD);
        let mut own = stream.clone(); // in registers
        own.fill_draws(&mut draws[..drawn]);
        let (whole, last) = fields.split_at(fields.len() / (2 * block) * (2 * block));
        let (into, rest) = decisions.split_at_mut(whole.len());
        let blocks = S::as_simd_f32s(whole).0.as_chunks().0;
        for (i, (decisions, fields)) in S::as_mut_simd_f32s(into).0.as_chunks_mut().0.iter_mut().zip(blocks).enumerate() {
            let until = count.min(drawn + block);
            own.fill_draws(&mut draws[drawn..until]);
            drawn = until;
            *decisions = decisions_of(simd, gap, fields, &draws[i * block..][..block]);
        }
        if !last.is_empty() {
            let mut fields = [simd.splat_f32s(0.0); VECTORS];
            cast_slice_mut(&mut fields)[..last.len()].copy_from_slice(last);
            own.fill_draws(&mut draws[drawn..count]);
            let decisions = decisions_of(simd, gap, &fields, &draws[whole.len() / 2..][..block]);
            rest.copy_from_slice(&cast_slice(&decisions)[..rest.len()]);
        }
        *stream = own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::sigma;
    use crate::rng::{Purpose, Streams};
    use crate::vector::dispatch;
    use pulp::Scalar;

    /// Every decision is that of `sigma(gap a) - u`, although a few hundred are doubtful; and the stream continues as if all had been drawn
    /// one after another.
    #[test]
    fn a_draw_decides_as_the_logistic_function_does() {
        for (n, gap) in [(0, 1.0), (1, 2.0), (7, 1.0), (130, 2.0), (500, 1.0), (784, 2.0), (100_001, 2.0), (1_000_000, 1.0)] {
            let mut stream = Streams::new(3).at(Purpose::Completion, n as u64, 0);
            let mut fields: Vec<f32> = (0..n).map(|_| (4.0 * stream.gaussian()) as f32).collect();
            fields.iter_mut().zip([1e9, -1e9, f32::INFINITY, f32::NEG_INFINITY, 0.0, f32::NAN]).for_each(|(field, a)| *field = a);
            let (mut plain, mut uniforms) = (stream.clone(), vec![0.0; n]);
            plain.fill_uniform(&mut uniforms);
            let decide = |by_vectors: bool| {
                let (mut own, mut decisions) = (stream.clone(), vec![0.0; n]);
                let draw = Draw { stream: &mut own, draws: &mut Vec::new(), fields: &fields, gap, decisions: &mut decisions };
                if by_vectors {
                    dispatch(draw);
                } else {
                    draw.with_simd(Scalar::new());
                }
                assert_eq!(own, plain);
                decisions
            };
            for decisions in [decide(true), decide(false)] {
                for ((&a, &u), &decision) in fields.iter().zip(&uniforms).zip(&decisions) {
                    assert_eq!(decision >= 0.0, sigma(gap * a) - u >= 0.0, "field {a}, uniform {u}");
                }
            }
            let doubted = fields.iter().zip(&uniforms).filter(|&(&a, &u)| (1.0 - u / sigma(gap * a)).abs() < DOUBT).count();
            assert!(doubted > 100 || n < 1_000_000, "{doubted}");
        }
    }

    #[test]
    fn a_rough_power_is_within_a_third_of_the_doubt() {
        for x in (-126_000..=126_000).map(|x| x as f32 / 1000.0) {
            let [rough] = rough_exp2(Scalar::new(), [x]);
            let exact = libm::exp2(f64::from(x));
            assert!((f64::from(rough) / exact - 1.0).abs() < f64::from(DOUBT) / 3.0, "2^{x}: {rough}");
        }
    }
}
