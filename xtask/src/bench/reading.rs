//! `cargo xtask bench export --instructions [LOAD...] [REVISION...]`: instructions that exports take for each event, of the
//! working tree and of other revisions, counted by callgrind. What does not depend on the number of events drops out: a
//! figure is the difference of two sizes of a load.

use super::bed::{self, Bed, VALGRIND};
use super::export::bytes_of;
use super::loads::{Load, load};
use super::options::{Options, REVISIONS};
use super::report::{Report, Row};
use super::{Subject, build};
use crate::revisions::Revision;
use crate::shell;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Counts hardly differ from run to run: one round.
pub const SUBJECT: Subject =
    Subject { name: "export --instructions", rounds: 1, loads: &LOADS, words: &[REVISIONS], run };

/// The larger sizes.
const LOADS: [Load; 4] = [
    load("lock", 2, 40_000),
    load("for", 2, 40_000),
    load("task", 2, 40_000),
    load("nqueens", 2, 9),
];

/// The exports that are made of the recordings: the table, its legend, the format, and the number of threads.
const MADE: [(&str, &str, &str, u64); 3] = [
    ("perfetto_instructions", "Instructions per event: Perfetto, one thread", "perfetto", 1),
    ("otf2_instructions", "Instructions per event: OTF2, one thread", "otf2", 1),
    ("perfetto_2_instructions", "Instructions per event: Perfetto, two threads", "perfetto", 2),
];

/// One side of the comparison.
struct Exporter {
    name: String,
    command: PathBuf,
    /// `None`: the working tree's.
    revision: Option<Revision>,
}

/// Recordings of a load in two sizes, the smaller one first.
pub type Pair = [PathBuf; 2];

/// The difference of two exports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerEvent {
    pub instructions: f64,
    pub bytes: f64,
}

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let exporters = exporters(&options.revisions)?;
    let built = build::loads(options.loads.iter().map(|load| load.program))?;
    let mut recordings = Vec::new();
    for load in &options.loads {
        recordings.push(recordings_for(&exporters, &built, load)?);
    }
    let mut bytes = Vec::new();
    for (table, legend, format, jobs) in MADE {
        report.table(table, legend);
        for (load, pairs) in options.loads.iter().zip(&recordings) {
            let mut counts = Vec::new();
            for (exporter, pair) in exporters.iter().zip(pairs) {
                counts.push(per_event(&exporter.command, pair, (format, jobs), &[])?);
            }
            let instructions: Vec<f64> = counts.iter().map(|count| count.instructions).collect();
            report.row(row(load, &exporters, &instructions, 0));
            if table == MADE[0].0 {
                bytes.push(counts.iter().map(|count| count.bytes).collect::<Vec<_>>());
            }
        }
    }
    report.table("perfetto_bytes", "Bytes per event of the trace for Perfetto");
    for (load, bytes) in options.loads.iter().zip(&bytes) {
        report.row(row(load, &exporters, bytes, 1));
    }
    Ok(())
}

/// The working tree's exporter and those of revisions, as packages have them.
fn exporters(revisions: &[String]) -> Result<Vec<Exporter>> {
    let command = shell::target_dir().join("release/ompttrace");
    let mut exporters = vec![Exporter { name: "here".to_owned(), command, revision: None }];
    let revisions: Result<Vec<_>> = revisions.iter().map(|name| Revision::named(name)).collect();
    for revision in revisions? {
        let (name, command) = (revision.name.clone(), revision.command()?);
        exporters.push(Exporter { name, command, revision: Some(revision) });
    }
    Ok(exporters)
}

/// One line: the working tree, and what others have with the working tree's share of it.
fn row(load: &Load, exporters: &[Exporter], values: &[f64], decimals: usize) -> Row {
    let mut row = Row::new(&[("load", &load.name())]);
    let here = values.first().copied().unwrap_or(f64::NAN);
    for (at, (exporter, value)) in exporters.iter().zip(values).enumerate() {
        row.number(&exporter.name, *value, decimals);
        if at > 0 {
            row.number(&format!("here/{}", exporter.name), here / value, 3);
        }
    }
    row
}

/// The recordings of a load that each exporter reads: the working tree's, so that all have the same work, or those of its own
/// library where it cannot read these. A line names exporters that cannot.
fn recordings_for(exporters: &[Exporter], built: &Path, load: &Load) -> Result<Vec<Pair>> {
    let kept = shell::target_dir().join("bench/recordings");
    let ours = recorded(load, built, &shell::tool_library()?, &kept)?;
    let mut pairs = Vec::new();
    for exporter in exporters {
        let can_read = ours.iter().all(|run| events(&exporter.command, run).is_ok());
        pairs.push(match &exporter.revision {
            Some(revision) if !can_read => {
                println!("{} of {}: recordings of its own", load.name(), exporter.name);
                let kept = revision.folder().join("recordings");
                recorded(load, built, &revision.library()?, &kept)?
            }
            _ => ours.clone(),
        });
    }
    Ok(pairs)
}

/// Records a load in both sizes, unless recordings of this library or of a later build of it are there.
pub fn recorded(load: &Load, built: &Path, library: &Path, kept: &Path) -> Result<Pair> {
    let run_of = |load: &Load| kept.join(format!("{}-{}", load.name(), load.iterations));
    let is_current = |run: &PathBuf| {
        let written = run.join("recording.json").metadata().and_then(|file| file.modified());
        let built = library.metadata().and_then(|file| file.modified());
        written.is_ok_and(|written| built.is_ok_and(|built| written > built))
    };
    let sizes = [smaller(load), *load];
    let runs = sizes.each_ref().map(run_of);
    if !runs.iter().all(is_current) {
        fs::create_dir_all(kept).with_context(|| format!("{}", kept.display()))?;
        let bed = Bed::of(built.to_owned(), library.to_owned())?;
        for (size, run) in sizes.iter().zip(&runs) {
            if run.exists() {
                fs::remove_dir_all(run).with_context(|| format!("{}", run.display()))?;
            }
            bed.recorded(size, |made| {
                shell::run(Command::new("cp").args(["-r", "--"]).arg(made).arg(run))
            })?;
        }
    }
    Ok(runs)
}

/// A load at its smaller size: a quarter of the turns, or a board of one line less.
fn smaller(load: &Load) -> Load {
    let iterations = if load.is_sized() { load.iterations - 1 } else { load.iterations / 4 };
    Load { iterations, ..*load }
}

/// The difference of the exports of two recordings: all that happened is drawn, in one view, with these options besides.
pub fn per_event(
    command: &Path,
    runs: &Pair,
    (format, jobs): (&str, u64),
    options: &[&str],
) -> Result<PerEvent> {
    let [few, many] = runs.each_ref().map(|run| -> Result<[f64; 3]> {
        let (instructions, bytes) = counted(command, run, (format, jobs), options)?;
        Ok([events(command, run)?, instructions as f64, bytes as f64])
    });
    let (few, many) = (few?, many?);
    let events = many[0] - few[0];
    Ok(PerEvent { instructions: (many[1] - few[1]) / events, bytes: (many[2] - few[2]) / events })
}

/// Instructions of the whole process, and bytes of the trace.
fn counted(
    command: &Path,
    run: &Path,
    (format, jobs): (&str, u64),
    options: &[&str],
) -> Result<(u64, u64)> {
    // One of its own for each export that goes on at a time.
    let trace = run.with_extension(format!("{format}.{jobs}"));
    let mut export = Command::new(VALGRIND[0]);
    export.args(&VALGRIND[1..]).arg(command).arg("export").arg(run);
    export.args(["--detail", "all", "--view", "threads", "--quiet", "--format", format]);
    export.args(options);
    export.args(["--jobs", &jobs.to_string(), "--output"]).arg(&trace);
    // Otherwise glibc raises the limit when a thread frees a large block, at an instant that varies, and clears memory that it would
    // have had from the kernel as zeros.
    export.env("MALLOC_MMAP_THRESHOLD_", "131072");
    remove(&trace)?;
    let (instructions, _) = bed::counted(&mut export)?;
    let bytes = bytes_of(&trace)?;
    remove(&trace)?;
    Ok((instructions, bytes))
}

/// Removes a trace that may be there.
fn remove(trace: &Path) -> Result<()> {
    let removed = match trace.is_dir() {
        true => fs::remove_dir_all(trace),
        false if trace.exists() => fs::remove_file(trace),
        false => Ok(()),
    };
    removed.with_context(|| format!("cannot remove {}", trace.display()))
}

/// The number of a recording's events, as an exporter says.
fn events(command: &Path, run: &Path) -> Result<f64> {
    let mut info = Command::new(command);
    info.arg("info").arg(run).arg("--json").stderr(Stdio::null());
    let output = info.output().with_context(|| format!("cannot start {}", command.display()))?;
    let said: Value = serde_json::from_slice(&output.stdout).context("`info` answers in JSON")?;
    said.pointer("/events/recorded")
        .and_then(Value::as_f64)
        .context("`info` says no number of events")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_differ() {
        assert_eq!(LOADS.map(|load| smaller(&load).iterations), [10_000, 10_000, 10_000, 8]);
    }

    #[test]
    fn revisions_stand_beside_the_working_tree() {
        let exporter =
            |name: &str| Exporter { name: name.into(), command: PathBuf::new(), revision: None };
        let both = [exporter("here"), exporter("HEAD")];
        let shown = row(&LOADS[0], &both, &[600.0, 1200.0], 0).shown();
        assert_eq!(
            shown.split_whitespace().collect::<Vec<_>>(),
            ["lock@2", "600", "1200", "0.500"]
        );
    }
}
