//! Regions entered and left, each on the stack of the task that runs; locks; instants.

use ompttrace_model::ompt::Mutex;
use ompttrace_model::{LockRef, Mark, MpiEvent, SliceKind, ThreadRef};
use ompttrace_recording::Id;

use super::ArchiveState;
use super::track::{EndAction, EnteredRegion, NONE, Track};
use crate::batch::MpiRecord;
use crate::ids::{RegionId, StringId, TrackRef};
use crate::looks::Alike;
use crate::op::{Attributes, Otf2Event};
use crate::tables::{ITERATIONS, SCHEDULE};

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

    /// Ends the innermost slice of this kind, and the slices that are still open inside it.
    #[inline(always)]
    pub(crate) fn end(&mut self, track: TrackRef, at: u64, kind: SliceKind, mark: Mark) {
        let to = self.track(track);
        let is_plain = !to.switch_due && mark == Mark::Observed;
        // Mostly it is the innermost one, and nothing inside of which it ended waits for that.
        let frames = to.top.frames();
        if is_plain
            && let [outer @ .., frame] = &frames[..]
            && frame.kind == kind
            && frame.more == EndAction::Nothing
            && !outer.last().is_some_and(is_over)
        {
            let region = frame.region;
            frames.pop();
            return to.leave(at, region, &[]);
        }
        self.end_any(track, at, kind, mark);
    }

    /// As `end`, of any slice.
    #[inline(never)]
    fn end_any(&mut self, track: TrackRef, at: u64, kind: SliceKind, mark: Mark) {
        let frames = self.track(track).top.frames();
        match frames.last() {
            Some(frame) if frame.kind == kind && !is_hold(frame) => {}
            // The wait is over, and what was waited for is held.
            Some(frame) if is_hold(frame) && matches!(kind, SliceKind::MutexWait(_)) => return,
            _ => {
                let found = frames.iter().rposition(|f| f.kind == kind && !is_hold(f));
                let Some(found) = found else { return };
                self.close_frames(track, at, found + 1);
            }
        }
        self.leave_top(track, at, mark);
        self.leave_given_back(track, at);
    }

    /// Leaves everything above the first `keep` frames of the running task.
    #[cold]
    pub(super) fn close_frames(&mut self, track: TrackRef, at: u64, keep: usize) {
        while self.track(track).top.frames().len() > keep {
            self.leave_top(track, at, Mark::Inferred);
        }
    }

    /// Leaves the innermost region of the running task.
    pub(super) fn leave_top(&mut self, track: TrackRef, at: u64, mark: Mark) {
        let Some(frame) = self.ready(track).top.frames().pop() else { return };
        let certainty = self.certainty(mark);
        let attributes = certainty.as_slice();
        let to = &mut self.tracks[track as usize];
        match frame.more {
            EndAction::Nothing | EndAction::Phase { .. } => to.leave(at, frame.region, attributes),
            EndAction::Block(block) => {
                to.leave(at, block, attributes);
                to.leave(at, frame.region, attributes);
            }
            EndAction::Hold { lock, order, block, given_back } => {
                to.leave(at, block, attributes);
                if !given_back && self.locks.end(lock, order) {
                    to.add(at, Otf2Event::ThreadReleaseLock { lock, order });
                }
                to.leave(at, frame.region, attributes)
            }
            EndAction::Transfer { window, transfer } => {
                to.add(at, Otf2Event::RmaComplete { win: window, transfer });
                to.leave(at, frame.region, attributes);
            }
            EndAction::Call => {
                if let Some(record) = to.call_end.take() {
                    to.add_message(at, record);
                }
                to.leave(at, frame.region, attributes);
            }
            EndAction::Program => {
                to.leave(at, frame.region, attributes);
                to.add(at, Otf2Event::ProgramEnd);
            }
            EndAction::Tool(since) => {
                to.enter(since, frame.region, NONE);
                to.add(since, Otf2Event::BufferFlush { until: at.max(to.last) });
                to.leave(at, frame.region, attributes);
            }
            EndAction::Fork { slot, os_thread } => {
                if self.teams.lacks(slot, track) {
                    to.add(at, Otf2Event::MissingPrimary { team: slot, os_thread });
                }
                to.add(at, Otf2Event::ThreadJoin);
                self.teams.join(slot, track);
                self.forks.retain(|_, other| *other != slot);
            }
        }
    }

    /// Leaves the regions of mutexes that were released, and of phases that ended, while something inside them was open, as soon as
    /// they are innermost.
    #[inline]
    pub(super) fn leave_given_back(&mut self, track: TrackRef, at: u64) {
        while self.track(track).top.frames().last().is_some_and(is_over) {
            self.leave_top(track, at, Mark::Inferred);
        }
    }

    /// A thread has a lock, in the function `region`. The wait for it goes on until its end is reported.
    #[inline(always)]
    pub(crate) fn lock_set(
        &mut self,
        track: TrackRef,
        at: u64,
        (thread, lock): (ThreadRef, LockRef),
        region: RegionId,
    ) {
        let order = self.locks.acquire(lock, thread, Some(track));
        let what = Otf2Event::ThreadAcquireLock { lock, order };
        let to = self.ready(track);
        let waits = |frame: &EnteredRegion| {
            matches!(frame.kind, SliceKind::MutexWait(_)) && frame.more == EndAction::Nothing
        };
        if !to.top.frames().last().is_some_and(waits) {
            to.enter(at, region, NONE);
            to.add(at, what);
            return to.leave(at, region, &[]);
        }
        to.add(at, what);
    }

    /// A thread has the mutex of a construct: of the construct itself and of the block inside it the regions. The wait in the
    /// construct is over.
    pub(crate) fn construct_entered(
        &mut self,
        track: TrackRef,
        at: u64,
        ((thread, lock), kind): ((ThreadRef, LockRef), Mutex),
        (region, block): (RegionId, RegionId),
    ) {
        let order = self.locks.acquire(lock, thread, None);
        let more = EndAction::Hold { lock, order, block, given_back: false };
        let to = self.ready(track);
        match to.top.frames().last_mut() {
            Some(EnteredRegion { kind: SliceKind::MutexWait(_), more: waits, .. })
                if let EndAction::Block(wait) = *waits =>
            {
                *waits = more;
                to.leave(at, wait, &[]);
            }
            _ => {
                let kind = SliceKind::MutexWait(kind);
                to.top.frames().push(EnteredRegion { kind, region, more });
                to.enter(at, region, NONE);
            }
        }
        to.add(at, Otf2Event::ThreadAcquireLock { lock, order });
        to.enter(at, block, NONE);
    }

    /// A thread gives back the mutex of a construct.
    pub(crate) fn block_ends(
        &mut self,
        track: TrackRef,
        at: u64,
        thread: ThreadRef,
        lock: LockRef,
    ) {
        let frames = self.track(track).top.frames();
        let count = frames.len();
        let held = |frame: &EnteredRegion| matches!(frame.more, EndAction::Hold { lock: own, given_back: false, .. } if own == lock);
        match frames.iter().rposition(held) {
            Some(found) if found + 1 == count => {
                self.leave_top(track, at, Mark::Observed);
                self.leave_given_back(track, at);
            }
            Some(found) => {
                let Some(EnteredRegion { more: EndAction::Hold { order, given_back, .. }, .. }) =
                    frames.get_mut(found)
                else {
                    return;
                };
                *given_back = true;
                let order = *order;
                if self.locks.end(lock, order) {
                    self.ready(track).add(at, Otf2Event::ThreadReleaseLock { lock, order });
                }
            }
            None => {
                if let Some(order) = self.locks.release(lock, thread) {
                    self.ready(track).add(at, Otf2Event::ThreadReleaseLock { lock, order });
                }
            }
        }
    }

    /// A thread gives back a lock, in the function `region`.
    #[inline(always)]
    pub(crate) fn unlocked(
        &mut self,
        track: TrackRef,
        at: u64,
        (thread, lock): (ThreadRef, LockRef),
        region: RegionId,
    ) {
        let order = self.locks.release(lock, thread);
        let to = self.ready(track);
        match order {
            Some(order) => to.add(at, Otf2Event::Unlock { region, lock, order }),
            None => {
                to.enter(at, region, NONE);
                to.leave(at, region, &[]);
            }
        }
    }

    /// Writes an event without duration: its region is entered and left at the same time.
    pub(crate) fn instant(
        &mut self,
        track: TrackRef,
        at: u64,
        region: RegionId,
        attributes: Attributes<'_>,
    ) {
        let to = self.ready(track);
        to.enter(at, region, attributes);
        to.leave(at, region, &[]);
    }

    /// A message of MPI, a collective operation or an access, in the call that is innermost.
    pub(crate) fn message(&mut self, track: TrackRef, at: u64, event: MpiEvent) {
        let to = self.ready(track);
        to.add_message(at, MpiRecord::Event(event));
        let end = match event {
            MpiEvent::Collective(collective) => MpiRecord::CollectiveEnd(collective),
            MpiEvent::ObjectCall(call) => MpiRecord::ObjectCallEnd(call),
            _ => return,
        };
        let call = to.top.frames().last_mut();
        if let Some(call) = call.filter(|frame| matches!(frame.kind, SliceKind::Mpi(_))) {
            call.more = EndAction::Call;
            to.call_end = Some(end);
        }
    }

    /// True while the events are from before the session.
    pub(crate) fn is_before(&self) -> bool {
        self.is_before
    }

    /// The recording stops or continues.
    pub(crate) fn measurement(&mut self, track: TrackRef, at: u64, on: bool) {
        self.ready(track).add(at, Otf2Event::MeasurementOnOff(on));
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

/// True if the region is over, but for what is open inside it.
fn is_over(frame: &EnteredRegion) -> bool {
    matches!(
        frame.more,
        EndAction::Hold { given_back: true, .. } | EndAction::Phase { over: true, .. }
    )
}

fn is_hold(frame: &EnteredRegion) -> bool {
    matches!(frame.more, EndAction::Hold { .. })
}
