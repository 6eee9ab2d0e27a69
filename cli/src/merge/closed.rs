//! Recordings of a job that are open only while they are read: a job may have more ranks than a process may have open files.

use super::clocks::{self, Alignment, Motion};
use crate::recover::recover;
use crate::run_folder;
use anyhow::{Context, Result, bail};
use ompttrace_recording::Recording;
use ompttrace_recording::facts::Facts;
use ompttrace_timeline::span_of;
use ompttrace_workers::try_each;
use std::collections::HashSet;
use std::num::NonZero;
use std::path::PathBuf;

/// A recording that is not open, and what is known of it.
#[derive(Clone, Debug)]
pub struct Closed {
    pub path: PathBuf,
    pub facts: Facts,
    /// Time of the begin and the end, CLOCK_MONOTONIC of the common clock in nanoseconds.
    pub span: (u64, u64),
    /// Bytes of its records.
    pub bytes: u64,
    motion: Motion,
}

impl Closed {
    /// Opens it, with its times on the common clock.
    pub fn open(&self) -> Result<Recording> {
        let mut recording = run_folder::open(&self.path)?;
        self.motion.apply(&mut recording);
        Ok(recording)
    }
}

/// Puts all recordings on one clock; also returns by what. They are in the order in which they begin: a reader wants clocks to go
/// forward from packet to packet.
pub fn open_aligned(runs: &[PathBuf], jobs: NonZero<usize>) -> Result<(Vec<Closed>, Alignment)> {
    let facts = checked(runs)?;
    let places: Vec<_> = runs.iter().map(PathBuf::as_path).zip(&facts).collect();
    let measured = match clocks::are_one(&facts) {
        true => Vec::new(),
        false => try_each("clocks", jobs.get(), runs, |run| {
            anyhow::Ok(ompttrace_timeline::count(&run_folder::open(run)?).mpi.clocks)
        })?,
    };
    let (alignment, motions) = clocks::motions(&places, &measured);
    let all = runs.iter().zip(facts.iter().cloned()).zip(motions);
    let mut all = try_each("ranks", jobs.get(), all, |((run, facts), motion)| {
        let (span, bytes) = ((u64::MAX, u64::MAX), 0);
        let closed = Closed { path: run.clone(), facts, span, bytes, motion };
        let recording = closed.open()?;
        let is_empty = recording.threads.iter().all(|thread| thread.bytes() == 0);
        let span = if is_empty { span } else { span_of(&recording) };
        anyhow::Ok(Closed { span, bytes: recording.bytes(), ..closed })
    })?;
    all.sort_by_key(|one| one.span.0);
    Ok((all, alignment))
}

/// The facts of all recordings; the same one twice would be drawn over itself.
fn checked(runs: &[PathBuf]) -> Result<Vec<Facts>> {
    let mut seen = HashSet::new();
    let checked = runs.iter().map(|run| {
        run_folder::check(run)?;
        let whole = run.canonicalize().with_context(|| format!("{}", run.display()))?;
        if !seen.insert(whole) {
            bail!("{} is given twice", run.display());
        }
        recover(run, false);
        Ok(run_folder::open(run)?.facts)
    });
    checked.collect()
}
