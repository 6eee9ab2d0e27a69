//! However a program ends, it ends as it would without us, and what it had reported until then can be
//! exported. Both with OMP_TOOL_LIBRARIES and with LD_PRELOAD, for which the order of endings differs.

mod killed;
mod matrix;
mod overflow;
mod steps;
mod wrapped;

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::oracle::Counts;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch};
use ompttrace_tests::{crowd, exactness, process, runtimes};

/// State of the recording after the program's end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Left {
    /// The runtime was finalized: the trace is written, and the pool is gone.
    All,
    /// exit() was called while the runtime was busy: the trace is written, and says where it is truncated.
    Cut,
    /// No code of the tool ran at the end: there is only a recording.
    Recording,
}

const ENDINGS: &[(&str, Left)] = &[
    ("programs/c/hello.c", Left::All),
    ("programs/c/two_roots.c", Left::All),
    ("programs/c/pause_hard.c", Left::All),
    ("programs/c/pause_soft.c", Left::All),
    ("programs/c/root_outlives_main.c", Left::All),
    ("programs/cpp/destructor_region.cpp", Left::All),
    ("programs/c/serial.c", Left::All),
    ("endings/exits.c", Left::All),
    ("programs/c/exit_in_region.c", Left::Cut),
    ("programs/c/exit_in_worker.c", Left::Cut),
    ("programs/c/quick_death.c", Left::Recording),
    ("programs/c/aborted.c", Left::Recording),
    ("programs/c/killed.c", Left::Recording),
    ("endings/execs.c", Left::Recording),
];

#[test]
fn a_program_ends_as_without_the_tool() -> Result<()> {
    for (source, left) in ENDINGS {
        let program = programs::of_test(&format!("tests/{source}"))?;
        let mut command = program.command(&runtimes::libomp_19()?)?;
        let alone = process::run(&mut command, program.directives.timeout)?;
        ensure!(alone.ended_by(program.directives.end), "{source} alone: {alone:?}");
        for by in [By::Runtime, By::Preload] {
            let what = format!("{source} {by:?}");
            let traced = traced::run(&program, &runtimes::libomp_19()?, by, &[])?;
            assert_eq!(traced.run.status, alone.status, "{what}: {}", traced.run.stderr);
            assert_eq!(traced.run.stdout, alone.stdout, "{what}");
            check_left(&traced.scratch, *left, &traced.run.stderr, &what)?;
        }
    }
    Ok(())
}

fn check_left(scratch: &Scratch, left: Left, stderr: &str, what: &str) -> Result<()> {
    if what.starts_with("programs/c/serial.c") && scratch.runs()?.is_empty() {
        // The runtime never started: there is nothing to leave.
        return Ok(());
    }
    let run = scratch.only_run().with_context(|| what.to_string())?;
    let info = Product::find()?.info(&run)?;
    let (finalized, closed) = (info["finalized"] == true, info["closed"] == true);
    assert_eq!((finalized, closed), (left == Left::All, left == Left::All), "{what}");
    assert_eq!(run.join("trace.pftrace").is_file(), left != Left::Recording, "{what}");
    let pool = traced::pool_of(&run)?.context("a run has a pool")?;
    assert_eq!(pool.exists(), left != Left::All, "{what}: {}", pool.display());
    assert_eq!(stderr.lines().count(), usize::from(left != Left::Recording), "{what}: {stderr}");
    assert_eq!(
        stderr.contains("cut where the program ended"),
        left == Left::Cut,
        "{what}: {stderr}"
    );
    check_export(&run).with_context(|| what.to_string())?;
    // The export took the pool out of memory, and nothing of its records was lost on the way.
    assert!(!pool.exists(), "{what}: {} is still there", pool.display());
    let events = |info: &serde_json::Value| info["events"].clone();
    assert_eq!(events(&Product::find()?.info(&run)?), events(&info), "{what}");
    Ok(())
}

/// Closing and exporting take milliseconds, in which threads that would have ended with the process must
/// not continue. One of three runs may be one in thousands that the runtime spoils in microseconds.
#[test]
fn threads_that_exit_overtakes_get_no_more_time_than_without_the_tool() -> Result<()> {
    let program = programs::of_test("tests/endings/exits_in_nests.c")?;
    for runtime in runtimes::all()? {
        for by in [By::Runtime, By::Preload] {
            let mut bad = Vec::new();
            for _ in 0..3 {
                let run = traced::run(&program, &runtime, by, &[])?.run;
                if !run.ended_by(program.directives.end) {
                    bad.push(format!("{:?}: {}", run.status, run.stderr));
                }
            }
            assert!(bad.len() < 2, "{} {by:?}: {bad:#?}", runtime.name);
        }
    }
    Ok(())
}

/// A trace can be made again, beside the first, and accounts for every record.
fn check_export(run: &Path) -> Result<()> {
    let product = Product::find()?;
    let (info, export) = (product.info(run)?, product.export(run)?);
    let at = |pointer: &str| number(&export, pointer);
    let dropped = export["records"]["dropped"].as_object().context("dropped is a table")?;
    let dropped: u64 = dropped.values().filter_map(serde_json::Value::as_u64).sum();
    let sum = at("/records/interpreted")? + at("/records/absorbed")? + dropped;
    ensure!(sum == at("/records/read")?, "records do not add up: {}", export["records"]);
    ensure!(at("/events")? == number(&info, "/events/recorded")?, "{export} {info}");
    ensure!(at("/lost")? == 0, "lost: {export}");
    let trace = export["trace"].as_str().context("a path")?;
    ensure!(Path::new(trace).is_file(), "no {trace}");
    Ok(())
}

/// LD_PRELOAD has the tool before the runtime: other destructors first, the same events.
#[test]
fn a_preloaded_tool_is_as_exact() {
    let runtime = runtimes::libomp_19().unwrap();
    crowd::check_all(&runtime, |program, runtime| {
        exactness::check_with(program, runtime, By::OraclePreloaded, &[])
    });
}

#[test]
fn endings_lose_nothing() -> Result<()> {
    for (source, _) in ENDINGS.iter().filter(|(source, _)| source.starts_with("endings/")) {
        let program = programs::of_test(&format!("tests/{source}"))?;
        for by in [By::Oracle, By::OraclePreloaded] {
            let said = exactness::check_with(&program, &runtimes::libomp_19()?, by, &[])?;
            assert!(said.is_empty(), "{source} {by:?}\n{said}");
        }
    }
    Ok(())
}

#[test]
fn a_kill_at_any_instant_loses_nothing_that_was_stored() -> Result<()> {
    let program = programs::of_test("tests/endings/endless.c")?;
    for round in 0..kills() {
        let by = if round % 2 == 0 { By::Oracle } else { By::OraclePreloaded };
        let buffer = ["16K", "4K", "4K@run", "64K"][round % 4];
        let scratch = Scratch::new()?;
        kill_at_some_instant(&program, &scratch, by, |command| {
            command.env("OMPTTRACE_BUFFER", buffer);
        })?;
        let said = exactness::check_left(&program, &scratch)?;
        assert!(said.is_empty(), "round {round}, {by:?}, {buffer}:\n{said}");
        check_export(&scratch.only_run()?).with_context(|| format!("round {round}"))?;
    }
    Ok(())
}

/// Number of times that a program is killed: 20, or the value of TEST_OMPTTRACE_KILLS for a longer test.
fn kills() -> usize {
    std::env::var("TEST_OMPTTRACE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(20)
}

/// Starts the program, waits until events come, and kills it a little later.
fn kill_at_some_instant(
    program: &Program,
    scratch: &Scratch,
    by: By,
    set: impl FnOnce(&mut Command),
) -> Result<()> {
    let mut command = program.command(&runtimes::libomp_19()?)?;
    scratch.attach(&mut command, by)?;
    command.env(RECORD_ONLY.0, RECORD_ONLY.1);
    set(&mut command);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let seen = wait_for_events(scratch, &mut child);
    sleep(Duration::from_micros(some_number() % 25_000));
    child.kill()?;
    let status = child.wait()?;
    seen?;
    ensure!(status.signal() == Some(9), "{status:?}");
    Ok(())
}

fn wait_for_events(scratch: &Scratch, child: &mut Child) -> Result<()> {
    let started = Instant::now();
    loop {
        let counts = Counts::read(&scratch.counts_file(child.id()));
        if counts.is_ok_and(|counts| counts.event("mutex_acquired").returned.sum() > 0) {
            return Ok(());
        }
        ensure!(child.try_wait()?.is_none(), "it ended by itself");
        ensure!(started.elapsed() < Duration::from_secs(20), "no events came");
        sleep(Duration::from_millis(1));
    }
}

/// Another one each time: the clock's last digits, well stirred.
fn some_number() -> u64 {
    let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.subsec_nanos());
    u64::from(now).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

/// A handler of the program that waits for its children must not meet the exporter's end as its own:
/// a program that ignores SIGCHLD still gets its trace.
#[test]
fn an_ignored_sigchld_does_not_keep_the_export_from_ending() -> Result<()> {
    let program = programs::by_name("c/hello")?;
    let scratch = Scratch::new()?;
    let mut inner = program.command(&runtimes::libomp_19()?)?;
    scratch.attach(&mut inner, By::Runtime)?;
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' CHLD; exec \"$0\""]).arg(inner.get_program());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let run = process::run(&mut shell, program.directives.timeout)?;
    assert!(exactness::ending(&program, &run)?.is_empty(), "{run:?}");
    assert!(scratch.only_run()?.join("trace.pftrace").is_file(), "{run:?}");
    Ok(())
}
