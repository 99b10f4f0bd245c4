//! Seeds that the user did not choose.

/// Fresh seeds are below this number, so that an address or a command line shows six digits at most.
const BOUND: u32 = 1_000_000;

/// A seed in `0..1_000_000` from the system's source of randomness: the Web Crypto interface in a browser.
///
/// # Panics
/// If the system has no such source. Every browser, Linux, macOS and Windows have one.
pub fn fresh_seed() -> u32 {
    getrandom::u32().expect("a source of randomness") % BOUND
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_seeds_differ_and_are_short() {
        let seeds: Vec<u32> = (0..4).map(|_| fresh_seed()).collect();
        assert!(seeds.iter().all(|&seed| seed < BOUND));
        // Four equal draws of a million numbers: once in 10^18.
        assert!(seeds.iter().any(|&seed| seed != seeds[0]), "{seeds:?}");
    }
}
