//! Sums of a recording, counted as the oracle counts: by event, endpoint and the event's own kind
//! (see `tests/oracle/events.h`), so that arguments are checked and not only numbers of events.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use ompttrace_recording::events::Record;
use ompttrace_recording::{Event, Recording, Scope};

use crate::oracle::Totals;

/// The oracle counts kinds without a counter under 0.
const KINDS: u64 = 32;

/// The sums of one recording.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Counts by event number and kind.
    pub by_kind: BTreeMap<(u16, u32), Totals>,
    /// Counts of follow-up records by event number; the tool defines their numbers, from 256 on.
    pub ours: BTreeMap<u16, u64>,
    /// Records whose time lies before that of the record before them on the same thread.
    pub backwards: u64,
    /// Number of bytes that are no record, or that are missing from the files.
    pub unreadable: u64,
}

impl Recorded {
    /// Reads every record of a run folder.
    pub fn read(run: &Path) -> Result<Recorded> {
        let recording = Recording::open(run).with_context(|| run.display().to_string())?;
        let damage = recording.damage;
        let mut sums = Recorded {
            // A kill may tear the last fragment of a file; the pool has what it lacks.
            unreadable: damage.unreadable + damage.missing,
            ..Recorded::default()
        };
        for thread in 0..recording.threads.len() {
            let mut stream = recording.stream(thread);
            let mut last = 0;
            while stream.take(|record| last = sums.take(&record, last)).is_some() {}
            sums.unreadable += stream.undecoded();
        }
        Ok(sums)
    }

    /// The sums of one event over all kinds.
    pub fn event(&self, number: u16) -> Totals {
        let kinds = self.by_kind.iter().filter(|((event, _), _)| *event == number);
        kinds.fold(Totals::default(), |sum, (_, kind)| sum.plus(kind))
    }

    fn take(&mut self, record: &Record<'_>, last: u64) -> u64 {
        self.backwards += u64::from(record.ticks < last);
        let number = record.code.number();
        match kind(&record.event()) {
            None => *self.ours.entry(number).or_default() += 1,
            Some(kind) => {
                let kind = if kind < KINDS { kind as u32 } else { 0 };
                let totals = self.by_kind.entry((number, kind)).or_default();
                match record.code.scope() {
                    Scope::None => totals.none += 1,
                    Scope::Begin => totals.begin += 1,
                    Scope::End => totals.end += 1,
                    Scope::BeginEnd => totals.beginend += 1,
                }
            }
        }
        record.ticks
    }
}

/// The kind that the oracle counts by; None for records of ours.
fn kind(event: &Event) -> Option<u64> {
    Some(match event {
        Event::ThreadBegin(event) => event.thread_type,
        Event::ParallelBegin(event) => event.flags >> 30,
        Event::ParallelEnd(event) => event.flags >> 30,
        Event::TaskCreate(event) => event.flags & 0x1f,
        Event::TaskSchedule(event) => event.status,
        Event::ImplicitTask(event) => event.flags & 0x1f,
        Event::SyncRegion(event) => event.kind,
        Event::SyncRegionWait(event) => event.kind,
        Event::Reduction(event) => event.kind,
        Event::Work(event) => event.kind,
        Event::Dispatch(event) => event.kind,
        Event::MutexAcquire(event) => event.kind,
        Event::MutexAcquired(event) => event.kind,
        Event::MutexReleased(event) => event.kind,
        Event::LockInit(event) => event.kind,
        Event::LockDestroy(event) => event.kind,
        Event::Cancel(event) => event.flags & 0x0f,
        Event::Error(event) => event.kind,
        Event::ControlTool(event) => event.command,
        Event::Target(event) => event.kind,
        Event::TargetEmi(event) => event.kind,
        Event::TargetDataOp(event) => event.kind,
        Event::TargetDataOpEmi(event) => event.kind,
        Event::ThreadInfo(_)
        | Event::CodeSite(_)
        | Event::Dependence(_)
        | Event::MapItem(_)
        | Event::Text(_)
        | Event::Lost(_)
        | Event::Wait(_)
        | Event::Control(_)
        | Event::OngoingTask(_)
        | Event::Unknown => return None,
        _ => 0,
    })
}
