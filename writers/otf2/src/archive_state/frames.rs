//! Regions left, each on the stack of the task that runs; instants.

use ompttrace_model::{Mark, MpiEvent, SliceKind};

use super::ArchiveState;
use super::track::{EndAction, EnteredRegion, NONE};
use crate::batch::MpiRecord;
use crate::ids::{RegionId, TrackRef};
use crate::op::{Attributes, Otf2Event};

impl ArchiveState {
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
