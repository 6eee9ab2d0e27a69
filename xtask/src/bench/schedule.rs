//! `cargo xtask bench schedule`: how much faster exports are with more threads than this machine has cores. Each step of an
//! export is measured here, and when it would be done is computed, by the rules after which threads take steps
//! (writers/timeline/src/parallel/board.rs).

use super::bed::Bed;
use super::loads::{Load, load};
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build};
use crate::shell;
use anyhow::{Context, Result};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

pub const SUBJECT: Subject = Subject {
    name: "schedule",
    rounds: 3,
    loads: &LOADS,
    words: &["perfetto", "chrome", "otf2", OVERVIEW],
    run,
};

/// Recordings of many streams.
const LOADS: [Load; 2] = [
    Load { crowded: true, ..load("lock", 16, 210_000) },
    Load { crowded: true, ..load("nqueens", 16, 11) },
];
const OVERVIEW: &str = "overview";
const OTF2: &str = "otf2";
const FORMATS: [&str; 4] = [OVERVIEW, "perfetto", "chrome", OTF2];

/// Numbers of threads.
const THREADS: [usize; 5] = [1, 2, 4, 8, 16];
/// Least number of windows beyond one per thread that may be found and not yet taken to be joined, as in board.rs.
const MORE: usize = 2;
const THREADS_FOR_ONE: usize = 2;
/// Number of threads for each thread that encodes OTF2, as in writers/otf2/src/sink.rs.
const FOR_AN_ENCODER: usize = 2;

const LEGEND: &str = "\
Computed from what each step of an export took, in processor time: seconds on one core with one thread, and how many times as
fast it is with as many cores and threads. Beside them, of the time on one core, what one thread does: `serial`, before and
after the windows; `join`, the one that puts them together; `write`, the one that writes the file (OTF2: those that encode, of
which there is one for two threads).";

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = build::build(options.loads.iter().map(|load| load.program))?;
    let is_wanted = |format: &&str| options.has(format);
    let all = !FORMATS.iter().any(&is_wanted);
    report.table("schedules", LEGEND);
    for load in &options.loads {
        Bed::new(built.clone())?.recorded(load, |run| {
            for format in FORMATS.into_iter().filter(|format| all || is_wanted(format)) {
                let measured = (0..options.rounds).map(|_| measured(run, format));
                let measured = measured.collect::<Result<Vec<_>>>()?;
                let least = measured.into_iter().min_by_key(|export| export.total());
                report.row(row(load, format, &least.context("no round")?));
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn row(load: &Load, format: &str, export: &Export) -> Row {
    let mut row = Row::new(&[("load", &load.name()), ("format", format)]);
    let alone = export.with(1);
    row.number("1 core, s", alone as f64 / 1e9, 2);
    for threads in &THREADS[1..] {
        let name = format!("{threads} cores");
        row.number(&name, alone as f64 / export.with(*threads) as f64, 1);
    }
    let share = |part: u64| part as f64 * 100.0 / alone as f64;
    row.number("serial %", share(export.serial), 1);
    row.number("join %", share(export.passes.iter().flat_map(|pass| &pass.joins).sum()), 1);
    row.number("write %", share(export.write), 1);
    row
}

/// Processor times of the steps of an export, in nanoseconds.
#[derive(Debug, Default)]
struct Export {
    passes: Vec<Pass>,
    /// Time of the main thread without the joins: its work before and after all windows.
    serial: u64,
    /// Time of the thread that writes the file, or of the threads that encode OTF2, during the last pass.
    write: u64,
    /// True if `write` is encoding, which one of every `FOR_AN_ENCODER` threads does; else one thread writes.
    encoders: bool,
}

/// A pass over a recording, or over a few windows of it.
#[derive(Clone, Debug, Default)]
struct Pass {
    /// For each cut, the time to scan each stream up to it, in nanoseconds.
    cuts: Vec<Vec<u64>>,
    /// For each cut, the time to determine what is open there after the last of its scans, in nanoseconds.
    found: Vec<u64>,
    /// For each window, the time to interpret it, in nanoseconds. One window ends at each cut, unless only some are wanted.
    windows: Vec<u64>,
    joins: Vec<u64>,
}

impl Export {
    fn total(&self) -> u64 {
        self.passes.iter().map(Pass::total).sum::<u64>() + self.serial + self.write
    }

    /// Time of the export on so many cores, in nanoseconds. It has as many threads for windows, one that joins, and those that write.
    fn with(&self, threads: usize) -> u64 {
        self.scheduled(threads).max(self.total() / threads as u64)
    }

    /// Time of the export if each of these threads had a core of its own, in nanoseconds.
    fn scheduled(&self, threads: usize) -> u64 {
        let writers = if self.encoders { (threads - 1) / FOR_AN_ENCODER } else { 1 };
        let (first, last) = self.passes.split_at(self.passes.len().saturating_sub(1));
        let passes: u64 = first.iter().map(|pass| pass.with(threads, 0)).sum();
        let last = last.first().map_or(0, |pass| match writers as u64 {
            // The joining thread encodes.
            0 => pass.and_joining(self.write).with(threads, 0),
            writers => pass.with(threads, self.write / writers),
        });
        self.serial + passes + last
    }
}

impl Pass {
    fn total(&self) -> u64 {
        let steps = self.cuts.iter().flatten().chain(&self.found);
        steps.chain(&self.windows).chain(&self.joins).sum()
    }

    /// The pass with more work for the thread that joins, in nanoseconds.
    fn and_joining(&self, more: u64) -> Pass {
        let each = more / self.joins.len().max(1) as u64;
        let joins = self.joins.iter().map(|join| join + each).collect();
        Pass { joins, ..self.clone() }
    }

    fn with(&self, threads: usize, write: u64) -> u64 {
        Simulation::new(self, threads, write).end()
    }
}

/// The end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Scan,
    Cut,
    Window(usize),
    Join,
}

/// Simulation of a pass: the steps that run, and the threads that are idle.
struct Simulation<'p> {
    pass: &'p Pass,
    /// Number of windows from one that is wanted to the next.
    stride: usize,
    now: u64,
    /// Ends of the running steps by time, in nanoseconds since the pass began.
    ends: BinaryHeap<Reverse<(u64, End)>>,
    idle: usize,
    most: usize,
    /// Index of the cut up to which streams are scanned, and the numbers of its scans that are begun and completed.
    cut: usize,
    begun: usize,
    scanned: usize,
    /// Windows that are found, begun, completed, and taken to be joined.
    found: usize,
    interpreted: usize,
    done: BTreeSet<usize>,
    taken: usize,
    is_joining: bool,
    /// Time to write one window's share, and time at which all joined windows are written, both in nanoseconds.
    write: u64,
    written: u64,
}

impl<'p> Simulation<'p> {
    fn new(pass: &'p Pass, threads: usize, write: u64) -> Simulation<'p> {
        let count = pass.windows.len().max(1);
        Simulation {
            pass,
            // Of a sample, windows begin at one cut and end at the next.
            stride: if pass.cuts.len() + 1 == count { 1 } else { 2 },
            now: 0,
            ends: BinaryHeap::new(),
            idle: threads,
            most: threads + MORE.max(threads / THREADS_FOR_ONE),
            cut: 0,
            begun: 0,
            scanned: 0,
            found: usize::from(pass.cuts.is_empty()),
            interpreted: 0,
            done: BTreeSet::new(),
            taken: 0,
            is_joining: false,
            write: write / count as u64,
            written: 0,
        }
    }

    /// Runs the simulation; returns the time at which the last step ends, in nanoseconds since the pass began.
    fn end(mut self) -> u64 {
        self.begin();
        while let Some(Reverse((at, end))) = self.ends.pop() {
            self.now = at;
            match end {
                End::Scan => self.scan_ends(),
                End::Cut => self.cut_ends(),
                End::Window(number) => {
                    self.idle += 1;
                    self.done.insert(number);
                }
                End::Join => {
                    self.is_joining = false;
                    self.written = self.written.max(self.now) + self.write;
                }
            }
            self.begin();
        }
        self.now.max(self.written)
    }

    fn scan_ends(&mut self) {
        self.scanned += 1;
        if self.scanned < self.pass.cuts.get(self.cut).map_or(0, Vec::len) {
            self.idle += 1;
        } else {
            self.starts(self.pass.found.get(self.cut).copied().unwrap_or(0), End::Cut);
        }
    }

    fn cut_ends(&mut self) {
        self.idle += 1;
        (self.cut, self.begun, self.scanned) = (self.cut + 1, 0, 0);
        self.found = match self.stride {
            1 if self.cut == self.pass.cuts.len() => self.cut + 1,
            stride => self.cut / stride,
        };
    }

    /// Whoever is idle takes what is to be done next.
    fn begin(&mut self) {
        while self.idle > 0 {
            let scan = self.pass.cuts.get(self.cut).and_then(|cut| cut.get(self.begun));
            if let (Some(takes), true) = (scan, self.found < self.taken + self.most) {
                self.begun += 1;
                self.starts(*takes, End::Scan);
            } else if let (Some(takes), true) =
                (self.pass.windows.get(self.interpreted), self.interpreted < self.found)
            {
                self.starts(*takes, End::Window(self.interpreted));
                self.interpreted += 1;
            } else {
                break;
            }
            self.idle -= 1;
        }
        // Little waits to be written.
        let can_join = !self.is_joining && self.done.remove(&self.taken);
        if can_join {
            let waits = self.written.saturating_sub(self.now).saturating_sub(self.write);
            let takes = self.pass.joins.get(self.taken).copied().unwrap_or(0);
            (self.taken, self.is_joining) = (self.taken + 1, true);
            self.starts(takes + waits, End::Join);
            self.begin();
        }
    }

    fn starts(&mut self, takes: u64, end: End) {
        self.ends.push(Reverse((self.now + takes, end)));
    }
}

/// Exports a recording, and says what each step took, with as few threads as there are one for that encodes OTF2, or for
/// the file, and does nothing else.
fn measured(run: &Path, format: &str) -> Result<Export> {
    let (steps, output) = (run.with_extension("steps"), run.with_extension("made"));
    let mut command = Command::new(shell::target_dir().join("release/ompttrace"));
    let threads = 1 + FOR_AN_ENCODER;
    command.args(["export", "--jobs", &threads.to_string()]);
    command.args(["--view", "threads", "--step-times"]).arg(&steps);
    match format {
        OVERVIEW => command.arg(run),
        format => command.args(["--detail", "all", "--format", format]).arg(run),
    };
    shell::run(command.arg("--output").arg(&output).stdout(Stdio::null()).stderr(Stdio::null()))?;
    if output.is_dir() {
        fs::remove_dir_all(&output)?
    } else {
        fs::remove_file(&output)?
    }
    let export = read(&fs::read_to_string(&steps)?, format == OTF2);
    fs::remove_file(&steps)?;
    export
}

fn read(text: &str, encoders: bool) -> Result<Export> {
    let all: Value = serde_json::from_str(text)?;
    let passes = all["passes"].as_array().context("no passes")?;
    let mut passes: Vec<_> = passes.iter().map(pass).collect::<Result<_>>()?;
    let [main, process, written] =
        ["main_ns", "process_ns", "written_ns"].map(|of| all[of].as_u64().unwrap_or(0));
    let joins: u64 = passes.iter().flat_map(|pass| &pass.joins).sum();
    let serial = main.saturating_sub(joins);
    let steps: u64 = passes.iter().map(Pass::total).sum();
    let rest = process.saturating_sub(steps + serial);
    let write = if encoders { rest } else { written.min(rest) };
    // The rest is around the windows.
    if let Some(windows) = passes.last_mut().map(|pass| &mut pass.windows) {
        let each = (rest - write) / windows.len().max(1) as u64;
        windows.iter_mut().for_each(|window| *window += each);
    }
    Ok(Export { passes, serial, write, encoders })
}

fn pass(steps: &Value) -> Result<Pass> {
    let (mut cuts, mut windows) = (BTreeMap::<u64, Vec<u64>>::new(), BTreeMap::new());
    let mut found = BTreeMap::<u64, u64>::new();
    let mut joins = Vec::new();
    for step in steps.as_array().context("no steps")? {
        let [at, took] = [1, 2].map(|field| step[field].as_u64().unwrap_or(0));
        match step[0].as_str() {
            Some("scan") => cuts.entry(at).or_default().push(took),
            Some("found") => *found.entry(at).or_default() += took,
            Some("interpret") => drop(windows.insert(at, took)),
            Some("join") => joins.push(took),
            _ => anyhow::bail!("an unknown step: {step}"),
        }
    }
    let [found, windows] = [found, windows].map(|steps| steps.into_values().collect());
    Ok(Pass { cuts: cuts.into_values().collect(), found, windows, joins })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(scan: u64, window: u64, join: u64) -> Pass {
        let (cuts, windows) = (vec![vec![scan; 4]; 99], vec![window; 100]);
        Pass { cuts, found: Vec::new(), windows, joins: vec![join; 100] }
    }

    #[test]
    fn windows_alone_are_shared_by_all_threads() {
        let pass = pass(0, 1_000, 0);
        assert_eq!(
            THREADS.map(|threads| pass.with(threads, 0)),
            [100_000, 50_000, 25_000, 13_000, 7_000]
        );
    }

    #[test]
    fn what_one_thread_does_bounds_the_rest() {
        assert_eq!(pass(0, 1_000, 500).with(16, 0), 51_000);
        assert_eq!(pass(0, 1_000, 0).with(16, 50_000), 51_000);
        // The streams of a window are scanned side by side, one window after the other.
        assert_eq!(pass(500, 0, 0).with(4, 0), 99 * 500);
        assert_eq!(pass(500, 0, 0).with(1, 0), 99 * 2_000);
        let found = Pass { found: vec![700; 99], ..pass(500, 0, 0) };
        assert_eq!(found.with(4, 0), 99 * 1_200);
    }

    #[test]
    fn the_joining_thread_encodes_if_there_are_few_threads() {
        let passes = vec![pass(0, 1_000, 0)];
        let export = Export { passes, serial: 7, write: 40_000, encoders: true };
        assert_eq!((export.scheduled(2), export.scheduled(4)), (50_807, 41_007));
        // No schedule makes use of more cores than there are.
        let on_cores = THREADS.map(|cores| export.with(cores));
        assert_eq!(on_cores, [140_007, 70_003, 41_007, 17_500, 8_750]);
    }

    #[test]
    fn a_sample_has_fewer_windows_than_cuts() {
        let (cuts, windows) = (vec![vec![100]; 8], vec![1_000; 4]);
        let pass = Pass { cuts, windows, ..Pass::default() };
        assert_eq!(pass.with(1, 0), 8 * 100 + 4_000);
        assert_eq!(pass.with(16, 0), 8 * 100 + 1_000);
    }

    #[test]
    fn what_is_no_step_is_serial_or_written() {
        let text = r#"{"passes":[[["scan",7,3],["interpret",0,10],["interpret",1,20],["join",0,1]]],
            "main_ns":5,"process_ns":50,"written_ns":8}"#;
        let export = read(text, false).expect("good");
        assert_eq!((export.serial, export.write, export.total()), (4, 8, 50));
        assert_eq!(export.passes[0].windows, [12, 22]);
        assert_eq!(read(text, true).expect("good").write, 12);
        assert!(read(r#"{"passes":[[["walk",1,1]]]}"#, false).is_err());
    }
}
