//! One location of a session: its events that are not handed over yet, and what is open on it.
//!
//! A location has one frame per implicit task that its thread has taken up; in each the implicit
//! task or an explicit one runs, and each task has its own stack of entered regions.

use ompttrace_model::{LockRef, SliceKind};
use ompttrace_recording::Id;

use crate::batch::{BatchPool, Batches, MpiRecord};
use crate::ids::{RegionId, TeamSlot};
use crate::op::{Attribute, Attributes, Op, Otf2Event, TaskName};

/// No attributes.
pub(crate) const NONE: Attributes<'static> = Attributes::Kept(None);

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
    /// The explicit task that runs; its id is none and its stack empty if none does.
    pub running: StartedTask,
    /// Tasks that ran last here, are suspended and have entered something.
    pub suspended: Vec<StartedTask>,
}

/// An explicit task that runs or is suspended.
#[derive(Debug, Default)]
pub(crate) struct StartedTask {
    pub id: Id,
    pub name: TaskName,
    /// Regions that it has entered.
    pub stack: Vec<EnteredRegion>,
}

impl TaskFrame {
    /// Regions that the running task has entered.
    #[inline]
    pub(crate) fn frames(&mut self) -> &mut Vec<EnteredRegion> {
        if self.running.id.is_none() { &mut self.own } else { &mut self.running.stack }
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
    /// Suspended tasks of teams that the thread has left.
    pub left_tasks: Vec<StartedTask>,
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
            left_tasks: Vec::new(),
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

    /// Adds the switch to the explicit task that runs from now on.
    #[inline]
    pub(crate) fn add_switch(&mut self, at: u64) {
        self.switch_due = false;
        self.add(at, Otf2Event::ThreadTaskSwitch(self.top.running.name));
    }

    #[inline(always)]
    pub(crate) fn enter(&mut self, at: u64, region: RegionId, attributes: Attributes<'_>) {
        let what = match attributes {
            Attributes::Kept(None) | Attributes::These([]) => Otf2Event::Enter(region),
            Attributes::Kept(Some(list)) => Otf2Event::EnterListed(region, list),
            Attributes::These(some) => Otf2Event::EnterWith(region, self.batches.list(some)),
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

    /// Removes a task that was suspended here.
    pub(crate) fn take_suspended(&mut self, task: Id) -> Option<StartedTask> {
        let below = self.below.iter_mut().rev();
        let frames = std::iter::once(&mut self.top).chain(below);
        let lists = frames.map(|frame| &mut frame.suspended);
        lists.chain([&mut self.left_tasks]).find_map(|list| {
            let found = list.iter().rposition(|suspended| suspended.id == task)?;
            Some(list.remove(found))
        })
    }

    /// Ids of the tasks that were suspended here.
    pub(crate) fn suspended(&self) -> impl Iterator<Item = Id> {
        let frames = std::iter::once(&self.top).chain(&self.below);
        let in_frames = frames.flat_map(|frame| &frame.suspended);
        in_frames.chain(&self.left_tasks).map(|task| task.id)
    }

    /// True if the task was suspended here.
    pub(crate) fn has_suspended(&self, task: Id) -> bool {
        self.suspended().any(|id| id == task)
    }

    /// True if at most one implicit task is below the innermost one, and has entered nothing and runs no explicit task.
    pub(crate) fn is_fresh(&self) -> bool {
        self.below
            .iter()
            .all(|task_frame| task_frame.own.is_empty() && task_frame.running.id.is_none())
            && self.below.len() < 2
    }

    /// True if no region is entered and no task runs or is suspended here.
    pub(crate) fn is_vacant(&self) -> bool {
        let TaskFrame { own, running, suspended, .. } = &self.top;
        let is_idle = own.is_empty() && running.id.is_none() && suspended.is_empty();
        is_idle && self.below.is_empty() && !self.switch_due
    }
}
