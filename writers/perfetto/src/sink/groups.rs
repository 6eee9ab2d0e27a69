//! The groups of tracks: each is described when its first track needs it, so that no empty one is shown.

use std::io::Write;

use super::numbers::Numbers;
use super::texts::TraceTexts;
use crate::encode::Packets;
use crate::tracks;

/// A group of tracks. The order is that on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Group {
    OpenMp,
    Counters,
    Regions,
    LogicalThreads,
    Locks,
}

const NAMES: [&str; 5] = ["OpenMP", "Counters", "Parallel regions", "Logical threads", "Locks"];

/// For each group, true if it is described.
#[derive(Debug, Default)]
pub(super) struct Groups([bool; NAMES.len()]);

impl Groups {
    /// The number of a group, which is described if need be.
    pub(super) fn uuid<W: Write>(
        &mut self,
        out: &mut Packets<W, TraceTexts>,
        numbers: Numbers,
        group: Group,
    ) -> u64 {
        let uuid = numbers.group(group);
        if !std::mem::replace(&mut self.0[group as usize], true) {
            let parent = match group {
                Group::OpenMp => numbers.process(),
                _ => self.uuid(out, numbers, Group::OpenMp),
            };
            out.track(tracks::track(uuid, parent, group as i32, NAMES[group as usize]));
        }
        uuid
    }
}
