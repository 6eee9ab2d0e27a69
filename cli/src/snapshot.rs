//! `ompttrace snapshot`: what the rings of a program hold, as a recording of its own.
//!
//! The buffers are copied first and the files then: what a thread writes at its end in between is in both, and readers take it once.

use crate::amend::amend_in;
use crate::arguments::SnapshotArguments;
use crate::control::{Program, programs};
use crate::interrupted;
use crate::job::Job;
use crate::output_path::OutputPath;
use crate::say;
use anyhow::{Context, Result, bail};
use ompttrace_recording::facts::{End, end};
use ompttrace_recording::reader::Copied;
use ompttrace_recording::{PinnedFolder, folder};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The version of the schema of `--json`: raised where a field changes its meaning or goes.
const SCHEMA: u32 = 1;
/// The part of a snapshot's name that the recording's name lacks.
const MARK: &str = ".snapshot";

pub fn run(arguments: &SnapshotArguments) -> Result<()> {
    let programs = programs(&arguments.target)?;
    if let Some(other) = programs.iter().find(|program| program.facts.overflow != "ring") {
        let (name, policy) = (&other.name, say::harmless(&other.facts.overflow));
        bail!(
            "{name}: a snapshot is of rings (OMPTTRACE_OVERFLOW=ring, not {policy}): `ompttrace export` reads this recording as it is"
        );
    }
    interrupted::watch_all("the recording is unchanged".to_owned());
    let job = Job::at(Path::new(&arguments.target))?;
    let original = match (&job, programs.as_slice()) {
        (Some(job), _) => job.path.clone(),
        (None, [program, ..]) => program.run.clone(),
        (None, []) => bail!("no program"),
    };
    let (parent, stem) = beside(&original)?;
    let output = OutputPath::run_folder(&parent, arguments.output.as_deref(), stem)?;
    let made = output.made().with_context(|| say::shown(&output.name()))?;
    let (mut copied, mut values) = (Copied::default(), Vec::new());
    for program in &programs {
        let of_rank = job.as_ref().and_then(|_| program.run.file_name());
        let one = match of_rank.map(|name| made.private(name)).transpose()? {
            Some(rank) => copy(program, &rank),
            None => copy(program, &made),
        };
        let one = one.with_context(|| program.name.clone())?;
        values.push(value(program, one));
        copied.threads += one.threads;
        copied.left_out += one.left_out;
    }
    let path = output.done()?;
    if arguments.json {
        return say::json(&json!({ "schema": SCHEMA, "snapshot": path, "programs": values }));
    }
    if !arguments.quiet {
        say::out(&line(&path, copied))?;
    }
    Ok(())
}

/// The folder in which a snapshot of a recording lies, and the begin of its name.
fn beside(original: &Path) -> Result<(PathBuf, String)> {
    // `.` has no name of its own.
    let original = fs::canonicalize(original).with_context(|| say::shown(original))?;
    let name = original.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.strip_suffix(folder::SUFFIX).unwrap_or(&name);
    Ok((original.parent().unwrap_or(Path::new("/")).to_owned(), format!("{stem}{MARK}")))
}

/// A program and the counts of its copy, as `--json` prints them.
fn value(program: &Program, copied: Copied) -> Value {
    let mut value = program.value();
    value["threads"] = json!(copied.threads);
    value["left_out"] = json!(copied.left_out);
    value
}

fn line(path: &Path, copied: Copied) -> String {
    let shown = say::shown(path);
    let threads = match copied.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let left_out = match copied.left_out {
        0 => String::new(),
        1 => "; 1 buffer was overwritten while it was copied, and is left out".to_owned(),
        buffers => {
            format!("; {buffers} buffers were overwritten while they were copied, and are left out")
        }
    };
    format!(
        "{shown}: a snapshot of {threads}{left_out}; `ompttrace report {shown}` says where the time went"
    )
}

/// Copies a recording into a new folder.
fn copy(program: &Program, to: &PinnedFolder) -> Result<Copied> {
    let from = PinnedFolder::open(&program.run)?;
    let copied = program.pool.copy_while_written(&to.create(folder::POOL)?)?;
    let taken = now();
    let stripes = (0..folder::STRIPES).map(|number| format!("{}{number}", folder::EVENTS));
    let others = [folder::MODULES, folder::DEVICES, folder::DEVICE_RECORDS].map(str::to_owned);
    for name in stripes.chain(others) {
        copy_file(&from, to, &name).with_context(|| name)?;
    }
    copy_file(&from, to, folder::FACTS)?;
    amend_in(to, |facts| {
        facts.insert("pool".into(), folder::POOL.into());
        facts.insert("closed".into(), false.into());
        // A program that has ended meanwhile has counted what its buffers say, too.
        ["lost", "emptied"].into_iter().for_each(|name| drop(facts.remove(name)));
        let ended = End { monotonic: taken, by: end::SNAPSHOT.to_owned(), number: None };
        if let Some(life) =
            facts.entry("life").or_insert_with(|| serde_json::json!({})).as_object_mut()
        {
            life.insert("ended".into(), serde_json::json!(ended));
        }
        if copied.left_out > 0 {
            facts.insert("snapshot_left_out".into(), copied.left_out.into());
        }
        // It is no recording of the command that runs the program.
        if let Some(process) = facts.get_mut("process").and_then(|process| process.as_object_mut())
        {
            process.insert("started_by".into(), end::SNAPSHOT.into());
        }
    })?;
    Ok(copied)
}

/// Copies a file, if there is one.
fn copy_file(from: &PinnedFolder, to: &PinnedFolder, name: &str) -> io::Result<()> {
    match from.read(name) {
        Ok(mut file) => io::copy(&mut file, &mut to.create(name)?).map(drop),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Time of CLOCK_MONOTONIC, in nanoseconds.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    (now.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(now.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_left_out() {
        let copied = |left_out| line(Path::new("a"), Copied { threads: 2, left_out });
        assert!(copied(0).starts_with("a: a snapshot of 2 threads; `ompttrace report a`"));
        assert!(copied(1).contains("; 1 buffer was overwritten while it was copied"));
        assert!(copied(3).contains("; 3 buffers were overwritten while they were copied"));
    }
}
