//! The properties that the fuzz targets check, on their corpus and on proptest's bytes: see `fuzz/src/lib.rs`.
//!
//! A single test, because memory is counted for the whole process.

#[path = "../../../fuzz/src/lib.rs"]
mod targets;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::path::PathBuf;

#[test]
fn no_parser_panics_or_takes_more_memory_than_is_stated() {
    let corpus: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../fuzz/corpus"].iter().collect();
    for (name, target) in targets::TARGETS {
        let files: Vec<PathBuf> = std::fs::read_dir(corpus.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() >= 5, "{name} has only {} seeds", files.len());
        let seeds: Vec<Vec<u8>> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
        target(&[]);
        for (seed, file) in seeds.iter().zip(&files) {
            println!("{}", file.display());
            target(seed);
        }
        // Seeds with a part changed, removed or repeated, and random bytes.
        let damaged =
            (prop::sample::select(seeds), any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<Vec<u8>>(), 0..4_u8);
        // A runner counts its cases: each target has its own.
        let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
        TestRunner::new(config)
            .run(&damaged, |(mut bytes, from, to, noise, how)| {
                let (from, to) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
                match how {
                    0 => bytes.truncate(from),
                    1 => drop(bytes.splice(from.min(to)..from.max(to), noise)),
                    2 => bytes.iter_mut().skip(from).zip(noise).for_each(|(byte, noise)| *byte = noise),
                    _ => bytes.extend(noise),
                }
                target(&bytes);
                Ok(())
            })
            .unwrap();
    }
}
