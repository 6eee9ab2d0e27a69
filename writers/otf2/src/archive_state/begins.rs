//! Slices that begin: their regions are entered, each on the stack of the task that runs.

use ompttrace_model::SliceKind;
use ompttrace_recording::Id;

use super::ArchiveState;
use super::track::{EndAction, EnteredRegion, NONE, Track};
use crate::ids::{ListId, RegionId, StringId, TrackRef};
use crate::op::{Attributes, Otf2Event};
use crate::tables::{ITERATIONS, SCHEDULE};

/// Region, attributes and action of slices or instants that look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alike {
    pub region: RegionId,
    /// The attributes, if they have some.
    pub list: Option<ListId>,
    /// Of instants nothing.
    pub more: BeginAction,
}

/// A slice as it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin<'a> {
    pub kind: SliceKind,
    pub region: RegionId,
    pub attributes: Attributes<'a>,
    pub resumed: bool,
    pub more: BeginAction,
}

/// Action at the begin of a slice, besides entering its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BeginAction {
    Nothing,
    /// Enters an inner region: of a `single`, for the thread that executes it, or the wait in a construct.
    Block(RegionId),
    /// Is a fork of this parallel region, and enters none.
    Fork {
        region: Id,
        requested: u32,
        os_thread: u32,
    },
    /// Writes the parameters of a loop.
    Loop {
        schedule: Option<StringId>,
        iterations: Option<u64>,
    },
    /// Begins a transfer to a device, or from it.
    Transfer {
        window: u32,
        bytes: u64,
        put: bool,
        /// True if a stream of the device copies.
        of_stream: bool,
    },
    /// Is a wait of the tool, which is written when it is over.
    Tool,
    /// May be the begin of the program.
    Program {
        os_thread: u32,
    },
}

impl ArchiveState {
    /// A slice begins, as others did before.
    #[inline(always)]
    pub(crate) fn begin(
        &mut self,
        track: TrackRef,
        at: u64,
        kind: SliceKind,
        resumed: bool,
        &Alike { region, list, more }: &Alike,
    ) {
        let attributes = Attributes::Kept(list);
        let to = self.track(track);
        let is_due = to.switch_due;
        let frames = to.top.frames();
        if frames.len() < frames.capacity() && !is_due && !resumed {
            match more {
                BeginAction::Nothing => {
                    frames.push(EnteredRegion { kind, region, more: EndAction::Nothing });
                    return to.enter(at, region, attributes);
                }
                BeginAction::Loop { schedule: Some(schedule), iterations: Some(iterations) } => {
                    frames.push(EnteredRegion { kind, region, more: EndAction::Nothing });
                    to.enter(at, region, attributes);
                    to.add(at, Otf2Event::ParameterString(SCHEDULE, schedule));
                    return to.add(at, Otf2Event::ParameterUnsigned(ITERATIONS, iterations));
                }
                _ => {}
            }
        }
        self.begin_any(track, at, &Begin { kind, region, attributes, resumed, more });
    }

    /// A slice begins.
    #[inline(never)]
    pub(crate) fn begin_any(&mut self, track: TrackRef, at: u64, begin: &Begin<'_>) {
        if begin.resumed && self.goes_on(track, begin) {
            return;
        }
        let more = match begin.more {
            BeginAction::Tool => EndAction::Tool(at),
            BeginAction::Fork { region, requested, os_thread } => {
                self.fork(track, at, (region, requested), os_thread)
            }
            BeginAction::Program { os_thread } => self.enter_program(track, at, begin, os_thread),
            _ => enter(self.ready(track), at, begin),
        };
        let frame = EnteredRegion { kind: begin.kind, region: begin.region, more };
        self.track(track).top.frames().push(frame);
    }

    /// True if the running task, which was resumed, still has this region entered.
    #[inline(never)]
    fn goes_on(&mut self, track: TrackRef, begin: &Begin<'_>) -> bool {
        let is_fork = matches!(begin.kind, SliceKind::Region { .. });
        let frames = self.track(track).top.frames();
        frames
            .iter()
            .any(|frame| frame.kind == begin.kind && (is_fork || frame.region == begin.region))
    }

    /// Enters an initial task, which is the program if it is the first root's.
    #[cold]
    fn enter_program(
        &mut self,
        track: TrackRef,
        at: u64,
        begin: &Begin<'_>,
        os_thread: u32,
    ) -> EndAction {
        let is_root = self.is_root(track);
        let is_program = is_root && !self.is_before && !std::mem::replace(&mut self.has_root, true);
        let to = self.ready(track);
        if is_program {
            to.add(at, Otf2Event::ProgramBegin { os_thread });
        }
        to.enter(at, begin.region, begin.attributes);
        if is_root { EndAction::Program } else { EndAction::Nothing }
    }

    /// True if the initial task on this track is that of a root; that of the first root is the program.
    fn is_root(&mut self, track: TrackRef) -> bool {
        self.track(track).top.slot.is_none() && self.track(track).below.len() == 1
    }

    #[inline(never)]
    fn fork(
        &mut self,
        track: TrackRef,
        at: u64,
        (region, requested): (Id, u32),
        os_thread: u32,
    ) -> EndAction {
        let parent = self.team(track);
        let slot = self.teams.fork(region, parent, self.is_before);
        if !region.is_none() {
            self.forks.insert(region, slot);
        }
        self.ready(track).add(at, Otf2Event::ThreadFork { requested });
        EndAction::Fork { slot, os_thread }
    }
}

/// Enters the region of a slice, and writes what else its begin needs.
#[inline]
fn enter(to: &mut Track, at: u64, begin: &Begin<'_>) -> EndAction {
    to.enter(at, begin.region, begin.attributes);
    match begin.more {
        BeginAction::Block(block) => {
            to.enter(at, block, NONE);
            EndAction::Block(block)
        }
        BeginAction::Transfer { window: win, bytes, put, of_stream } => {
            let what = match (put, of_stream) {
                (true, false) => Otf2Event::RmaPut { win, bytes },
                (false, false) => Otf2Event::RmaGet { win, bytes },
                (true, true) => Otf2Event::StreamPut { win, bytes },
                (false, true) => Otf2Event::StreamGet { win, bytes },
            };
            to.add(at, what);
            EndAction::Transfer { window: win, transfer: to.last }
        }
        BeginAction::Loop { schedule, iterations } => {
            if let Some(schedule) = schedule {
                to.add(at, Otf2Event::ParameterString(SCHEDULE, schedule));
            }
            if let Some(iterations) = iterations {
                to.add(at, Otf2Event::ParameterUnsigned(ITERATIONS, iterations));
            }
            EndAction::Nothing
        }
        BeginAction::Nothing
        | BeginAction::Tool
        | BeginAction::Fork { .. }
        | BeginAction::Program { .. } => EndAction::Nothing,
    }
}
