//! Philox4x32-10, the generator of the kernels (Salmon, Moraes, Dror and Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"): four
//! words for each key and counter, so that any unit of any chain can draw without waiting for another.

const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// The key's words increase by these each round: the golden ratio, and the square root of 3 less 1.
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: usize = 10;

/// The four words for a counter and a key.
///
/// ```
/// assert_eq!(dbm_gpu::philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
/// ```
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..ROUNDS {
        let product = |place: usize| u64::from(MULTIPLIERS[place]) * u64::from(counter[2 * place]);
        let (first, second) = (product(0), product(1));
        let high = |product: u64| (product >> 32) as u32;
        counter = [high(second) ^ counter[1] ^ key[0], second as u32, high(first) ^ counter[3] ^ key[1], first as u32];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// A uniform in `(0, 1]` on a grid of 2^-24 from a word, computed as in [`dbm_core`]'s streams.
pub fn uniform(word: u32) -> f32 {
    ((word >> 8) + 1) as f32 / (1 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers published by its authors.
    #[test]
    fn answers_are_the_known_ones() {
        assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let digits_of_pi = ([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]);
        assert_eq!(philox(digits_of_pi.0, digits_of_pi.1), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn uniforms_reach_one_and_not_zero() {
        assert_eq!((uniform(0), uniform(u32::MAX)), ((-24_f32).exp2(), 1.0));
    }
}
