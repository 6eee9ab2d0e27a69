//! Coroutines, whose stacks are smaller than what a signal's handler needs: samples of them are taken elsewhere.

use super::run_program;
use anyhow::{Result, ensure};
use ompttrace_tests::traced::By;

/// Bytes of a coroutine's stack, and how many of them it may use: it computes, or enters critical sections as well. The kernel's
/// part of a signal alone has more than the first ones.
const STACKS: [(&str, u64); 3] = [("4096", 512), ("8192", 512), ("16384", 16384)];

#[test]
fn nothing_of_a_sample_is_on_the_stack_of_a_coroutine() -> Result<()> {
    for by in [By::Runtime, By::Gomp] {
        for ((bytes, limit), sampling) in STACKS.into_iter().zip(["1000", "1000,wall", "1000"]) {
            let run = run_program("coroutines", &[bytes], by, sampling)?;
            let (used, samples) = (run.number("used ")?, run.samples()?.len());
            ensure!(used <= limit, "{by:?} {bytes}: {used} bytes used");
            ensure!(samples > 50, "{by:?} {bytes}: {samples} samples");
        }
    }
    Ok(())
}
