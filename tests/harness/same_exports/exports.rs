//! Exports of a recording that are compared, and the way they are made: each command runs on a copy of its own, because exports
//! are written to the run folder and move a killed program's buffers into it.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use super::canonical::Format;
use crate::process;

/// The copy's name, the same for both exporters: it is in what they print.
const RUN: &str = "run";
const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";
const ANCHOR: &str = "traces.otf2";
/// The identifier of an archive, random, by its distance from the end of the anchor file.
const IDENTIFIER: [usize; 2] = [19, 11];
/// Number of bytes of two files that are compared at a time.
const BLOCK: u64 = 1 << 20;
const VIEWS: [&str; 3] = ["threads", "regions", "both"];

/// One of the two programs.
#[derive(Clone, Debug)]
pub struct Exporter {
    /// A folder's name.
    pub name: String,
    /// `ompttrace` of that revision.
    pub program: PathBuf,
}

/// One command.
#[derive(Clone, Debug)]
pub struct Job {
    /// A folder's name.
    pub name: String,
    arguments: Vec<String>,
}

/// All commands for a recording. How long it lasted, the base's report says.
pub fn jobs(recording: &Path, base: &Exporter, scratch: &Path) -> Result<Vec<Job>> {
    let report = job("report", &["report", "--json"]);
    let asked = scratch.join("asked");
    run(&report, recording, base, &asked)?;
    let wall = serde_json::from_slice::<Value>(&fs::read(asked.join(STDOUT))?).unwrap_or_default();
    fs::remove_dir_all(asked)?;
    let mut jobs = vec![report];
    let export = ["export", "--json", "--force", "--format"];
    for view in VIEWS {
        jobs.push(job(view, &[&export[..], &["perfetto,chrome,otf2", "--view", view]].concat()));
    }
    // One by itself is made in windows.
    jobs.push(job("otf2", &[&export[..], &["otf2", "--view", "both"]].concat()));
    if let Some(wall) = wall["wall_ns"].as_u64() {
        let [from, to] = [wall / 3, 2 * wall / 3].map(|at| format!("{at}ns"));
        let window = ["perfetto,otf2", "--from", &from, "--to", &to];
        jobs.push(job("window", &[&export[..], &window].concat()));
    }
    Ok(jobs)
}

fn job(name: &str, arguments: &[&str]) -> Job {
    let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
    Job { name: name.to_owned(), arguments }
}

/// Runs a command on a copy that it makes in a new folder, which then has also what was printed.
pub fn run(job: &Job, recording: &Path, exporter: &Exporter, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    copy(recording, &folder.join(RUN))?;
    let mut command = Command::new(&exporter.program);
    process::without_settings(&mut command);
    command.args(&job.arguments).arg(RUN).current_dir(folder).stdin(Stdio::null());
    command.stdout(File::create(folder.join(STDOUT))?);
    command.stderr(File::create(folder.join(STDERR))?);
    let status = command.status().with_context(|| format!("{command:?}"))?;
    let said = fs::read_to_string(folder.join(STDERR)).unwrap_or_default();
    fs::write(folder.join(STDERR), format!("{status}\n{said}"))?;
    Ok(())
}

/// A folder's files, those in its folders too.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&old, &new)?;
        } else {
            fs::copy(&old, &new)?;
        }
    }
    Ok(())
}

/// Everything that a command left, by its name in the command's folder.
pub fn found(folder: &Path) -> Result<Vec<(String, Format)>> {
    let mut found = vec![(STDOUT.to_owned(), Format::Report), (STDERR.to_owned(), Format::Words)];
    for entry in fs::read_dir(folder.join(RUN))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let format = match name.rsplit_once('.') {
            Some((_, "pftrace")) => Format::Perfetto,
            Some(("trace", "json")) => Format::Chrome,
            _ if entry.path().join(ANCHOR).is_file() => Format::Otf2,
            _ => continue,
        };
        found.push((format!("{RUN}/{name}"), format));
    }
    found.sort();
    Ok(found)
}

/// Returns true if two files, or all files of two folders, are equal byte for byte.
pub fn have_same_bytes(paths: &[PathBuf; 2]) -> Result<bool> {
    if !paths[0].is_dir() || !paths[1].is_dir() {
        return same_file(paths);
    }
    let names = [names(&paths[0])?, names(&paths[1])?];
    if names[0] != names[1] {
        return Ok(false);
    }
    for name in &names[0] {
        if !have_same_bytes(&paths.each_ref().map(|path| path.join(name)))? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

fn same_file(paths: &[PathBuf; 2]) -> Result<bool> {
    if paths[0].ends_with(ANCHOR) {
        let files = [fs::read(&paths[0])?, fs::read(&paths[1])?].map(without_identifier);
        return Ok(files[0] == files[1]);
    }
    let (Ok(mut one), Ok(mut other)) = (File::open(&paths[0]), File::open(&paths[1])) else {
        return Ok(false);
    };
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    loop {
        let mut blocks = [Vec::new(), Vec::new()];
        one.by_ref().take(BLOCK).read_to_end(&mut blocks[0])?;
        other.by_ref().take(BLOCK).read_to_end(&mut blocks[1])?;
        if blocks[0] != blocks[1] || blocks[0].is_empty() {
            return Ok(blocks[0] == blocks[1]);
        }
    }
}

fn without_identifier(mut anchor: Vec<u8>) -> Vec<u8> {
    let [from, to] = IDENTIFIER.map(|distance| anchor.len().saturating_sub(distance));
    anchor.drain(from..to);
    anchor
}
