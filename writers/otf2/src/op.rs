//! One event of a location on its way to libotf2: what the thread that interprets hands to the one
//! that encodes. Small and flat, as there are as many as events in the archive.

use crate::ids::{AttributeId, ParameterId, RegionId, StringId, TeamId};

/// An event and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    /// CLOCK_MONOTONIC nanoseconds.
    pub at: u64,
    pub what: What,
}

/// An explicit task to OTF2: the team and thread that made it, and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskName {
    pub team: TeamId,
    /// Its rank in the team; where that is not known yet, the number of its location.
    pub thread: u32,
    /// 0 is the implicit task of that thread.
    pub generation: u32,
}

/// Attributes of one event: a piece of its batch's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListRef {
    pub first: u32,
    pub count: u32,
}

/// The events that we write, named as in OTF2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Enter(RegionId),
    Leave(RegionId),
    EnterWith(RegionId, ListRef),
    LeaveWith(RegionId, ListRef),
    ParameterString(ParameterId, StringId),
    ParameterUnsigned(ParameterId, u64),
    ThreadFork {
        requested: u32,
    },
    ThreadJoin,
    ThreadTeamBegin {
        team: TeamId,
        os_thread: u32,
    },
    ThreadTeamEnd {
        team: TeamId,
    },
    ThreadTaskCreate(TaskName),
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
    /// A sample, and the number of its calling context's definition.
    CallingContextSample {
        context: u32,
    },
    Metric {
        metric: u32,
        value: i64,
    },
    MeasurementOnOff(bool),
    BufferFlush {
        until: u64,
    },
    ProgramBegin {
        os_thread: u32,
    },
    ProgramEnd,
    RmaWinCreate {
        win: u32,
    },
    RmaWinDestroy {
        win: u32,
    },
    RmaPut {
        win: u32,
        transfer: u32,
        bytes: u64,
    },
    RmaGet {
        win: u32,
        transfer: u32,
        bytes: u64,
    },
    RmaComplete {
        win: u32,
        transfer: u32,
    },
}

/// One annotation of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub key: AttributeId,
    pub value: Value,
}

/// Its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Unsigned(u64),
    Signed(i64),
    Text(StringId),
    /// A calling context's number.
    Context(u32),
}

/// Consecutive events of one location.
#[derive(Debug)]
pub(crate) struct Batch {
    pub location: u64,
    pub ops: Vec<Op>,
    pub attributes: Vec<Attribute>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_small() {
        assert!(size_of::<Op>() <= 32, "{}", size_of::<Op>());
    }
}
