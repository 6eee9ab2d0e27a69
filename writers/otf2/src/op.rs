//! One event of a location on its way to the archive, as the thread that interprets passes it to the one that encodes.
//! It is small and flat, since there are as many as events in the archive.
//!
//! All numbers in an event are its session's (see `segment.rs`).

use std::ops::Range;

use crate::ids::{AttributeId, ListId, ParameterId, RegionId, StringId, TeamSlot, TrackRef};

/// An event and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    /// Time of CLOCK_MONOTONIC, in nanoseconds.
    pub at: u64,
    pub what: Otf2Event,
}

/// A task to OTF2: the team and thread that made it, and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TaskName {
    pub team: TeamSlot,
    pub thread: TrackRef,
    /// 0 is the implicit task of that thread.
    pub generation: u32,
}

impl TaskName {
    /// Value of `team` for a task that was created before the session; `generation` is its index among such tasks.
    const EARLIER: TeamSlot = TeamSlot::MAX;

    /// Name of a task that was created before the session.
    pub(crate) const fn earlier(index: u32) -> TaskName {
        TaskName { team: TaskName::EARLIER, thread: 0, generation: index }
    }

    /// Index of the task among those that were created before the session, if it is one of them.
    #[inline]
    pub(crate) fn index_among_earlier(self) -> Option<u32> {
        (self.team == TaskName::EARLIER).then_some(self.generation)
    }
}

/// Attributes of one event: a range of those of its batch (`batch.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListRef {
    pub first: u32,
    pub count: u32,
}

impl ListRef {
    /// Indices of the attributes in their batch.
    #[inline(always)]
    pub(crate) fn range(self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.count as usize
    }
}

/// The events that we write, named as in OTF2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Otf2Event {
    Enter(RegionId),
    Leave(RegionId),
    EnterListed(RegionId, ListId),
    EnterWith(RegionId, ListRef),
    LeaveWith(RegionId, ListRef),
    ParameterString(ParameterId, StringId),
    ParameterUnsigned(ParameterId, u64),
    ThreadFork {
        requested: u32,
    },
    ThreadJoin,
    ThreadTeamBegin {
        team: TeamSlot,
        os_thread: u32,
    },
    ThreadTeamEnd {
        team: TeamSlot,
    },
    /// The begin and end of the primary thread in its team, written if it never began: the recording stops there, or
    /// that was lost. Readers search for the team among its threads' forks.
    MissingPrimary {
        team: TeamSlot,
        os_thread: u32,
    },
    ThreadTaskCreate(TaskName),
    /// ThreadTaskCreate of a task at its first occurrence in the session, written if its creation was not recorded: see
    /// [`TaskName::earlier`].
    UnknownTaskCreate(u32),
    /// ThreadTaskComplete of a task that was created before the session, if there was one, and did not run in it.
    EarlierTaskComplete(u32),
    ThreadTaskSwitch(TaskName),
    ThreadTaskComplete(TaskName),
    ThreadAcquireLock {
        lock: u32,
        order: u32,
    },
    ThreadReleaseLock {
        lock: u32,
        order: u32,
    },
    /// Enter, ThreadReleaseLock and Leave: the function that gives back a lock.
    Unlock {
        region: RegionId,
        lock: u32,
        order: u32,
    },
    /// A sample, and its calling context.
    CallingContextSample {
        context: u32,
    },
    Metric {
        value: i64,
    },
    MeasurementOnOff(bool),
    BufferFlush {
        until: u64,
    },
    /// The begin of the initial task of a root; that of the first root is the program's begin.
    ProgramBegin {
        os_thread: u32,
    },
    ProgramEnd,
    /// A transfer to a device; its time is its number as well: a location has one at a time.
    RmaPut {
        win: u32,
        bytes: u64,
    },
    RmaGet {
        win: u32,
        bytes: u64,
    },
    /// A transfer to the host by a stream of the device.
    StreamPut {
        win: u32,
        bytes: u64,
    },
    StreamGet {
        win: u32,
        bytes: u64,
    },
    /// A message or a collective operation of MPI: its index among those of its batch.
    Mpi(u32),
    /// The transfer that began at this time is complete.
    RmaComplete {
        win: u32,
        transfer: u64,
    },
}

/// Attributes of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attributes<'a> {
    /// A list that is a definition of the session, or none.
    Kept(Option<ListId>),
    These(&'a [Attribute]),
}

/// One annotation of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub key: AttributeId,
    pub value: Value,
}

/// Value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Unsigned(u64),
    Signed(i64),
    Text(StringId),
    /// A calling context's number.
    Context(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_small() {
        assert_eq!(size_of::<Op>(), 24);
    }
}
