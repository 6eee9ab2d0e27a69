//! A program's own signals while it is sampled: what it blocks, takes, waits for and counts stays its own, and where perf
//! events are refused, or not asked for, timers replace them.

use super::{Run, is_allowed, run_program};
use anyhow::{Result, ensure};
use ompttrace_tests::directives::End;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_tests::{build, oracle, programs, runtimes};

fn run(arguments: &[&str], setting: &str) -> Result<Run> {
    run_program("signals", arguments, By::Runtime, setting)
}

/// Both signals: the default one, and a real-time one that was chosen.
fn with_both(what: &str, check: impl Fn(&Run) -> Result<()>) -> Result<()> {
    check(&run(&[what], "2000")?)?;
    check(&run(&[what, "45"], "2000,signal=45")?)
}

fn has_timers(run: &Run) -> Result<()> {
    let facts = &run.recording.facts.samples;
    ensure!(facts.threads == 2 && facts.threads_by_timer == 2, "{facts:?}");
    Ok(())
}

#[test]
fn wall_time_ends_only_calls_early_that_cannot_be_restarted() -> Result<()> {
    let run = run(&["calls"], "500,wall")?;
    has_timers(&run)?;
    ensure!(run.number("failed ")? == 0 && run.number("early ")? > 0, "{:?}", run.said);
    // Each thread is blocked for more than half a second.
    let samples = run.samples()?.len();
    ensure!(run.recording.facts.samples.asked == "500,wall" && samples > 300, "{samples}");
    Ok(())
}

/// The kernel's tick may be longer than the period: then a sample stands for several.
#[test]
fn where_perf_events_are_refused_timers_find_the_time() -> Result<()> {
    let run = run(&["refused"], "1000")?;
    has_timers(&run)?;
    let facts = &run.recording.facts.samples;
    ensure!(facts.perf.contains("perf events are refused"), "{facts:?}");
    let samples = run.samples()?;
    let found: u64 = samples.iter().map(|taken| taken.weight).sum();
    // By the kernel's clock of the process, which has more than the regions: its begin and its end.
    let worked = run.number("worked ")?;
    let expected = worked * 8 / 10..worked * 12 / 10 + 200_000_000;
    ensure!(
        worked > 700_000_000 && expected.contains(&found),
        "{found} ns of {worked} by {}",
        samples.len()
    );
    Ok(())
}

#[test]
fn a_real_time_signal_can_be_chosen() -> Result<()> {
    let run = run(&["work", "45"], "1000,signal=45")?;
    has_timers(&run)?;
    ensure!(!run.samples()?.is_empty() && run.recording.facts.samples.perf.is_empty());
    Ok(())
}

#[test]
fn a_signal_that_the_program_takes_later_is_its_own_from_then_on() -> Result<()> {
    with_both("later", |run| {
        ensure!(run.number("own ")? == 3 && run.number("others ")? == 0, "{:?}", run.said);
        let facts = &run.recording.facts.samples;
        ensure!(facts.threads == 2 && facts.why.contains("has a handler"), "{facts:?}");
        let lines = run.said.stderr.lines().filter(|line| line.contains("no more samples")).count();
        ensure!(lines == 1 && !run.samples()?.is_empty(), "{:?}", run.said);
        Ok(())
    })
}

#[test]
fn a_signal_that_the_program_waits_for_comes_once_and_as_it_was_sent() -> Result<()> {
    for what in ["waits", "reads"] {
        with_both(what, |run| {
            ensure!(run.number("got ")? == 1 && run.number("more ")? == 0, "{:?}", run.said);
            let facts = &run.recording.facts.samples;
            ensure!(facts.threads == 2 && facts.threads_without == 1, "{facts:?}");
            Ok(())
        })?;
    }
    Ok(())
}

/// The default action of a real-time signal is to end the program, and SIGURG's is nothing.
#[test]
fn a_signal_that_the_program_sends_itself_does_what_it_does_without_us() -> Result<()> {
    let run = run(&["ends"], "2000")?;
    ensure!(!run.samples()?.is_empty());
    let mut program = programs::of_test("tests/samples/signals.c")?;
    program.directives.args = ["ends", "45"].map(str::to_owned).into();
    let settings = [RECORD_ONLY, ("OMPTTRACE_SAMPLE", "2000,signal=45")];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    ensure!(traced.run.ended_by(End::Signal(45)), "{:?}", traced.run);
    Ok(())
}

/// A handler on such a stack would end the program.
#[test]
fn a_stack_for_signals_that_holds_none_gets_none() -> Result<()> {
    let run = run(&["tiny"], "2000")?;
    let facts = &run.recording.facts.samples;
    ensure!(facts.threads_without == run.number("given ")?, "{facts:?}");
    ensure!(!run.samples()?.is_empty(), "the other thread has no such stack");
    Ok(())
}

#[test]
fn libraries_come_and_go_during_samples() -> Result<()> {
    let source = build::root().join("tests/samples/loaded.c");
    let flags = ["-g", "-O1", "-fopenmp", "-fPIC", "-shared"];
    let library = oracle::compiled(&[source], "samples/libloaded.so", &flags)?;
    let run = run(&["unloads", &library.display().to_string()], "10000")?;
    ensure!(run.number("rounds ")? == 150, "{:?}", run.said);
    ensure!(run.samples()?.len() > 1000 || !is_allowed(&run));
    Ok(())
}
