//! Mutexes that a thread gets and gives back: acquisitions of locks, and the regions of constructs that hold one.

use ompttrace_model::ompt::Mutex;
use ompttrace_model::{LockRef, Mark, SliceKind, ThreadRef};

use super::ArchiveState;
use super::track::{EndAction, EnteredRegion, NONE};
use crate::ids::{RegionId, TrackRef};
use crate::op::Otf2Event;

impl ArchiveState {
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
}
