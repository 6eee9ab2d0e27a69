//! The lanes of logical threads: one flat list in the order of their paths.
//!
//! A lane is named at its first event, so that a file that was cut off has the name; where it stands
//! among the others is known at the end only.

use std::io::Write;

use ompttrace_model::{Definitions, Lane, LaneRef};
use serde_json::json;

use crate::lines::Lines;
use crate::process::Process;
use crate::texts::quoted;
use crate::tracks::{Group, Track};

/// A lane that was defined.
#[derive(Debug)]
struct Row {
    lane: Lane,
    /// Its path, in quotes.
    path: Box<[u8]>,
    track: Track,
    used: bool,
}

/// All lanes, by number.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    rows: Vec<Row>,
    used: bool,
}

impl Lanes {
    /// Takes in the lanes that were defined since the last call.
    pub(crate) fn define(&mut self, process: &Process, definitions: &Definitions) {
        for lane in definitions.logical_threads().iter().skip(self.rows.len()) {
            let track = Track::new(Group::Lanes.pid(process.pid), u64::from(lane.lane) + 1);
            let path = quoted(&lane.path);
            self.rows.push(Row { lane: lane.clone(), path, track, used: false });
        }
    }

    /// The path of a lane, in quotes.
    #[inline]
    pub(crate) fn path(&self, lane: LaneRef) -> Option<&[u8]> {
        Some(&self.rows.get(lane as usize)?.path)
    }

    /// The track of a lane, named if it was not yet.
    #[inline]
    pub(crate) fn track<W: Write>(
        &mut self,
        lines: &mut Lines<W>,
        process: &Process,
        lane: LaneRef,
    ) -> Option<&Track> {
        let row = self.rows.get_mut(lane as usize)?;
        if !row.used {
            if !self.used {
                process.name_group(lines, Group::Lanes, row.track.tid);
            }
            (self.used, row.used) = (true, true);
            describe(row, lines);
        }
        Some(&row.track)
    }

    /// Says how lanes stand.
    pub(crate) fn order<W: Write>(&self, lines: &mut Lines<W>) {
        let mut rows: Vec<&Row> = self.rows.iter().filter(|row| row.used).collect();
        rows.sort_by(|one, other| {
            (&one.lane.order, one.lane.lane).cmp(&(&other.lane.order, other.lane.lane))
        });
        for (row, rank) in rows.iter().zip(0u64..) {
            let Track { pid, tid, .. } = row.track;
            lines.metadata(pid, tid, "thread_sort_index", &json!({ "sort_index": rank }));
        }
    }
}

#[cold]
fn describe<W: Write>(row: &Row, lines: &mut Lines<W>) {
    let Track { pid, tid, .. } = row.track;
    lines.metadata(pid, tid, "thread_name", &json!({ "name": row.lane.path }));
}
