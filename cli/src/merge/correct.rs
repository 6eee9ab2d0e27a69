//! `--correct-clocks`: the controlled logical clock, for recordings of a job that were put on one clock.

use super::Closed;
use super::clocks::{self, Place};
use crate::job;
use anyhow::Result;
use ompttrace_recording::mpi;
use ompttrace_timeline::{Exchanges, Matching};
use ompttrace_workers::try_each;
use serde_json::{Value, json};
use std::fmt;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};

/// Numbers about what was changed.
#[derive(Clone, Debug)]
pub struct Corrected {
    /// Ranks whose times were changed.
    ranks: usize,
    /// The least time that a message between clocks takes, in nanoseconds.
    latency_ns: u64,
    changed: ompttrace_timeline::Corrected,
}

/// Corrects the times of recordings, in the order in which their `places` are.
pub fn correct(
    recordings: &mut [Closed],
    (places, measured): (&[Place<'_>], &[Vec<mpi::Clock>]),
    jobs: NonZero<usize>,
) -> Result<Corrected> {
    let exchanges = Mutex::new(Exchanges::default());
    let each = (0..recordings.len() as u32).zip(&*recordings);
    try_each("clocks", jobs.get(), each, |(position, closed)| {
        let recording = closed.open()?;
        let matching = Matching::of(&recording, job::number(&recording.path));
        recording.check()?;
        let mut exchanges = exchanges.lock().unwrap_or_else(PoisonError::into_inner);
        exchanges.add(position, &recording, &matching);
        anyhow::Ok(())
    })?;
    let exchanges = exchanges.into_inner().unwrap_or_else(PoisonError::into_inner);
    let latency_ns = clocks::latency(measured);
    let changed = exchanges.correct(&clocks::machines_of(places), latency_ns);
    for (closed, correction) in recordings.iter_mut().zip(&changed.of_rank) {
        if let Some(correction) = correction {
            let (begin, end) = closed.span;
            closed.span = (correction.apply(begin), correction.apply(end));
            closed.motion.correction = Some(correction.clone());
        }
    }
    let ranks = changed.of_rank.iter().flatten().count();
    Ok(Corrected { ranks, latency_ns, changed })
}

impl Corrected {
    /// As JSON.
    pub fn value(&self) -> Value {
        let ompttrace_timeline::Corrected { backwards, most_ns, longer_ns, shorter_ns, .. } =
            self.changed;
        json!({
            "ranks": self.ranks,
            "latency_ns": self.latency_ns,
            "backwards_before": backwards.0,
            "backwards_after": backwards.1,
            "most_ns": most_ns,
            "longer_ns": longer_ns,
            "shorter_ns": shorter_ns,
        })
    }
}

impl fmt::Display for Corrected {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ompttrace_timeline::Corrected { backwards, most_ns, longer_ns, shorter_ns, .. } =
            self.changed;
        if self.ranks == 0 {
            return to.write_str("no message runs backwards: all times are as they were");
        }
        let ranks = if self.ranks == 1 { "rank" } else { "ranks" };
        write!(
            to,
            "{} messages ran backwards, {} do after the correction; times of {} {ranks} are later by up to {most_ns} ns, and between two \
             events of MPI time became longer by up to {longer_ns} ns and shorter by up to {shorter_ns} ns",
            backwards.0, backwards.1, self.ranks
        )
    }
}
