//! An event's group, and its treatment by a scan, as its row says.

use super::{EventCode, GROUPS, PASSED};
use crate::settings::Family;

/// The group of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// OpenMP's threads, regions, implicit tasks and commands of the program: always recorded, as all else depends on them.
    Base,
    /// See [`Family::Task`].
    Task,
    /// See [`Family::Work`].
    Work,
    /// See [`Family::Sync`].
    Sync,
    /// See [`Family::Mutex`].
    Mutex,
    /// See [`Family::Control`].
    Control,
    /// See [`Family::Target`].
    Target,
    /// Definitions of numbers in other records, made by the tool. They are recorded when they are first needed, not
    /// when the program does something.
    Definition,
    /// Continuations of the record before, made by the tool.
    Part,
    /// Events of the thread that OpenMP's tool interface does not have.
    Extension,
    /// Records of another stream of the thread: its cores or samples.
    CoresAndSamples,
}

impl Group {
    /// The group by which a user leaves such events out; `None`: they are always recorded, or by other settings.
    pub const fn family(self) -> Option<Family> {
        match self {
            Group::Task => Some(Family::Task),
            Group::Work => Some(Family::Work),
            Group::Sync => Some(Family::Sync),
            Group::Mutex => Some(Family::Mutex),
            Group::Control => Some(Family::Control),
            Group::Target => Some(Family::Target),
            Group::Base
            | Group::Definition
            | Group::Part
            | Group::Extension
            | Group::CoresAndSamples => None,
        }
    }
}

impl EventCode {
    /// The group of such events; `None` for a code that this version does not know.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "a byte is below 256")]
    pub const fn group(self) -> Option<Group> {
        GROUPS[self.0 as usize]
    }

    /// True if a scan of one thread's records may pass over such a record: it leaves nothing open and names nothing.
    #[inline(always)]
    #[allow(clippy::indexing_slicing, reason = "a byte is below 256")]
    pub const fn is_passed(self) -> bool {
        PASSED[self.0 as usize]
    }
}

/// True if a row says `pass`.
pub(super) const fn is_passed(scan: &str) -> bool {
    matches!(scan.as_bytes(), b"pass")
}
