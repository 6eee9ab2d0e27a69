//! A run is its process: the time before the first parallel region and after the last one counts, however the
//! process ends, and nobody takes a time in which recording was off for serial work.
//!
//! The program sleeps for at least so long wherever it is serial; what the kernel says of its start is cut to 10 ms.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::process;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch};
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(60);
/// Setting that turns off recording of cores: findings are weighted by the cores that the machine gives the program.
const CORES: (&str, &str) = ("OMPTTRACE_CORES", "off");
/// Lower bound of the duration of each serial section in nanoseconds: the process's start time may be rounded down by 10 ms.
const SERIAL: u64 = 60_000_000 - 10_000_000;

fn program() -> Result<Program> {
    programs::of_test("tests/whole_process/ends.c")
}

fn report(run: &Path) -> Result<Value> {
    let product = Product::find()?;
    let output = build::run(Command::new(product.program).args(["report", "--json"]).arg(run), "")?;
    serde_json::from_slice(&output).context("report --json printed no JSON")
}

/// The run folders that `ompttrace run` leaves of the program, which ends as is said, in the order of time.
fn run(how: &str) -> Result<(Scratch, Vec<Value>)> {
    let scratch = Scratch::new()?;
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    command.env_remove("LD_PRELOAD").env(CORES.0, CORES.1).current_dir(scratch.path());
    command.args(["run", "--format", "recording", "--"]).arg(program()?.build()?).arg(how);
    process::run(&mut command, LIMIT)?;
    let mut reports: Vec<_> =
        scratch.runs()?.iter().map(|run| report(run)).collect::<Result<_>>()?;
    reports
        .sort_by_key(|report| report["life"]["ended"].as_str() != Some("exec of another program"));
    Ok((scratch, reports))
}

fn check_serial(report: &Value) -> Result<()> {
    let wall = number(report, "/wall_ns")?;
    ensure!(wall >= 2 * SERIAL, "the run lasts {wall} ns");
    let serial = number(report, "/threads/0/times/work_serial")?;
    ensure!(serial >= 2 * SERIAL, "the initial thread works {serial} ns by itself");
    let parallel = report["efficiency"]["parallel"].as_f64().context("an efficiency")?;
    ensure!(parallel < 0.75, "{parallel} of two threads' time is work");
    let findings = report["findings"].as_array().context("findings")?.iter();
    let serial: Vec<_> = findings.filter(|found| found["kind"] == "serial").collect();
    let said = |words: &str| serial.iter().any(|found| found["text"].to_string().contains(words));
    ensure!(said("Serial from the start of the process to `parallel` at ends.c"), "{serial:?}");
    ensure!(said("to the end: one thread works"), "{serial:?}");
    let (before, after) =
        (number(report, "/life/before_regions_ns")?, number(report, "/life/after_regions_ns")?);
    ensure!(before >= SERIAL && after >= SERIAL, "{} {}", report["life"], report["wall_ns"]);
    Ok(())
}

#[test]
fn serial_time_around_the_regions_counts() -> Result<()> {
    for runtime in runtimes::all()? {
        let traced = traced::run(&program()?, &runtime, By::Runtime, &[RECORD_ONLY, CORES])?;
        let report = report(&traced.scratch.only_run()?)?;
        check_serial(&report).with_context(|| runtime.name.clone())?;
        ensure!(report["life"]["from"] == "process", "{}", report["life"]);
        ensure!(report["life"]["to"] == "exit", "{}", report["life"]);
    }
    let traced = traced::run_as_linked(&program()?.by_gcc(), By::Gomp, &[RECORD_ONLY, CORES])?;
    check_serial(&report(&traced.scratch.only_run()?)?).context("libgomp")
}

#[test]
fn the_command_sees_every_end() -> Result<()> {
    for (how, to, ended) in [
        ("return", "exit", "exit"),
        ("_exit", "_exit", "status 3 without exit handlers, as by _exit"),
        ("abort", "signal", "SIGABRT"),
        ("kill", "signal", "SIGKILL"),
    ] {
        let (_scratch, reports) = run(how)?;
        let [report] = &reports[..] else { anyhow::bail!("{} recordings", reports.len()) };
        check_serial(report).context(how)?;
        let life = &report["life"];
        ensure!(life["to"] == to && life["ended"] == ended, "{how}: {life}");
    }
    Ok(())
}

/// The region, and what each of its threads does in it, lasts to the end.
#[test]
fn what_is_open_lasts_to_the_end() -> Result<()> {
    for how in ["primary", "worker"] {
        let (_scratch, reports) = run(how)?;
        let [report] = &reports[..] else { anyhow::bail!("{} recordings", reports.len()) };
        for thread in report["threads"].as_array().context("threads")? {
            let work = number(thread, "/times/work_parallel")?;
            ensure!(work >= SERIAL, "{how}: {} works {work} ns in regions", thread["name"]);
        }
        ensure!(report["life"]["to"] == "exit", "{how}: {}", report["life"]);
    }
    Ok(())
}

#[test]
fn an_exec_ends_one_recording_and_begins_another() -> Result<()> {
    let (scratch, reports) = run("exec")?;
    let [first, second] = &reports[..] else { anyhow::bail!("{} recordings", reports.len()) };
    ensure!(first["life"]["to"] == "exec", "{}", first["life"]);
    ensure!(second["life"]["to"] == "exit", "{}", second["life"]);
    check_serial(second)?;
    let mut spans = Vec::new();
    for run in scratch.runs()? {
        let info = Product::find()?.info(&run)?;
        spans.push(["begin", "end"].map(|end| number(&info, &format!("/life/{end}_monotonic_ns"))));
    }
    let [[Ok(one), Ok(its_end)], [Ok(other), Ok(others_end)]] = &spans[..] else {
        anyhow::bail!("{spans:?}")
    };
    ensure!(its_end <= other || others_end <= one, "{spans:?}");
    Ok(())
}

#[test]
fn a_kill_that_nobody_saw_leaves_a_last_sign_of_life() -> Result<()> {
    let mut program = program()?;
    program.directives.args = vec!["kill".to_owned()];
    let traced =
        traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY, CORES])?;
    let run = traced.scratch.only_run()?;
    let report = report(&run)?;
    ensure!(number(&report, "/wall_ns")? >= SERIAL, "the run lasts {} ns", report["wall_ns"]);
    ensure!(report["life"]["to"] == "sign", "{}", report["life"]);
    ensure!(number(&report, "/life/before_regions_ns")? >= SERIAL, "{}", report["life"]);
    let caveats = report["caveats"].to_string();
    ensure!(caveats.contains("Nobody saw when the program ended"), "{caveats}");
    let info = build::run(Command::new(Product::find()?.program).arg("info").arg(&run), "")?;
    let info = String::from_utf8(info)?;
    ensure!(
        info.contains(" from the start of the process to the last known sign of life"),
        "{info}"
    );
    Ok(())
}

#[test]
fn time_without_recording_is_not_serial() -> Result<()> {
    let off = [RECORD_ONLY, ("OMPTTRACE_START", "off")];
    let program = programs::of_test("tests/whole_process/switches.c")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &off)?;
    let report = report(&traced.scratch.only_run()?)?;
    let serial = number(&report, "/threads/0/times/work_serial")?;
    let wall = number(&report, "/wall_ns")?;
    ensure!(serial < SERIAL && wall < SERIAL, "{serial} ns serial of {wall}");
    ensure!(report["life"]["from"] == "record", "{}", report["life"]);
    ensure!(report["life"]["to"] == "off", "{}", report["life"]);
    Ok(())
}

/// LLVM's runtime calls no tool again after a hard pause: from then on nothing is known, and each reader is told so.
#[test]
fn what_comes_after_a_hard_pause_is_unknown() -> Result<()> {
    let program = programs::of_test("tests/whole_process/paused_hard.c")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    let report = report(&run)?;
    ensure!(report["life"]["to"] == "runtime", "{}", report["life"]);
    let (wall, serial) =
        (number(&report, "/wall_ns")?, number(&report, "/threads/0/times/work_serial")?);
    let caveats = report["caveats"].to_string();
    ensure!(caveats.contains("The OpenMP runtime ended while the program went on"), "{caveats}");
    let product = Product::find()?;
    let info = product.info(&run)?;
    let since = number(&info, "/life/silent_since_monotonic_ns")?;
    let silent = number(&info, "/life/end_monotonic_ns")? - since;
    ensure!(silent >= 3 * SERIAL, "silent for {silent} ns");
    let known = since - number(&info, "/life/begin_monotonic_ns")?;
    ensure!(wall >= SERIAL && wall.abs_diff(known) < 1_000_000, "{wall} ns, {known} ns known");
    ensure!(serial <= known - SERIAL, "{serial} ns serial of {known}");
    let said = build::run(Command::new(&product.program).arg("info").arg(&run), "")?;
    let said = String::from_utf8_lossy(&said);
    ensure!(said.contains("none reported anything after that"), "{said}");
    let mut judged = Judged::open(&run)?;
    let told = "select count(*) from slice where name = 'the OpenMP runtime has ended: nothing is recorded'";
    ensure!(judged.count(told)? == 1, "the trace does not say it");
    Ok(())
}
