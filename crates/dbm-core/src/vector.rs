//! Loops compiled for the vector unit found at run time.

use pulp::{Arch, Simd, WithSimd};

/// Runs `f` compiled for the machine's vector unit. Mark the closure `#[inline(always)]`: code that is not inlined here is compiled for the
/// oldest machine of its kind, at a quarter of the speed, and only the time of a step reveals it.
///
/// The explicit `FnOnce` bound also matters. A closure passed directly to `pulp` gets the kind that its body allows, and if that can be
/// called more than once, it is called through a function that cannot be marked.
#[inline(always)]
pub(crate) fn vectorized<R>(f: impl FnOnce() -> R) -> R {
    dispatch(f)
}

/// Runs an operation compiled for the machine's vector unit. A WebAssembly program compiled with vector instructions does not start without
/// them, so it contains no code for machines that lack them.
#[inline(always)]
pub(crate) fn dispatch<O: WithSimd>(operation: O) -> O::Output {
    match Arch::new() {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Arch::Simd128(simd) => operation.with_simd(simd),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        _ => unreachable!("compiled for vectors"),
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        arch => arch.dispatch(operation),
    }
}

/// The name of the vector unit that loops and tables use on this machine.
pub fn vector_unit() -> &'static str {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;
        fn with_simd<S: Simd>(self, _: S) -> usize {
            S::F32_LANES
        }
    }
    match dispatch(Lanes) {
        16 => "AVX-512",
        8 => "AVX2",
        4 if cfg!(target_arch = "wasm32") => "simd128",
        4 => "NEON",
        _ => "none",
    }
}

/// 32 flags, each 0 or 1, as bits of a word, the first one lowest. It folds halves onto each other, since no compiler vectorizes the
/// simpler sum in a loop.
#[inline(always)]
pub(crate) fn bits_of(mut flags: [u32; 32]) -> u32 {
    for (place, flag) in flags.iter_mut().enumerate() {
        *flag <<= place;
    }
    for half in [16, 8, 4] {
        for place in 0..half {
            flags[place] |= flags[place + half];
        }
    }
    (flags[0] | flags[1]) | (flags[2] | flags[3])
}

#[cfg(test)]
mod tests {
    use super::bits_of;

    #[test]
    fn flags_become_the_bits_of_their_places() {
        for word in (0..32).map(|place| 1 << place).chain([0, u32::MAX, 0x8000_0001, 0x1234_5678, 0xfedc_ba98]) {
            assert_eq!(bits_of(std::array::from_fn(|place| word >> place & 1)), word);
        }
    }
}
