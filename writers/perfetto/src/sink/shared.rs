//! The tracks that belong to no thread: rows of parallel regions, locks, counters. Each is described
//! at its first event.

use std::collections::HashMap;
use std::io::Write;

use ompttrace_model::{Counter, Definitions, LockRef, RegionRow};

use super::picture::{Group, Picture};
use crate::encode::Sequence;
use crate::tracks;

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Shared {
    rows: HashMap<RegionRow, Sequence>,
    locks: Vec<LockTrack>,
    counters: [Option<Sequence>; 3],
}

#[derive(Debug)]
struct LockTrack {
    name: String,
    sequence: Option<Sequence>,
}

impl Shared {
    /// Takes in the locks that were defined since the last call.
    pub(super) fn define_locks(&mut self, definitions: &Definitions) {
        let new = definitions.locks().iter().skip(self.locks.len());
        self.locks.extend(new.map(|lock| LockTrack { name: lock.name.clone(), sequence: None }));
    }

    /// The events of a row of parallel regions.
    #[inline(always)]
    pub(super) fn row<W: Write>(
        &mut self,
        picture: &mut Picture<W>,
        row: RegionRow,
    ) -> &mut Sequence {
        self.rows.entry(row).or_insert_with(|| new_row(picture, row))
    }

    /// The events of a lock.
    #[inline(always)]
    pub(super) fn lock<W: Write>(
        &mut self,
        picture: &mut Picture<W>,
        lock: LockRef,
    ) -> Option<&mut Sequence> {
        let track = self.locks.get_mut(lock as usize)?;
        Some(track.sequence.get_or_insert_with(|| new_lock(picture, lock, &track.name)))
    }

    /// The values of a counter.
    #[inline(always)]
    pub(super) fn counter<W: Write>(
        &mut self,
        picture: &mut Picture<W>,
        counter: Counter,
    ) -> &mut Sequence {
        self.counters[counter as usize].get_or_insert_with(|| new_counter(picture, counter))
    }
}

#[cold]
fn new_row<W: Write>(picture: &mut Picture<W>, row: RegionRow) -> Sequence {
    let (uuid, group) = (picture.numbers.row(row), picture.group(Group::Regions));
    let name = match row.row {
        0 => format!("level {}", row.level),
        further => format!("level {} ({})", row.level, u64::from(further) + 1),
    };
    // Levels one below the other, and the rows of a level together.
    let rank = (row.level.min(0x7ffe) << 16 | row.row.min(0xffff)) as i32;
    picture.out.track(tracks::track(uuid, group, rank, &name));
    picture.out.sequence(uuid)
}

#[cold]
fn new_lock<W: Write>(picture: &mut Picture<W>, lock: LockRef, name: &str) -> Sequence {
    let (uuid, group) = (picture.numbers.lock(lock), picture.group(Group::Locks));
    let rank = i32::try_from(lock).unwrap_or(i32::MAX);
    picture.out.track(tracks::track(uuid, group, rank, name));
    picture.out.sequence(uuid)
}

#[cold]
fn new_counter<W: Write>(picture: &mut Picture<W>, counter: Counter) -> Sequence {
    let (name, unit) = match counter {
        Counter::ThreadsWorking => ("threads working", "threads"),
        Counter::ThreadsIdle => ("workers idle", "threads"),
        Counter::LiveTasks => ("live tasks", "tasks"),
    };
    let (uuid, group) = (picture.numbers.counter(counter), picture.group(Group::Counters));
    picture.out.track(tracks::counter(uuid, group, counter as i32, name, unit));
    picture.out.sequence(uuid)
}
