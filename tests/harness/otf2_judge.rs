//! The judge of OTF2 archives: `tests/otf2_judge/check.py` for what an archive says, otf2-print for
//! its definitions, and a reader of another version for its bytes.
//!
//! An archive is given by its folder, the one with `traces.otf2` in it. Readers can hang on a torn
//! file, so all of them have a time limit.

mod second_reader;
mod server;
mod statistics;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::{build, process};
pub use second_reader::{count_again, count_events};
pub use statistics::{
    Comm, ForkJoin, Location, Lock, Marker, Metric, Parameter, Property, Region, Statistics,
};

/// Debian's Python: python3-otf2 is a package for this one, whatever the PATH finds.
pub(crate) const PYTHON: &str = "/usr/bin/python3";
/// Time limit of a reader, which only keeps tests from hanging: machines with many tests at once are slow.
const LIMIT: Duration = Duration::from_secs(600);

/// Number of events above which otf2-print's listing takes longer than it is worth.
const LISTED: u64 = 200_000;

/// Texts in listings of libotf2 3.0 for constants that it calls invalid because they got their names later.
const NEWER: [&str; 3] = ["INVALID <25>, Name:", "Role: INVALID <39>,", "Role: INVALID <40>,"];

/// Verdict of `check.py` on an archive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Kinds of faults that the archive has; empty if it is sound.
    pub breaches: Vec<Breach>,
    /// Counts of the archive's events and definitions.
    pub statistics: Statistics,
}

/// One kind of fault in an archive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breach {
    /// Name of the kind of fault; `tests/otf2_judge/README.md` lists them.
    pub kind: String,
    /// Number of faults of this kind.
    pub count: u64,
    /// The first few of these faults.
    pub first: Vec<Finding>,
}

/// One fault.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Description of the fault.
    pub text: String,
    /// Location that has the fault, if it is one.
    pub location: Option<u64>,
    /// Time of the fault in ticks of the archive's clock, if it has one.
    pub time: Option<u64>,
    /// Kind of the event that has the fault, if it is one.
    pub event: Option<String>,
}

/// Checks that an archive is sound and returns its statistics. An error names every kind of fault.
pub fn check(archive: &Path) -> Result<Statistics> {
    let verdict = judge(archive)?;
    if !verdict.breaches.is_empty() {
        bail!("{} is not sound:\n{}", archive.display(), verdict.report());
    }
    let events = verdict.statistics.events.values().sum();
    print(archive, events)?;
    Ok(verdict.statistics)
}

/// Gives the verdict of `check.py`. An error is an archive that cannot be read.
pub fn judge(archive: &Path) -> Result<Verdict> {
    let scratch = tempfile::tempdir()?;
    let json = scratch.path().join("verdict.json");
    let status = server::check(&json, &anchor(archive))?;
    let verdict: Verdict = serde_json::from_slice(&fs::read(json)?)?;
    if (status == 0) != verdict.breaches.is_empty() {
        bail!("check.py ended with {status} and {} kinds of fault", verdict.breaches.len());
    }
    Ok(verdict)
}

/// Demands that otf2-print reads an archive of this many events without a warning and, where they
/// are not too many, lists nothing that it finds invalid.
pub fn print(archive: &Path, events: u64) -> Result<()> {
    let contents = if events > LISTED { "--silent" } else { "--show-all" };
    let mut reader = Command::new("otf2-print");
    let (listing, _) = run(reader.args([contents, "-Werror"]).arg(anchor(archive)), &[0])?;
    let bad: Vec<&str> = listing.lines().filter(|line| is_invalid(line)).take(5).collect();
    if !bad.is_empty() {
        bail!("otf2-print finds in {}:\n{}", archive.display(), bad.join("\n"));
    }
    Ok(())
}

impl Verdict {
    /// The faults, a line for each that was kept.
    pub fn report(&self) -> String {
        let mut lines = Vec::new();
        for breach in &self.breaches {
            lines.push(format!("{}: {} times", breach.kind, breach.count));
            lines.extend(breach.first.iter().map(|finding| format!("    {finding:?}")));
        }
        lines.join("\n")
    }
}

/// A program of `tests/otf2_judge`.
fn python(program: &str) -> Command {
    let mut command = Command::new(PYTHON);
    // No byte code beside the sources, and no module of the caller's.
    command.arg("-B").arg(build::root().join("tests/otf2_judge").join(program));
    command.env_remove("PYTHONPATH");
    command
}

fn anchor(archive: &Path) -> std::path::PathBuf {
    archive.join("traces.otf2")
}

/// Runs a reader to its end; gives what it printed and the status, which must be one of these.
fn run(command: &mut Command, allowed: &[i32]) -> Result<(String, i32)> {
    let finished = process::run(command, LIMIT)
        .context("is a package missing? apt-get install python3-otf2 python3-six otf2-tools")?;
    let code = finished.status.and_then(|status| status.code());
    match code.filter(|code| allowed.contains(code)) {
        Some(code) => Ok((finished.stdout, code)),
        None => bail!("{command:?} ended with {:?}:\n{}", finished.status, finished.stderr),
    }
}

/// Returns true if a line of otf2-print shows something undefined outside of the archive's texts.
fn is_invalid(line: &str) -> bool {
    let mut bare: String = line.split('"').step_by(2).collect();
    for newer in NEWER {
        bare = bare.replace(newer, "");
    }
    bare.contains("INVALID") || bare.contains("UNKNOWN")
}

#[cfg(test)]
mod tests {
    use super::is_invalid;

    #[test]
    fn only_what_is_outside_of_texts_and_old_enough_to_have_a_name_is_invalid() {
        assert!(is_invalid("ENTER    2    590  Region: INVALID <99>"));
        assert!(is_invalid("METRIC_CLASS  0  Occurrence: ASYNCHRONOUS, Kind: UNKNOWN, 1 Member"));
        assert!(is_invalid("REGION 9  Name: \"a\" <2>, Role: INVALID <41>, Paradigm: \"b\" <3>"));
        assert!(!is_invalid("REGION 9  Name: \"a\" <2>, Role: INVALID <40>, Paradigm: \"b\" <3>"));
        assert!(!is_invalid("PARADIGM 25  INVALID <25>, Name: \"INVALID\" <3>, Class: X"));
        assert!(!is_invalid("ENTER    2    590  Region: \"INVALID and UNKNOWN\" <9>"));
    }
}
