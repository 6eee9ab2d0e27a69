//! Core streams of a recording, and properties that each of them must have.

use anyhow::{Context, Result, ensure};
use ompttrace_recording::events::{CoresUnknown, Event, RunDelay};
use ompttrace_recording::facts::ClockPair;
use ompttrace_recording::{EventCode, Recording};
use std::path::Path;

/// Core stream of a thread: its context switches, or the kernel's sums.
#[derive(Debug)]
pub struct Cores {
    pub os_thread: u32,
    /// Events with their times by CLOCK_MONOTONIC in nanoseconds.
    pub records: Vec<(u64, Event)>,
}

/// Opens a run's recording and reads its core streams.
pub fn read(run: &Path) -> Result<(Recording, Vec<Cores>)> {
    let recording = ompttrace_packed::open(run)?;
    let pairs = &recording.facts.clock.pairs;
    // A killed run has its last pair in its fragments.
    let in_fragments = recording.threads.iter().filter_map(|thread| Some(thread.clock?.1));
    let first = *pairs.first().context("a clock pair")?;
    let last = pairs.iter().copied().chain(in_fragments).max_by_key(|pair| pair.monotonic);
    let last = last.context("two clock pairs")?;
    let mut all = Vec::new();
    for (at, known) in recording.cores.iter().enumerate() {
        let (mut stream, mut records) = (recording.core_stream(at), Vec::new());
        let take = |ticks, event| records.push((monotonic(ticks, first, last), event));
        let mut take = take;
        while stream.take(|record| take(record.ticks, record.event())).is_some() {}
        ensure!(stream.undecoded() == 0, "{known:?}");
        all.push(Cores { os_thread: known.os_thread, records });
    }
    ensure!(recording.damage.missing == 0 && recording.damage.unreadable == 0);
    Ok((recording, all))
}

fn monotonic(ticks: u64, first: ClockPair, last: ClockPair) -> u64 {
    let per_tick = (last.monotonic - first.monotonic) as f64 / (last.ticks - first.ticks) as f64;
    (first.monotonic as f64 + (ticks as f64 - first.ticks as f64) * per_tick) as u64
}

impl Cores {
    /// Returns true if the stream has context switches, and not only the kernel's sums.
    pub fn is_by_switches(&self) -> bool {
        matches!(self.records.first(), Some((_, Event::SwitchIn(_))))
    }

    /// Returns true if the last record says that everything up to its time was read.
    pub fn is_whole(&self) -> bool {
        matches!(self.records.last(), Some((_, Event::CoresRead(_))))
    }

    /// Returns true if the last record says that nothing is known from there on.
    pub fn ends_unknown(&self) -> bool {
        matches!(self.records.last(), Some((_, Event::CoresUnknown(_))))
    }

    /// Reasons of the records that say that nothing is known until the next switch.
    pub fn unknown(&self) -> Vec<u64> {
        let reasons = self.records.iter().filter_map(|(_, event)| match event {
            Event::CoresUnknown(CoresUnknown { reason, .. }) => Some(*reason),
            _ => None,
        });
        reasons.collect()
    }

    /// Records of the kernel's sums (times on a core and waiting for one, switches), in the order of time.
    pub fn sums(&self) -> Vec<RunDelay> {
        let sums = self.records.iter().filter_map(|(_, event)| match event {
            Event::RunDelay(sums) => Some(*sums),
            _ => None,
        });
        sums.collect()
    }

    /// Checks that times do not decrease, that a thread with a core loses it before it gets one, and that sums grow. Returns the
    /// number of switches.
    pub fn check(&self) -> Result<usize> {
        ensure!(self.records.is_sorted_by_key(|(time, _)| *time), "time runs backwards: {self:?}");
        let (mut has_core, mut switches) = (None, 0);
        for (time, event) in &self.records {
            let has_now = match event {
                Event::SwitchIn(_) => Some(true),
                Event::SwitchOut(out) => {
                    ensure!(out.preempted <= 1, "{out:?}");
                    Some(false)
                }
                Event::CoresUnknown(_) => None,
                Event::RunDelay(_) | Event::CoresRead(_) => continue,
                _ => anyhow::bail!("{event:?} in a core stream"),
            };
            ensure!(has_now.is_none() || has_now != has_core, "{event:?} at {time} comes twice");
            has_core = has_now;
            switches += usize::from(has_now.is_some());
        }
        let grows = |pair: &[RunDelay]| match pair {
            [one, next] => one.run_ns <= next.run_ns && one.delay_ns <= next.delay_ns,
            _ => true,
        };
        ensure!(self.sums().windows(2).all(grows), "sums shrink: {:?}", self.sums());
        Ok(switches)
    }

    /// Nanoseconds within a span for which it wanted a core and had none.
    pub fn waited(&self, begin: u64, end: u64) -> u64 {
        let (mut since, mut sum) = (None, 0);
        for (time, event) in &self.records {
            match event {
                Event::SwitchOut(out) => since = Some(*time).filter(|_| out.preempted == 1),
                Event::SwitchIn(_) => {
                    let until = (*time).min(end);
                    sum +=
                        since.take().map_or(0, |from: u64| until.saturating_sub(from.max(begin)));
                }
                _ => {}
            }
        }
        sum
    }
}

/// Returns true if an event may occur in core streams only.
pub fn is_of_cores(code: EventCode) -> bool {
    (272..280).contains(&code.number())
}
