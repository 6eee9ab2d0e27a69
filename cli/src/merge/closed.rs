//! Recordings of a job that are open only while they are read: a job may have more ranks than a process may have open files.

use super::clocks::{self, Alignment, Motion};
use super::correct::{self, Corrected};
use crate::recover::recover;
use crate::{job, run_folder};
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
    /// The rank: as the name of its folder says in a job, or as its launcher said; else its position among those that are given.
    pub rank: u32,
    /// Time of the begin and the end, CLOCK_MONOTONIC of the common clock in nanoseconds.
    pub span: (u64, u64),
    /// Bytes of its records.
    pub bytes: u64,
    pub(super) motion: Motion,
}

impl Closed {
    /// Opens it, with its times on the common clock.
    pub fn open(&self) -> Result<Recording> {
        let mut recording = run_folder::open(&self.path)?;
        self.motion.apply(&mut recording);
        Ok(recording)
    }
}

/// Recordings on one clock.
#[derive(Debug)]
pub struct Aligned {
    /// In the order in which they begin: a reader wants clocks to go forward from packet to packet.
    pub recordings: Vec<Closed>,
    pub alignment: Alignment,
    /// The changes by the logical clock, if that was asked for.
    pub corrected: Option<Corrected>,
}

/// Puts all recordings on one clock. `correct`: true if the logical clock puts their messages in order.
pub fn open_aligned(runs: &[PathBuf], jobs: NonZero<usize>, correct: bool) -> Result<Aligned> {
    let facts = checked(runs)?;
    let places: Vec<_> = runs.iter().map(PathBuf::as_path).zip(&facts).collect();
    let measured = match clocks::are_one(&facts) {
        true => Vec::new(),
        false => try_each("clocks", jobs.get(), runs, |run| {
            anyhow::Ok(ompttrace_timeline::count(&run_folder::open(run)?).mpi.clocks)
        })?,
    };
    let (alignment, motions) = clocks::motions(&places, &measured);
    let all = (0..runs.len() as u32).zip(runs).zip(facts.iter().cloned()).zip(motions);
    let mut all = try_each("ranks", jobs.get(), all, |(((position, run), facts), motion)| {
        let (span, bytes) = ((u64::MAX, u64::MAX), 0);
        let rank = job::rank_of(run).or(facts.process.rank).unwrap_or(position);
        let closed = Closed { path: run.clone(), facts, rank, span, bytes, motion };
        let recording = closed.open()?;
        let is_empty = recording.threads.iter().all(|thread| thread.bytes() == 0);
        let span = if is_empty { span } else { span_of(&recording) };
        anyhow::Ok(Closed { span, bytes: recording.bytes(), ..closed })
    })?;
    let corrected = match correct {
        true => Some(correct::correct(&mut all, (&places, &measured), jobs)?),
        false => None,
    };
    all.sort_by_key(|one| one.span.0);
    Ok(Aligned { recordings: all, alignment, corrected })
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
