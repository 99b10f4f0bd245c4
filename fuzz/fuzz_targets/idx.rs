#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dbm_fuzz::idx(data));
