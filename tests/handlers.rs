//! Signal handlers that use OpenMP, wherever they interrupt the tool: what the runtime sent is recorded or counted
//! as lost, to the last event, nothing is said of files that may not grow, and the program ends as it would.
//! (tests/direct.rs has a handler's calls after each instruction of a callback.)

use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::recorded::Recorded;
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use ompttrace_tests::{build, exactness, oracle};

/// Arguments of the program: the way of its interruptions, their number, and the number of locks that each handler takes.
type Load = [&'static str; 3];

/// Handlers that come by the clock come in the midst of the fast path too, where their records may be lost
/// uncounted: these have the slow clock, with which no event takes it.
const BY_THE_CLOCK: [(&str, Load); 6] = [
    ("wait", ["timer", "300", "1"]),
    ("wait", ["timer", "100", "20"]),
    ("wait", ["nested", "200", "2"]),
    ("wait", ["stack", "200", "2"]),
    ("drop", ["timer", "200", "2"]),
    ("ring", ["nested", "200", "2"]),
];

#[test]
fn nothing_is_uncounted_on_libomp() -> Result<()> {
    by_the_clock(&runtimes::libomp_19()?)?;
    inside_writes(&runtimes::libomp_19()?)
}

#[cfg(target_arch = "x86_64")]
#[test]
fn nothing_is_uncounted_on_intels_runtime() -> Result<()> {
    by_the_clock(&runtimes::by_name("intel-2026")?)?;
    inside_writes(&runtimes::by_name("intel-2026")?)
}

fn by_the_clock(runtime: &Runtime) -> Result<()> {
    for (policy, load) in BY_THE_CLOCK {
        let settings = [("OMPTTRACE_OVERFLOW", policy), ("OMPTTRACE_CLOCK", "quanta")];
        check(load, runtime, &settings)
            .with_context(|| format!("{load:?}, {policy}, {}", runtime.name))?;
    }
    Ok(())
}

/// Each write of a thread's full buffers is interrupted twice, with the clock as it usually is: handlers that take
/// one lock find room for all of it, those that take many lose what does not fit.
fn inside_writes(runtime: &Runtime) -> Result<()> {
    for policy in ["wait", "drop"] {
        let settings = [("OMPTTRACE_OVERFLOW", policy)];
        let (lost, _, is_slow) = check(["inside", "300", "1"], runtime, &settings)?;
        ensure!(lost == 0 || is_slow, "{policy}: {lost} lost");
        let (lost, recorded, _) = check(["inside", "100", "200"], runtime, &settings)?;
        ensure!(lost > 0 && recorded > 0, "{policy}: {lost} lost of {recorded}");
    }
    Ok(())
}

/// Part of the message of OMPTTRACE_OVERFLOW=drop about slow writes, which may occur on any machine with other load.
const SLOW: &str = "the disk does not follow";

/// Runs it; returns how many events were lost and recorded, and whether the disk was slow.
fn check(load: Load, runtime: &Runtime, settings: &[(&str, &str)]) -> Result<(u64, u64, bool)> {
    let program = program(load)?;
    let (run, scratch) = run(&program, program.command(runtime)?, By::Oracle, settings)?;
    let said = exactness::check_sums(&scratch)?;
    ensure!(said.is_empty(), "{said}{run:?}");
    let (lost, recorded) = is_sound(&scratch)?;
    Ok((lost, recorded, run.stderr.contains(SLOW)))
}

/// Handlers that jump out of a write leave a thread that goes on recording, and no other waits for it.
#[test]
fn handlers_may_jump_out_of_writes() -> Result<()> {
    let program = program(["leaps", "30", "0"])?;
    let command = program.command(&runtimes::libomp_19()?)?;
    let (run, scratch) = run(&program, command, By::Oracle, &[])?;
    let said = exactness::check_sums(&scratch)?;
    ensure!(said.is_empty(), "{said}{run:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    let recorded = number(&info, "/callbacks/mutex_released/recorded")?;
    ensure!(recorded >= 1000, "{recorded} recorded, of a thousand behind the last jump");
    is_sound(&scratch).map(drop)
}

/// The program counts for itself what its handlers did.
#[test]
fn nothing_is_uncounted_on_libgomp() -> Result<()> {
    for load in [["timer", "300", "1"], ["inside", "300", "1"]] {
        let program = program(load)?.by_gcc();
        let clock = ("OMPTTRACE_CLOCK", "quanta");
        let (run, scratch) = run(&program, program.command_as_linked()?, By::Gomp, &[clock])?;
        let acquired = run.stdout.lines().find_map(|line| line.strip_prefix("acquired "));
        let acquired: u64 = acquired.context("its count")?.parse()?;
        let info = Product::find()?.info(&scratch.only_run()?)?;
        for event in ["mutex_acquire", "mutex_acquired", "mutex_released"] {
            let count = |what| number(&info, &format!("/callbacks/{event}/{what}"));
            let (recorded, lost) = (count("recorded")?, count("lost")?);
            ensure!(recorded + lost == acquired, "{recorded} and {lost} of {acquired}, {load:?}");
        }
        is_sound(&scratch)?;
    }
    Ok(())
}

fn program(load: Load) -> Result<Program> {
    let mut program = programs::of_test("tests/handlers/handlers.c")?;
    program.directives.args = load.map(String::from).to_vec();
    Ok(program)
}

fn run(
    program: &Program,
    mut command: Command,
    by: By,
    settings: &[(&str, &str)],
) -> Result<(Finished, Scratch)> {
    let scratch = Scratch::new()?;
    scratch.attach(&mut command, by)?;
    if ["inside", "leaps"].contains(&program.directives.args[0].as_str()) {
        let source = build::root().join("tests/handlers/interrupts.c");
        let flags = ["-O1", "-fPIC", "-shared", "-ldl"];
        let library = oracle::compiled(&[source], "handlers/libinterrupts.so", &flags)?;
        runtimes::prepend(&mut command, "LD_PRELOAD", &library);
    }
    command.env(RECORD_ONLY.0, RECORD_ONLY.1).env("OMPTTRACE_BUFFER", "4K");
    command.envs(settings.iter().copied()).current_dir(scratch.path());
    let run = process::run(&mut command, program.directives.timeout)?;
    ensure!(run.ended_by(program.directives.end), "{run:?}");
    let said = run.stderr.lines().filter(|line| !line.contains(SLOW)).count();
    ensure!(said == 1 && !run.stderr.contains("cannot"), "{run:?}");
    Ok((run, scratch))
}

/// Every byte can be read, and no thread's time runs backwards; how many events were lost and recorded.
fn is_sound(scratch: &Scratch) -> Result<(u64, u64)> {
    let run = scratch.only_run()?;
    let info = Product::find()?.info(&run)?;
    let recorded = Recorded::read(&run)?;
    ensure!(recorded.backwards == 0, "{} records back in time", recorded.backwards);
    ensure!(recorded.unreadable == 0, "{} bytes unreadable", recorded.unreadable);
    ensure!(info["closed"] == true, "{info}");
    Ok((number(&info, "/events/lost")?, number(&info, "/events/recorded")?))
}
