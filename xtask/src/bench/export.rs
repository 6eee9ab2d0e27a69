//! `cargo xtask bench export`: how fast recordings become traces and reports, how large traces are, and how much
//! memory that takes.

use super::bed::Bed;
use super::figures::Times;
use super::loads::{Load, load};
use super::matrix::interleaved;
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build, figures};
use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// `--times 10` makes each recording this many times as long; `--jobs 1,2` exports with one thread and with two;
/// `threads` or `both` chooses a view.
/// `overview` is what a large run's export is by itself, `window` the last tenth of a second of it.
pub const SUBJECT: Subject = Subject {
    name: "export",
    rounds: 5,
    loads: &LOADS,
    words: &[
        "--times", "--jobs", "perfetto", "chrome", "otf2", PARQUET, INTERVALS, "report", OVERVIEW,
        WINDOW, THREADS, BOTH,
    ],
    run,
};

/// Programs whose recordings are exported: each some ten million events or more.
const LOADS: [Load; 8] = [
    load("lock", 2, 1_700_000),
    load("critical", 2, 1_700_000),
    load("for", 2, 800_000),
    load("task", 2, 3_400_000),
    load("fib", 2, 90),
    load("nqueens", 2, 11),
    // Of many streams.
    Load { crowded: true, ..load("lock", 16, 210_000) },
    Load { crowded: true, ..load("nqueens", 16, 11) },
];
/// Exports that are measured of each load, in the order of the table: values of `--format`, or the names below.
const FORMATS: [&str; 8] =
    ["perfetto", "chrome", "otf2", PARQUET, INTERVALS, REPORT, OVERVIEW, WINDOW];
const REPORT: &str = "report";
const OVERVIEW: &str = "overview";
const WINDOW: &str = "window";
/// Length of the time window at the end of a run that `window` exports, in nanoseconds.
const SHOWN: u64 = 100_000_000;
/// The export of tables in Parquet; `intervals` adds the tables of intervals.
const PARQUET: &str = "parquet";
const INTERVALS: &str = "intervals";
const VIEWS: [&str; 2] = [THREADS, BOTH];
const THREADS: &str = "threads";
const BOTH: &str = "both";
/// Exports for which `--view` is not varied.
const WITHOUT_VIEWS: [&str; 5] = [PARQUET, INTERVALS, REPORT, OVERVIEW, WINDOW];

const LEGEND: &str = "\
M/s: millions of events a second, then per second of processor time of all threads together (per core).
emitted: begins, ends, instants and values in the trace (packets, lines). The best of all rounds;
the largest peak of memory.";

/// Ticks a second of the times in /proc: the same on every Linux that we know.
const TICKS: f64 = 100.0;
/// Interval at which a running export's end and peak memory are polled.
const LOOK: Duration = Duration::from_millis(2);

/// A format, a view, and the number of threads (`--jobs`) if it is not the command's default.
#[derive(Clone, Copy)]
pub(super) struct Case {
    format: &'static str,
    view: &'static str,
    jobs: Option<u64>,
}

impl Case {
    /// The default export of a large run.
    pub(super) fn overview() -> Case {
        Case { format: OVERVIEW, view: "", jobs: None }
    }

    /// The export of the run's last tenth of a second.
    pub(super) fn window() -> Case {
        Case { format: WINDOW, view: "", jobs: None }
    }

    /// All combinations that the options ask for.
    fn all(options: &Options) -> Vec<Case> {
        let none_named = !FORMATS.iter().any(|format| options.has(format));
        let named = |view: &&'static str| options.has(view);
        let all_views = !VIEWS.iter().any(named);
        let views: Vec<_> = VIEWS.into_iter().filter(|view| all_views || named(view)).collect();
        let mut jobs: Vec<_> = options.jobs.iter().copied().map(Some).collect();
        if jobs.is_empty() {
            jobs.push(None);
        }
        let mut cases = Vec::new();
        for format in FORMATS.into_iter().filter(|format| none_named || options.has(format)) {
            let views = if WITHOUT_VIEWS.contains(&format) { &[""][..] } else { &views };
            for view in views {
                cases.extend(jobs.iter().map(|jobs| Case { format, view, jobs: *jobs }));
            }
        }
        cases
    }

    fn command(&self, run: &Path) -> Result<Command> {
        let mut command = Command::new(shell::target_dir().join("release/ompttrace"));
        match self.format {
            REPORT => command.arg("report").arg(run),
            PARQUET => command.arg("export").arg(run).args(["--format", PARQUET]),
            INTERVALS => command.arg("export").arg(run).args(["--format", PARQUET, "--intervals"]),
            OVERVIEW => command.arg("export").arg(run),
            WINDOW => {
                let from = lasted(run)?.saturating_sub(SHOWN);
                command.arg("export").arg(run).args(["--from", &format!("{from}ns")])
            }
            format => {
                command.args(["export", "--detail", "all"]).arg(run);
                command.args(["--format", format, "--view", self.view])
            }
        };
        if let Some(jobs) = self.jobs {
            command.arg("--jobs").arg(jobs.to_string());
        }
        command.arg("--json");
        Ok(command)
    }
}

/// One run of the exporter.
pub(super) struct Run {
    pub(super) wall: f64,
    processor: f64,
    pub(super) peak_kib: u64,
    bytes: u64,
    pub(super) said: Value,
}

impl Run {
    /// The trace that it made.
    pub(super) fn trace(&self) -> Option<&Path> {
        self.said["traces"][0].as_str().map(Path::new)
    }
}

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = build::build(options.loads.iter().map(|load| load.program))?;
    let cases = Case::all(options);
    report.table("exports", LEGEND);
    for load in &options.loads {
        Bed::new(built.clone())?.recorded(load, |run| {
            let all = interleaved(&cases, options.rounds, |case| {
                let made = export(run, case)?;
                Ok(Run { bytes: take_traces(run, &made.said)?, ..made })
            })?;
            let events = events(run)?;
            for (case, runs) in cases.iter().zip(&all) {
                report.row(row(load, case, events, runs));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The output of `ompttrace info --json` for a recording.
fn info(run: &Path) -> Result<Value> {
    let mut info = Command::new(shell::target_dir().join("release/ompttrace"));
    Ok(serde_json::from_str(&shell::output(info.arg("info").arg(run).arg("--json"))?)?)
}

/// Number of events in a recording.
pub(super) fn events(run: &Path) -> Result<f64> {
    Ok(count(&info(run)?["events"], "recorded") as f64)
}

/// Duration of the recorded run, in nanoseconds.
fn lasted(run: &Path) -> Result<u64> {
    let life = &info(run)?["life"];
    let [begin, end] = ["begin", "end"].map(|at| count(life, &format!("{at}_monotonic_ns")));
    Ok(end.saturating_sub(begin))
}

fn row(load: &Load, case: &Case, events: f64, runs: &[Run]) -> Row {
    let least = |of: fn(&Run) -> f64| figures::min(&runs.iter().map(of).collect::<Times>());
    let (wall, processor) = (least(|run| run.wall), least(|run| run.processor));
    let last = |of: &dyn Fn(&Run) -> u64| runs.last().map_or(0, of) as f64;
    let bytes = last(&|run| run.bytes);
    let reported = last(&|run| reported(&run.said, case.view));
    let rate = |count: f64, seconds: f64| count / seconds.max(1e-9) / 1e6;
    let peak = runs.iter().map(|run| run.peak_kib).max().unwrap_or(0);
    let jobs = case.jobs.map_or_else(String::new, |jobs| jobs.to_string());
    let mut row = Row::new(&[
        ("load", &load.name()),
        ("format", case.format),
        ("view", case.view),
        ("jobs", &jobs),
    ]);
    row.number("events", events, 0);
    row.number("seconds", wall, 2);
    row.number("M/s", rate(events, wall), 1);
    row.number("M/s/core", rate(events, processor), 1);
    row.number("B/event", bytes / events.max(1.0), 1);
    row.number("emitted/event", reported / events.max(1.0), 2);
    row.number("M emitted/s/core", rate(reported, processor), 1);
    row.number("peak MiB", peak as f64 / 1024.0, 1);
    row.hidden("wall_seconds", json!(wall));
    row.hidden("processor_seconds", json!(processor));
    row.hidden("peak_kib", json!(peak));
    row.hidden("bytes", json!(bytes));
    row.hidden("emitted", json!(reported));
    row
}

/// Exports a recording; the traces stay.
pub(super) fn export(run: &Path, case: &Case) -> Result<Run> {
    let mut command = case.command(run)?;
    // It is read at the end only, and may be longer than a pipe holds.
    let said = run.with_extension("said");
    command.stdout(File::create(&said)?);
    let start = Instant::now();
    let mut child = command.spawn().context("cannot start ompttrace")?;
    let mut peak_kib = 0;
    // Not waited for yet: the times of a child that has ended stay until it is.
    while !has_ended(&child)? {
        peak_kib = peak(&child).unwrap_or(peak_kib);
        sleep(LOOK);
    }
    let wall = start.elapsed().as_secs_f64();
    let processor = processor(&child)?;
    if !child.wait()?.success() {
        bail!("`{}` failed", shell::shown(&command));
    }
    let text = fs::read_to_string(&said)?;
    fs::remove_file(&said)?;
    let said = serde_json::from_str(&text).context("it said something else than JSON")?;
    Ok(Run { wall, processor, peak_kib, bytes: 0, said })
}

/// The fields of /proc/pid/stat after the name, which may hold anything.
fn stat(child: &Child) -> Result<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{}/stat", child.id()))?;
    let fields = text.rsplit_once(") ").context("a strange /proc/pid/stat")?.1;
    Ok(fields.split(' ').map(str::to_owned).collect())
}

fn has_ended(child: &Child) -> Result<bool> {
    Ok(stat(child)?.first().is_some_and(|state| state == "Z"))
}

/// Seconds of processor time of all threads.
fn processor(child: &Child) -> Result<f64> {
    let fields = stat(child)?;
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    let (user, system) = ticks(11).zip(ticks(12)).context("a short /proc/pid/stat")?;
    Ok((user + system) / TICKS)
}

/// Peak of resident memory so far, KiB; nothing once the process has ended.
fn peak(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Removes the traces that an export left in the run folder; returns their bytes.
pub(super) fn take_traces(run: &Path, said: &Value) -> Result<u64> {
    let mut bytes = 0;
    for trace in said["traces"].as_array().into_iter().flatten() {
        let path = Path::new(trace.as_str().context("a trace without a path")?);
        let trace = top_below(run, path).context("a trace outside of the run folder")?;
        bytes += bytes_of(&trace)?;
        if trace.is_dir() { fs::remove_dir_all(&trace)? } else { fs::remove_file(&trace)? }
    }
    Ok(bytes)
}

/// The file or folder of a trace directly in the run folder; None if the trace is outside of it. For an archive this is its
/// folder, though the export names the anchor file in it.
fn top_below(run: &Path, trace: &Path) -> Option<PathBuf> {
    let name = trace.strip_prefix(run).ok()?.components().next()?;
    Some(run.join(name))
}

pub(super) fn bytes_of(path: &Path) -> Result<u64> {
    if !path.is_dir() {
        return Ok(path.metadata()?.len());
    }
    fs::read_dir(path)?.map(|entry| bytes_of(&entry?.path())).sum()
}

fn count(said: &Value, field: &str) -> u64 {
    said[field].as_u64().unwrap_or(0)
}

fn reported(said: &Value, view: &str) -> u64 {
    let on_logical_threads = if view == "both" { 1 } else { 0 };
    let slices = count(said, "slices") + on_logical_threads * count(said, "logical_thread_slices");
    let shared = count(said, "region_slices") + count(said, "hold_slices");
    let instants =
        count(said, "instants") + on_logical_threads * count(said, "logical_thread_instants");
    2 * (slices + shared) + instants + count(said, "counter_values")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_measured_as_a_whole() {
        let top = |trace| top_below(Path::new("/tmp/run"), Path::new(trace));
        let archive = Some(PathBuf::from("/tmp/run/trace-otf2"));
        assert_eq!(top("/tmp/run/trace-otf2/traces.otf2"), archive);
        assert_eq!(top("/tmp/run/trace.json"), Some(PathBuf::from("/tmp/run/trace.json")));
        assert_eq!((top("/tmp/run"), top("/tmp/other")), (None, None));
    }

    #[test]
    fn a_slice_is_reported_twice_and_on_logical_threads_again() {
        let said = json!({ "slices": 100, "logical_thread_slices": 10, "hold_slices": 1000, "instants": 7,
            "logical_thread_instants": 3, "counter_values": 5 });
        assert_eq!(reported(&said, "threads"), 2212);
        assert_eq!(reported(&said, "both"), 2235);
    }
}
