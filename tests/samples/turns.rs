//! Sampling of more threads than the budget of signals of a process allows: the threads take turns.

use anyhow::{Result, ensure};
use ompttrace_recording::Recording;
use ompttrace_tests::sampled;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};

/// Signals of wall time wake threads that sleep. As many for each as it asks for would stop the program.
#[test]
fn many_sleepers_share_a_budget_of_signals() -> Result<()> {
    let cores = std::thread::available_parallelism()?.get() as u64;
    let threads = 60 * cores;
    let settings = [RECORD_ONLY, ("OMPTTRACE_SAMPLE", "1000,wall")];
    let source = "tests/samples/sleepers.c";
    let run = traced::run_own(source, &[&threads.to_string()], By::Runtime, &settings)?;
    let recording = Recording::open(&run.scratch.only_run()?)?;
    let facts = &recording.facts.samples;
    ensure!(facts.threads == threads, "{facts:?}");
    // 60 threads for each core, which bears 1,000 signals a second.
    ensure!((60_000_000..65_000_000).contains(&facts.longest_period_ns), "{facts:?}");
    let samples = sampled::taken(&recording)?;
    let stood_for = samples.iter().map(|sample| sample.weight).sum::<u64>() as f64;
    // Whose turn came late on a busy machine counts for what was missed.
    let slept = 1e9 * threads as f64;
    ensure!((0.7 * slept..10.0 * slept).contains(&stood_for), "{stood_for} of {slept}");
    // Some more while threads come, of which the first know no others.
    let most = stood_for / facts.longest_period_ns as f64 + 4.0 * threads as f64;
    ensure!((samples.len() as f64) < 1.5 * most, "{} of {most}", samples.len());
    Ok(())
}
