//! A recording read back into the paper's events: which of them each record must have been.

use anyhow::{Context, Result};
use ompttrace_recording::events::{Event, Record};
use ompttrace_recording::kinds::IDLE;
use ompttrace_recording::words::{FLAG_INFERRED, KIND_INFERRED};
use ompttrace_recording::{Recording, Scope};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Counts of the events in a recording, with the regions and wait ids that they name.
#[derive(Debug, Default)]
pub struct Recorded {
    events: BTreeMap<&'static str, u64>,
    /// Numbers of begins and of ends of implicit tasks.
    pub implicit_tasks: [u64; 2],
    /// Number of these events that the tool inferred.
    pub inferred_tasks: u64,
    /// Wait ids of the mutexes that were waited for, by kind of mutex.
    pub wait_ids: BTreeMap<u64, Vec<u64>>,
    pub forked: BTreeSet<u64>,
    pub joined: BTreeSet<u64>,
    pub entered: BTreeSet<u64>,
    /// Indices of the threads in each region, by the region's id.
    pub team_threads: BTreeMap<u64, BTreeSet<usize>>,
}

impl Recorded {
    /// Reads all records of a recording.
    pub fn read(folder: &Path) -> Result<Recorded> {
        let recording = Recording::open(folder).with_context(|| folder.display().to_string())?;
        let mut all = Recorded::default();
        for thread in 0..recording.threads.len() {
            let mut stream = recording.stream(thread);
            while stream.take(|record| all.add(thread, &record)).is_some() {}
        }
        Ok(all)
    }

    /// Number of recorded events that have this name in the paper.
    pub fn of(&self, name: &str) -> u64 {
        self.events.get(name).copied().unwrap_or(0)
    }

    /// Numbers of threads of the regions that have at least `least` threads.
    pub fn threads_in(&self, least: usize) -> Vec<usize> {
        self.team_threads.values().map(BTreeSet::len).filter(|count| *count >= least).collect()
    }

    fn add(&mut self, thread: usize, record: &Record<'_>) {
        let begins = record.code.scope() == Scope::Begin;
        let half = |begin, end| if begins { begin } else { end };
        let name = match record.event() {
            Event::ParallelBegin(event) => {
                self.forked.insert(event.region);
                "fork"
            }
            Event::ParallelEnd(event) => {
                self.joined.insert(event.region);
                "join"
            }
            Event::ImplicitTask(event) => {
                self.implicit_tasks[usize::from(!begins)] += 1;
                self.inferred_tasks += u64::from(event.flags & FLAG_INFERRED != 0);
                self.entered.insert(event.region);
                self.team_threads.entry(event.region).or_default().insert(thread);
                return;
            }
            Event::SyncRegionWait(event) if event.kind == IDLE => {
                half("thr_begin_idle", "thr_end_idle")
            }
            Event::SyncRegionWait(event) if event.kind == 2 => {
                half("thr_begin_ibar", "thr_end_ibar")
            }
            Event::SyncRegionWait(event) if event.kind == 3 => {
                half("thr_begin_ebar", "thr_end_ebar")
            }
            Event::MutexAcquire(event) => {
                self.wait_ids.entry(event.kind).or_default().push(event.wait_id);
                mutex(event.kind, true)
            }
            Event::MutexAcquired(event) if event.kind == 7 => "thr_begin_ordered",
            Event::MutexAcquired(event) => {
                let kind = event.kind & !KIND_INFERRED;
                self.wait_ids.entry(kind).or_default().push(event.wait_id);
                mutex(kind, false)
            }
            Event::MutexReleased(event) if event.kind == 7 => "thr_end_ordered",
            Event::Masked(_) => half("thr_begin_master", "thr_end_master"),
            Event::Work(event) if event.kind == 3 => half("thr_begin_single", "thr_end_single"),
            _ => return,
        };
        *self.events.entry(name).or_default() += 1;
    }
}

fn mutex(kind: u64, begins: bool) -> &'static str {
    match (kind, begins) {
        (1, true) => "thr_begin_lkwt",
        (1, false) => "thr_end_lkwt",
        (5, true) => "thr_begin_ctwt",
        (5, false) => "thr_end_ctwt",
        (6, true) => "thr_begin_atwt",
        (6, false) => "thr_end_atwt",
        (7, true) => "thr_begin_odwt",
        (7, false) => "thr_end_odwt",
        _ => "no such mutex",
    }
}
