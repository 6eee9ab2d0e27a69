//! The tracks that belong to no thread: rows of parallel regions and locks. Each is described at its
//! first event.

use std::collections::HashMap;
use std::io::Write;

use ompttrace_model::{Counter, Definitions, LockRef, RegionRow};
use serde_json::json;

use crate::lines::Lines;
use crate::process::Process;
use crate::tracks::{Group, Track};

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    rows: HashMap<RegionRow, Track>,
    locks: Vec<LockTrack>,
    /// Whether some lock has a track.
    locked: bool,
}

#[derive(Debug)]
struct LockTrack {
    name: String,
    track: Option<Track>,
}

impl Shared {
    /// The track of a row of parallel regions.
    #[inline]
    pub(crate) fn row<W: Write>(
        &mut self,
        lines: &mut Lines<W>,
        process: &Process,
        row: RegionRow,
    ) -> &Track {
        let known = self.rows.len() as u64;
        self.rows.entry(row).or_insert_with(|| new_row(lines, process, row, known))
    }

    /// Takes in the locks that were defined since the last call.
    pub(crate) fn define_locks(&mut self, definitions: &Definitions) {
        let new = definitions.locks().iter().skip(self.locks.len());
        self.locks.extend(new.map(|lock| LockTrack { name: lock.name.clone(), track: None }));
    }

    /// The track of a lock.
    #[inline]
    pub(crate) fn lock<W: Write>(
        &mut self,
        lines: &mut Lines<W>,
        process: &Process,
        lock: LockRef,
    ) -> Option<&Track> {
        let LockTrack { name, track } = self.locks.get_mut(lock as usize)?;
        if track.is_none() {
            if !self.locked {
                self.locked = true;
                process.name_group(lines, Group::Locks, u64::from(lock) + 1);
            }
            *track = Some(new_lock(lines, process, lock, name));
        }
        track.as_ref()
    }
}

/// A counter's name in two parts: viewers show the second as one of several series.
pub(crate) fn counter_names(counter: Counter) -> (&'static str, &'static str) {
    match counter {
        Counter::ThreadsWorking => ("threads", "working"),
        Counter::ThreadsIdle => ("workers", "idle"),
        Counter::LiveTasks => ("live", "tasks"),
    }
}

#[cold]
fn new_row<W: Write>(lines: &mut Lines<W>, process: &Process, row: RegionRow, known: u64) -> Track {
    let track = Track::new(Group::Regions.pid(process.pid), known + 1);
    if known == 0 {
        process.name_group(lines, Group::Regions, track.tid);
    }
    let name = match row.row {
        0 => format!("level {}", row.level),
        further => format!("level {} ({})", row.level, u64::from(further) + 1),
    };
    // Levels one below the other, and the rows of a level together.
    let rank = row.level.min(0x7ffe) << 16 | row.row.min(0xffff);
    name_track(lines, &track, &name, u64::from(rank));
    track
}

#[cold]
fn new_lock<W: Write>(lines: &mut Lines<W>, process: &Process, lock: LockRef, name: &str) -> Track {
    let track = Track::new(Group::Locks.pid(process.pid), u64::from(lock) + 1);
    name_track(lines, &track, name, u64::from(lock));
    track
}

fn name_track<W: Write>(lines: &mut Lines<W>, track: &Track, name: &str, rank: u64) {
    lines.metadata(track.pid, track.tid, "thread_name", &json!({ "name": name }));
    lines.metadata(track.pid, track.tid, "thread_sort_index", &json!({ "sort_index": rank }));
}
