//! States of threads at the instants of samples: those that events give are compared with those that the runtime gives in the
//! signal's handler, and with the code that the thread runs.

use super::{Run, over};
use anyhow::{Result, ensure};
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::sampled::{Compared, compared};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};

const SETTINGS: [(&str, &str); 3] =
    [RECORD_ONLY, ("OMPTTRACE_SAMPLE", "1000,wall"), ("OMPTTRACE_CORES", "off")];

fn on(runtime: &str) -> Result<Run> {
    let program = programs::of_test("tests/samples/states.c")?;
    over("states", traced::run(&program, &runtimes::by_name(runtime)?, By::Runtime, &SETTINGS)?)
}

fn all_of(run: &Run) -> Result<Vec<Compared>> {
    let facts = &run.recording.facts.samples;
    ensure!(facts.threads == 2 && facts.threads_without == 0, "{facts:?}");
    compared(&run.recording, &run.scratch.only_run()?)
}

/// Checks that of the samples for which `are` is true, at least 95 % have one of these states by events.
fn agree(samples: &[Compared], are: impl Fn(&Compared) -> bool, by_events: &[&str]) -> Result<()> {
    let of: Vec<_> = samples.iter().filter(|one| are(one)).collect();
    let others = of.iter().filter(|one| !by_events.contains(&one.by_events.as_str())).count();
    let some = of.iter().find(|one| !by_events.contains(&one.by_events.as_str()));
    ensure!(of.len() > 20 && others * 20 <= of.len(), "{others} of {}: {some:?}", of.len());
    Ok(())
}

/// Compares the states by events with those that the runtime reported.
fn check_runtime(runtime: &str) -> Result<()> {
    let samples = all_of(&on(runtime)?)?;
    agree(&samples, |one| one.by_runtime == "work", &["work"])?;
    // A worker stays in a region's last barrier, as its runtime has it, until the next region; events end its part with
    // the region.
    agree(&samples, |one| one.by_runtime == "wait", &["wait", "idle"])?;
    agree(&samples, |one| one.by_runtime == "wait" && one.by_events != "idle", &["wait"])?;
    check_code(&samples)
}

/// Compares the states by events with the code: a thread runs the program's `work`, or waits for another one that does.
/// The samples' innermost frames must have the same states.
fn check_code(samples: &[Compared]) -> Result<()> {
    let waits = |one: &Compared| {
        one.pseudo_frame
            .as_ref()
            .is_some_and(|name| name.ends_with("wait>") || name.ends_with("barrier>"))
    };
    agree(samples, |one| one.pseudo_frame.is_none(), &["work"])?;
    agree(samples, waits, &["wait"])?;
    agree(samples, |one| one.in_work, &["work"])?;
    agree(samples, |one| !one.in_work, &["wait", "idle"])?;
    agree(samples, |one| !one.in_work && one.by_events != "idle", &["wait"])
}

#[test]
fn events_say_what_libomp_says() -> Result<()> {
    check_runtime("libomp-19")
}

#[cfg(target_arch = "x86_64")]
#[test]
fn events_say_what_intels_runtime_says() -> Result<()> {
    check_runtime("intel-2026")
}

/// libgomp says no states.
#[test]
fn events_say_where_code_on_libgomp_is() -> Result<()> {
    let traced = traced::run_own("tests/samples/states.c", &[], By::Gomp, &SETTINGS)?;
    let run = over("states", traced)?;
    ensure!(run.samples()?.iter().all(|taken| taken.state == 0), "a state without a runtime");
    check_code(&all_of(&run)?)
}
