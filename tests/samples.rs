//! Samples (OMPTTRACE_SAMPLE): they find the program's functions where its time goes, below the constructs that events
//! know, and leave its signals, system calls and children alone.

mod blame;
mod coroutines;
mod exits;
mod formats;
mod signals;
mod states;
mod turns;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::Recording;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::process::Finished;
use ompttrace_tests::sampled::{self, STACKS, Taken};
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch, Traced};

/// A run that is over.
struct Run {
    said: Finished,
    recording: Recording,
    scratch: Scratch,
}

impl Run {
    /// The number after a word at the begin of a line of the program's.
    fn number(&self, word: &str) -> Result<u64> {
        let line = self.said.stdout.lines().find_map(|line| line.strip_prefix(word));
        Ok(line.with_context(|| format!("no {word} in {:?}", self.said))?.trim().parse()?)
    }

    /// All samples.
    fn samples(&self) -> Result<Vec<Taken>> {
        sampled::taken(&self.recording)
    }
}

fn run(what: &str, by: By, setting: &str) -> Result<Run> {
    run_program("samples", &[what], by, setting)
}

fn run_program(program: &str, arguments: &[&str], by: By, setting: &str) -> Result<Run> {
    let settings = [RECORD_ONLY, ("OMPTTRACE_SAMPLE", setting)];
    let source = format!("tests/samples/{program}.c");
    let traced = traced::run_own(&source, arguments, by, &settings)?;
    over(program, traced)
}

/// Opens the recording of a run that must have succeeded.
fn over(program: &str, traced: Traced) -> Result<Run> {
    let Traced { run: said, scratch } = traced;
    ensure!(said.last_line() == format!("ok {program} 0"), "{said:?}");
    let folders = scratch.runs()?;
    let first = folders.first().context("a run folder")?;
    let recording = Recording::open(first)?;
    Ok(Run { said, recording, scratch })
}

/// Returns true if this user may use perf events on this machine.
fn is_allowed(run: &Run) -> bool {
    run.recording.facts.samples.perf.is_empty()
}

fn check_shares(by: By, construct: &str) -> Result<()> {
    let run = run("hot", by, "500")?;
    let mut judged = Judged::open(&run.scratch.only_run()?)?;
    let mut count = |sql: &str| judged.count(sql);
    let all = count("select count(*) from perf_sample")?;
    let within = |function: &str| {
        format!("select count(distinct sample) from ({STACKS}) where name = '{function}'")
    };
    let (much, little) = (count(&within("much"))?, count(&within("little"))?);
    // Two threads for a second each, less what was in the kernel, to which cpu() goes.
    ensure!(all > 400, "{all} samples");
    // On a busy machine threads spin at the barrier until the other one had its core.
    ensure!(much + little > all / 2, "{much} and {little} of {all}");
    // The share is three quarters; the standard error of 800 samples is 1.5 %.
    let share = much as f64 / (much + little) as f64;
    ensure!((0.68..0.82).contains(&share), "{much} and {little}");
    let below = format!(
        "select count(distinct a.sample) from ({STACKS}) a join ({STACKS}) b using (sample) \
         where a.name = 'much' and b.name glob '{construct}'"
    );
    ensure!(count(&below)? > much * 9 / 10, "not below their construct");
    ensure!(judged.judge().stats_errors()?.is_empty());
    Ok(())
}

#[test]
fn time_is_found_where_it_goes() -> Result<()> {
    check_shares(By::Runtime, "implicit task samples.c:*")
}

#[test]
fn also_on_libgomp() -> Result<()> {
    check_shares(By::Gomp, "implicit task samples.c:*")
}

/// ompt_state_work_parallel is 1; a runtime says nothing else of threads in a region's code.
#[test]
fn the_runtimes_state_is_that_of_events() -> Result<()> {
    let run = run("hot", By::Runtime, "500")?;
    let samples = run.samples()?;
    let parallel = samples.iter().filter(|taken| taken.state == 1).count();
    ensure!(
        !samples.is_empty() && parallel * 10 >= samples.len() * 8,
        "{parallel} of {}",
        samples.len()
    );
    Ok(())
}

#[test]
fn a_signal_that_the_program_uses_stays_its_own() -> Result<()> {
    let run = run("taken", By::Runtime, "500")?;
    ensure!(run.number("taken ")? == 1, "{:?}", run.said);
    let facts = &run.recording.facts.samples;
    ensure!(facts.why.contains("has a handler"), "{facts:?}");
    ensure!(run.said.stderr.contains("no samples: "), "{:?}", run.said);
    ensure!(run.samples()?.is_empty());
    Ok(())
}

#[test]
fn a_thread_that_blocks_the_signal_is_not_sampled() -> Result<()> {
    let run = run("blocked", By::Runtime, "500")?;
    ensure!(run.number("pending ")? == 0, "{:?}", run.said);
    let facts = &run.recording.facts.samples;
    ensure!(facts.threads == 0 && facts.threads_without == 2, "{facts:?}");
    Ok(())
}

#[test]
fn system_calls_are_not_interrupted() -> Result<()> {
    let run = run("calls", By::Runtime, "2000")?;
    ensure!(run.number("interrupted ")? == 0 || !is_allowed(&run), "{:?}", run.said);
    ensure!(run.samples()?.len() > 50);
    Ok(())
}

/// A forked child gets no samples, by perf events or by timers, and no signal interrupts its sleep.
#[test]
fn children_are_not_sampled_for_their_parent() -> Result<()> {
    for setting in ["2000", "2000,wall"] {
        let run = run("fork", By::Runtime, setting)?;
        ensure!(run.number("child ")? == 0 && run.number("other ")? == 0, "{:?}", run.said);
        ensure!(run.samples()?.len() > 100, "the parent");
    }
    Ok(())
}

/// A walk would not fit on it: its thread's samples have the innermost address alone, also where the kernel forgets the
/// stack while the handler runs.
#[test]
fn a_small_stack_for_signals_is_enough() -> Result<()> {
    for what in ["alternate", "disarmed"] {
        let run = run(what, By::Runtime, "500")?;
        let samples = run.samples()?;
        let (small, usual): (Vec<&Taken>, Vec<_>) =
            samples.iter().partition(|taken| taken.os_thread == run.said.pid);
        let are_short = small.iter().all(|taken| taken.frames == 1);
        ensure!(small.len() > 50 && are_short, "{what}: {small:?}");
        let walked = usual.iter().filter(|taken| taken.frames > 2).count();
        ensure!(usual.len() > 50 && walked * 10 > usual.len() * 9, "{what}: {usual:?}");
    }
    Ok(())
}

/// A perf event stays by its mapping: none of its descriptors is among the program's.
#[test]
fn no_descriptor_is_left_open() -> Result<()> {
    let run = run("descriptors", By::Runtime, "500")?;
    ensure!(run.number("descriptors ")? == 0, "{:?}", run.said);
    ensure!(run.samples()?.len() > 100);
    Ok(())
}
