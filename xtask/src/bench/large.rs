//! `cargo xtask bench large`: a run of 300 million events end to end, from the end of the program to a trace that is open,
//! beside what is aimed at. The recording lies on the disk of `TMPDIR`, and none of it in memory when its export begins:
//! a run that is exported at once has some of it there, and is faster.

use super::bed::Bed;
use super::export::{self, Case};
use super::loads::{Load, load};
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build};
use crate::shell;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// `--small` records a twentieth, to try it.
pub const SUBJECT: Subject =
    Subject { name: "large", rounds: 1, loads: &LOADS, words: &[SMALL], run };

const SMALL: &str = "--small";
/// Loads of about 327 million events each.
const LOADS: [Load; 2] = [load("lock", 2, 54_000_000), load("nqueens", 2, 13)];
/// Smaller loads of the same programs: a twentieth of `lock`, and `nqueens` of size 11.
const SMALL_LOADS: [Load; 2] = [load("lock", 2, 2_700_000), load("nqueens", 2, 11)];

/// Limits: seconds until the overview is written, seconds to open it, MiB of peak memory, seconds to export a window.
const OVERVIEW: f64 = 90.0;
const OPENED: f64 = 30.0;
const MEMORY: f64 = 256.0;
const WINDOW: f64 = 3.0;

const LEGEND: &str = "\
Cold: nothing of the recording is in memory when its export begins. overview s: from then until the trace is complete
(aim: 90), with the peak of its memory (256). open s: Perfetto's trace processor, as WebAssembly in node, which is the
page's own engine, reads the trace (30); the page draws it besides. window s: from the call until the trace of the run's last
tenth of a second is complete, once the overview was made (3).";

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = build::build(options.loads.iter().map(|load| load.program))?;
    report.table("large", LEGEND);
    for load in &options.loads {
        let small = SMALL_LOADS.iter().find(|small| small.program == load.program);
        let load = small.filter(|_| options.has(SMALL)).unwrap_or(load);
        for _ in 0..options.rounds {
            let row = Bed::new(built.clone())?.recorded(load, |run| measured(load, run))?;
            report.row(row);
        }
    }
    Ok(())
}

fn measured(load: &Load, run: &Path) -> Result<Row> {
    let (events, bytes) = (export::events(run)?, export::bytes_of(run)?);
    let disk = shell::output(Command::new("stat").args(["-f", "-c", "%T"]).arg(run))?;
    let disk = disk.trim();
    ensure!(disk != "tmpfs", "{} is in memory: set TMPDIR to a folder on a disk", run.display());
    forget(run)?;
    let case = Case::overview();
    let made = export::export(run, &case)?;
    let opened = opened(made.trace().context("no trace")?)?;
    let trace = export::take_traces(run, &made.said)?;
    let memory = made.peak_kib as f64 / 1024.0;
    let window = export::export(run, &Case::window())?;
    export::take_traces(run, &window.said)?;
    let aims = [
        (made.wall, OVERVIEW),
        (memory, MEMORY),
        (opened.unwrap_or(f64::MAX), OPENED),
        (window.wall, WINDOW),
    ];
    let met = aims.iter().filter(|(figure, aim)| figure <= aim).count();
    let mut row = Row::new(&[("load", &load.name()), ("disk", disk)]);
    row.number("M events", events / 1e6, 1);
    row.number("recording GB", bytes as f64 / 1e9, 2);
    row.number("overview s", made.wall, 1);
    row.number("peak MiB", memory, 0);
    row.number("trace MB", trace as f64 / 1e6, 1);
    row.number("open s", opened, 1);
    row.number("window s", window.wall, 2);
    row.number("aims met of 4", met as f64, 0);
    Ok(row)
}

/// Writes what is not on the disk yet, and takes the files out of memory: `dd` with these flags copies nothing.
fn forget(run: &Path) -> Result<()> {
    for file in fs::read_dir(run)? {
        let mut of = std::ffi::OsString::from("of=");
        of.push(file?.path());
        let flags = ["oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none"];
        shell::run(Command::new("dd").args(flags).arg(of).stdin(Stdio::null()))?;
    }
    Ok(())
}

/// Time that the trace processor takes to read a trace, in seconds; None where no test has fetched the trace processor.
fn opened(trace: &Path) -> Result<Option<f64>> {
    let folder = shell::target_dir().join("test-tools/trace-processor");
    if !folder.is_dir() {
        eprintln!(
            "no trace processor: `cargo test -p ompttrace-tests --test product trace_processor_selfcheck::` fetches it"
        );
        return Ok(None);
    }
    let mut command = Command::new("node");
    command.arg("tests/harness/trace_processor.mjs").arg(&folder).arg(trace);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().context("cannot start node")?;
    let mut said = String::new();
    BufReader::new(child.stdout.take().context("piped")?).read_line(&mut said)?;
    let seconds = start.elapsed().as_secs_f64();
    child.wait()?;
    ensure!(said.starts_with("{\"columns\""), "the trace processor says: {said}");
    Ok(Some(seconds))
}
