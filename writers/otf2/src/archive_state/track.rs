//! One location of a session: its events that are not handed over yet, and what is open on it.
//!
//! A location has one frame per implicit task that its thread has taken up; in each the implicit
//! task or an explicit one runs, and each task has its own stack of entered regions.

use ompttrace_model::{LockRef, SliceKind};
use ompttrace_recording::Id;

use crate::batch::{BatchPool, Batches, MpiRecord};
use crate::ids::{RegionId, TeamSlot};
use crate::op::{Attribute, Op, Otf2Event};

/// A region that was entered and not left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnteredRegion {
    pub kind: SliceKind,
    pub region: RegionId,
    pub more: EndAction,
}

/// Action at the end of an entered region, besides leaving it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndAction {
    Nothing,
    /// Leaves an inner region first.
    Block(RegionId),
    /// Is a join, and leaves no region.
    Fork {
        slot: TeamSlot,
        os_thread: u32,
    },
    /// Leaves an inner region and gives a lock back, unless that has happened.
    Hold {
        lock: LockRef,
        order: u32,
        block: RegionId,
        given_back: bool,
    },
    /// Completes a transfer, which is known by its begin.
    Transfer {
        window: u32,
        transfer: u64,
    },
    /// Writes the whole wait of the tool, whose begin was not written yet; the number is its time, in nanoseconds.
    Tool(u64),
    /// Nothing more, for a phase of the thread with this number of phases up to it. Where it is over, something inside is not.
    Phase {
        depth: u32,
        over: bool,
    },
    /// Is the end of the program.
    Program,
    /// Writes the record of the end of the track's call of MPI.
    Call,
}

/// An implicit task on a location.
#[derive(Debug, Default)]
pub(crate) struct TaskFrame {
    /// Slot of the team, if its region is known.
    pub slot: Option<TeamSlot>,
    /// The location as a team, where there is no region.
    pub alone: Option<TeamSlot>,
    /// True if the begin of the team was written on this location.
    pub begun: bool,
    /// Regions entered by the implicit task.
    pub own: Vec<EnteredRegion>,
    /// The explicit task that runs, if one does.
    pub running: Id,
    /// Regions entered by that explicit task.
    pub stack: Vec<EnteredRegion>,
    /// Tasks that ran last here, are suspended and have entered something.
    pub left_tasks: Vec<Id>,
}

impl TaskFrame {
    /// Regions that the running task has entered.
    #[inline]
    pub(crate) fn frames(&mut self) -> &mut Vec<EnteredRegion> {
        if self.running.is_none() { &mut self.own } else { &mut self.stack }
    }
}

/// State of a location in a session.
#[derive(Debug)]
pub(crate) struct Track {
    /// Time of the last event, in nanoseconds.
    pub last: u64,
    pub batches: Batches,
    pub top: TaskFrame,
    pub below: Vec<TaskFrame>,
    /// Number of explicit tasks that were created here.
    pub made: u32,
    /// A task completed, and what runs next was not reported yet.
    pub switch_due: bool,
    /// The location as a team, once it was one.
    pub alone: Option<TeamSlot>,
    /// The record for the end of the call of MPI that it is in: there is one at most, as calls do not nest.
    pub call_end: Option<MpiRecord>,
}

impl Track {
    /// A location without events, which takes memory for them from `pool`.
    pub(crate) fn new(pool: &BatchPool) -> Track {
        Track {
            last: 0,
            batches: Batches::new(pool),
            top: TaskFrame::default(),
            below: Vec::new(),
            made: 0,
            switch_due: false,
            alone: None,
            call_end: None,
        }
    }

    /// Adds a record of MPI.
    pub(crate) fn add_message(&mut self, at: u64, record: MpiRecord) {
        let at = at.max(self.last);
        self.last = at;
        self.batches.add_message(at, record);
    }

    /// Adds an event; its time is never before the last one.
    #[inline]
    pub(crate) fn add(&mut self, at: u64, what: Otf2Event) {
        let at = at.max(self.last);
        self.last = at;
        self.batches.add(Op { at, what });
    }

    #[inline]
    pub(crate) fn enter(&mut self, at: u64, region: RegionId, attributes: &[Attribute]) {
        let what = match attributes {
            [] => Otf2Event::Enter(region),
            _ => Otf2Event::EnterWith(region, self.batches.list(attributes)),
        };
        self.add(at, what);
    }

    #[inline]
    pub(crate) fn leave(&mut self, at: u64, region: RegionId, attributes: &[Attribute]) {
        let what = match attributes {
            [] => Otf2Event::Leave(region),
            _ => Otf2Event::LeaveWith(region, self.batches.list(attributes)),
        };
        self.add(at, what);
    }

    /// True if at most one implicit task is below the innermost one, and has entered nothing and runs no explicit task.
    pub(crate) fn is_fresh(&self) -> bool {
        self.below
            .iter()
            .all(|task_frame| task_frame.own.is_empty() && task_frame.running.is_none())
            && self.below.len() < 2
    }

    /// True if no region is entered and no task runs or is suspended here.
    pub(crate) fn is_vacant(&self) -> bool {
        let TaskFrame { own, running, stack, left_tasks, .. } = &self.top;
        let is_idle =
            own.is_empty() && running.is_none() && stack.is_empty() && left_tasks.is_empty();
        is_idle && self.below.is_empty() && !self.switch_due
    }
}
