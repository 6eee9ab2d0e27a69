//! Runs a program to its end or to its time limit and keeps all it said.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::directives::End;

/// A run that is over.
#[derive(Debug)]
pub struct Finished {
    /// Process id of the started process.
    pub pid: u32,
    /// Exit status; None if the time limit was reached first and the program was killed.
    pub status: Option<ExitStatus>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Duration of the run.
    pub elapsed: Duration,
}

impl Finished {
    /// Returns true if the process ended in this way.
    pub fn ended_by(&self, end: End) -> bool {
        self.status.is_some_and(|status| match end {
            End::Exit(code) => status.code() == Some(code),
            End::Signal(signal) => status.signal() == Some(signal),
        })
    }

    /// The last line of standard output.
    pub fn last_line(&self) -> &str {
        self.stdout.trim_end().lines().last().unwrap_or_default().trim()
    }
}

/// Frees a command from the caller's own settings of OpenMP and of its tools.
pub fn without_settings(command: &mut Command) {
    let openings = ["OMP_", "KMP_", "LIBOMPTARGET_", "ORACLE_", "OMPTTRACE_"];
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if openings.iter().any(|opening| text.starts_with(opening)) {
            command.env_remove(&name);
        }
    }
}

/// Runs `command` until it ends or `limit` is over. Output goes to files: a pipe would stay open in children that outlive it.
pub fn run(command: &mut Command, limit: Duration) -> Result<Finished> {
    run_until(command, limit, None, &mut |_| {})
}

/// Runs `command` as [`run`] does; `look` gets the id of a process before it is killed because `limit` is over.
pub fn run_looking(
    command: &mut Command,
    limit: Duration,
    look: &mut dyn FnMut(u32),
) -> Result<Finished> {
    run_until(command, limit, None, look)
}

/// Runs a command that is known to hang: it is killed when `patience` is over after its first output on stdout, which it
/// prints when all its work is done, however long that takes.
pub fn run_hanging(command: &mut Command, limit: Duration, patience: Duration) -> Result<Finished> {
    run_until(command, limit, Some(patience), &mut |_| {})
}

fn run_until(
    command: &mut Command,
    limit: Duration,
    patience: Option<Duration>,
    look: &mut dyn FnMut(u32),
) -> Result<Finished> {
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?);
    let started = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let mut give_up = started + limit;
    let mut patience = patience;
    let status = loop {
        if patience.is_some() && out.metadata()?.len() > 0 {
            give_up = Instant::now() + patience.take().unwrap_or_default();
        }
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if Instant::now() > give_up => {
                look(child.id());
                child.kill()?;
                child.wait()?;
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let elapsed = started.elapsed();
    Ok(Finished {
        pid: child.id(),
        status,
        stdout: text(&mut out)?,
        stderr: text(&mut err)?,
        elapsed,
    })
}

fn text(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
