//! Programs that lack cores: the first finding says so and why, and how much agrees with the kernel's own account.

use super::{list, report};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::process;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use serde_json::Value;
use std::process::{Child, Command, Stdio};
use std::thread::available_parallelism;

/// Difference in nanoseconds by which the report's waiting for a core and the kernel's may differ in addition to a tenth: only
/// the kernel counts the way to sleep and back, and the process before and after its recording.
const SLACK: u64 = 60_000_000;

fn program() -> Result<Program> {
    programs::of_test("tests/report/crowded.c")
}

fn cores() -> usize {
    available_parallelism().map_or(1, |cores| cores.get())
}

/// A run of the program: its report, and what the kernel says of it: nanoseconds on cores and waiting for one.
fn run(prefix: &[String], settings: &[(&str, &str)]) -> Result<(Value, [u64; 2])> {
    let (scratch, program) = (Scratch::new()?, program()?);
    let mut command = program.command(&runtimes::libomp_19()?)?;
    if let [first, rest @ ..] = prefix {
        let mut within = Command::new(first);
        within.args(rest).arg(command.get_program());
        let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        process::without_settings(&mut within);
        within.envs(variables);
        command = within;
    }
    scratch.attach(&mut command, By::Runtime)?;
    command.env(RECORD_ONLY.0, RECORD_ONLY.1).envs(settings.iter().copied());
    let finished = process::run(command.current_dir(scratch.path()), program.directives.timeout)?;
    let said: Vec<u64> =
        finished.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let kernel = said.try_into().ok().with_context(|| format!("{finished:?}"))?;
    Ok((report(&scratch.only_run()?)?, kernel))
}

fn number(report: &Value, field: &str) -> Result<u64> {
    report["cores"][field].as_u64().with_context(|| format!("{}", report["cores"]))
}

/// The first finding, which must be about cores.
fn first(report: &Value) -> Result<String> {
    let first = list(report, "findings")?.first().context("no findings")?;
    ensure!(first["kind"] == "cores", "{first}");
    Ok([&first["text"], &first["cure"]].map(|text| text.as_str().unwrap_or_default()).join("; "))
}

/// Time without a core is what the kernel accounts as waiting for one.
fn agrees(report: &Value, [_, delay]: [u64; 2]) -> Result<()> {
    let missing = number(report, "wanted_ns")? - number(report, "given_ns")?;
    ensure!(missing.abs_diff(delay) <= delay / 10 + SLACK, "{missing} ns, the kernel says {delay}");
    Ok(())
}

/// Twice as many threads as cores, with threads that spin while they wait.
fn crowded(mode: &str) -> Result<(Value, [u64; 2])> {
    let threads = (2 * cores()).to_string();
    let settings = [
        ("OMP_NUM_THREADS", threads.as_str()),
        ("OMP_WAIT_POLICY", "active"),
        ("OMPTTRACE_CORES", mode),
    ];
    run(&[], &settings)
}

#[test]
fn more_threads_than_cores() -> Result<()> {
    for mode in ["auto", "accounting"] {
        let (report, kernel) = crowded(mode)?;
        let (text, may) = (first(&report)?, cores());
        let said = [format!("the process may use {may}"), "a quota of".to_owned()];
        ensure!(said.iter().any(|said| text.contains(said)), "{mode}: {text}");
        ensure!(text.contains(&format!("OMP_NUM_THREADS={may}")), "{mode}: {text}");
        agrees(&report, kernel).context(mode)?;
    }
    Ok(())
}

/// A process that never sleeps on a core, until this goes.
struct Neighbour(Child);

impl Drop for Neighbour {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The first core that this process may use.
fn a_core() -> Result<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let list = list.context("no list of cores")?.trim();
    let end = |letter: char| !letter.is_ascii_digit();
    Ok(list.split(end).next().unwrap_or("0").to_owned())
}

#[test]
fn a_busy_neighbour() -> Result<()> {
    let core = a_core()?;
    let pinned = |what: &str| {
        let mut command = Command::new("taskset");
        command.args(["-c", &core, "sh", "-c", what]).stdout(Stdio::null());
        command
    };
    let _neighbour = Neighbour(pinned("while :; do :; done").spawn()?);
    let prefix = ["taskset", "-c", &core].map(str::to_owned);
    let (report, kernel) = run(&prefix, &[("OMP_NUM_THREADS", "1")])?;
    let busy = report["busy_machine"]["text"].as_str().with_context(|| format!("{report}"))?;
    ensure!(busy.contains("so other processes had cores"), "{busy}");
    agrees(&report, kernel)
}

#[test]
fn threads_bound_to_one_core() -> Result<()> {
    let cpus = format!("{{{}}}", a_core()?);
    let settings = [
        ("OMP_NUM_THREADS", "2"),
        ("OMP_PLACES", cpus.as_str()),
        ("OMP_PROC_BIND", "true"),
        ("OMP_WAIT_POLICY", "active"),
    ];
    let (report, kernel) = run(&[], &settings)?;
    let text = first(&report)?;
    let said = match cores() {
        1 => "the process may use 1".to_owned(),
        may => format!("ran on 1 of the {may} cores"),
    };
    ensure!(text.contains(&said), "{text}");
    agrees(&report, kernel)
}

/// Threads that sleep while they wait want no core meanwhile.
#[test]
fn threads_that_sleep_while_they_wait() -> Result<()> {
    let threads = (2 * cores()).to_string();
    let settings = [("OMP_NUM_THREADS", threads.as_str()), ("OMP_WAIT_POLICY", "passive")];
    let (passive, _) = run(&[], &settings)?;
    ensure!(number(&passive, "slept_ns")? > number(&passive, "spun_ns")?, "{}", passive["cores"]);
    Ok(())
}

/// With OMPTTRACE_CORES=off the report has no times of cores and no findings about them.
#[test]
fn nobody_looks() -> Result<()> {
    let (report, _) = crowded("off")?;
    ensure!(report["cores"].is_null(), "{}", report["cores"]);
    ensure!(list(&report, "findings")?.iter().all(|finding| finding["kind"] != "cores"));
    ensure!(report["caveats"].to_string().contains("share"), "{}", report["caveats"]);
    Ok(())
}
