//! The target `pool` of `ompttrace_tests::fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ompttrace_tests::fuzz::read("pool", bytes));
