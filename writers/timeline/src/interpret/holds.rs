//! Holds of mutexes on their own tracks, and the flow from each to the one it let through.
//!
//! A release is stamped after the mutex is free: the next thread's stamp may be earlier. Then the
//! ownership ends where the next one begins, and the late record is absorbed.

use super::{Interpreter, Outcome, Reason};
use crate::code::Code;
use crate::hash::lock_flow;
use crate::out::address;
use crate::state::locks::Mutex;
use ompttrace_model::{ArgKey, Event, LockEvent, Mark, Slice, SliceKind, ompt};
use ompttrace_recording::events::{MutexAcquired, MutexReleased};
use ompttrace_recording::words::KIND_MASK;

impl Interpreter<'_> {
    /// A thread has the mutex, for which it asked at `asked`.
    #[inline(always)]
    pub(super) fn hold_begins(
        &mut self,
        t: u32,
        at: u64,
        (kind, mutex): (ompt::Mutex, Option<usize>),
        event: &MutexAcquired,
        asked: Option<u64>,
    ) {
        let code = Code::new(event.code, event.kind);
        let source = self.names.source_location(&mut self.out.to.definitions, code);
        let Some(mutex) = mutex.and_then(|position| self.locks.at(position)) else {
            self.out.summary.untracked_holds += 1;
            return;
        };
        let out = &mut self.out;
        let thread = &mut self.threads[t as usize];
        out.show_hidden(thread);
        // First: whoever asks what let this thread go on finds the holder before it.
        if let Some((holder, _)) = mutex.holder {
            out.note(Mark::Inferred);
            out.hold(at, &Event::HoldEnd(mutex.lock, Mark::Inferred));
            mutex.released = at;
            mutex.clipped += u64::from(holder != t);
        }
        if out.takes.lock_owners {
            let acquired = LockEvent { lock: mutex.lock, kind, source };
            out.to.emit(at.max(thread.last), &Event::LockAcquired(thread.here, acquired));
        }
        let (from, to) = pass_on(mutex, asked, (at, t));
        mutex.holder = Some((t, thread.current));
        out.summary.hold_slices += 1;
        let slice = Slice {
            kind: SliceKind::MutexHold(kind),
            name: mutex.name,
            source,
            task: thread.current,
            args: &[address(ArgKey::WaitId, event.wait_id)],
            flows: to.as_slice(),
            flow_ends: from.as_slice(),
            mark: Mark::Observed,
            resumed: false,
            context: 0,
        };
        out.hold(at, &Event::HoldBegin(mutex.lock, thread.here, slice));
    }

    /// Returns true if the task that runs on a thread holds the mutex already.
    pub(super) fn holds(&mut self, t: u32, mutex: Option<usize>) -> bool {
        let current = (t, self.thread(t).current);
        let mutex = mutex.and_then(|position| self.locks.at(position));
        mutex.is_some_and(|mutex| mutex.holder == Some(current))
    }

    #[inline(always)]
    pub(super) fn mutex_released(&mut self, t: u32, at: u64, event: &MutexReleased) -> Outcome {
        let kind = ompt::Mutex::from(event.kind & KIND_MASK);
        let Some(position) = self.locks.find(event.wait_id, kind) else {
            // Its ownership has no track, if there was any.
            let full = self.locks.is_full();
            return if full {
                Outcome::Interpreted
            } else {
                Outcome::Dropped(Reason::EndWithoutBegin)
            };
        };
        let source = self
            .names
            .source_location(&mut self.out.to.definitions, Code::new(event.code, event.kind));
        let Some(mutex) = self.locks.at(position) else { return Outcome::Interpreted };
        let thread = &mut self.threads[t as usize];
        self.out.show_hidden(thread);
        if self.out.takes.lock_owners {
            let released = LockEvent { lock: mutex.lock, kind, source };
            self.out.to.emit(at.max(thread.last), &Event::LockReleased(thread.here, released));
        }
        match mutex.holder {
            Some((holder, _)) if holder == t || mutex.clipped == 0 => {
                (mutex.holder, mutex.released) = (None, at);
                self.out.hold(at, &Event::HoldEnd(mutex.lock, Mark::Observed));
                Outcome::Interpreted
            }
            _ if mutex.clipped > 0 => {
                mutex.clipped -= 1;
                Outcome::Absorbed
            }
            _ => Outcome::Dropped(Reason::EndWithoutBegin),
        }
    }

    /// The mutex is destroyed: the next use of its address begins anew.
    pub(super) fn forget_holds(&mut self, at: u64, position: usize) {
        let Some(mutex) = self.locks.at(position) else { return };
        if mutex.holder.take().is_some() {
            self.out.note(Mark::Inferred);
            self.out.hold(at, &Event::HoldEnd(mutex.lock, Mark::Inferred));
        }
        (mutex.clipped, mutex.released) = (0, 0);
        (mutex.contended, mutex.flow) = (false, None);
    }

    /// Ownership that the end of the recording cuts.
    pub(super) fn cut_holds(&mut self, at: u64) {
        let out = &mut self.out;
        for mutex in self.locks.held() {
            mutex.holder = None;
            out.note(Mark::Cut);
            out.hold(at, &Event::HoldEnd(mutex.lock, Mark::Cut));
        }
    }
}

/// The flow that ends at the next acquisition, and the one that begins there.
///
/// A slice must carry its flow from its begin on, when it is not yet known that its end will let another thread
/// through. So flows begin with the second contended hold of a mutex, and those that nobody waited
/// for ever carry none.
#[inline(always)]
fn pass_on(
    mutex: &mut Mutex,
    asked: Option<u64>,
    acquired: (u64, u32),
) -> (Option<u64>, Option<u64>) {
    let contended = mutex.holds > 0 && asked.is_some_and(|asked| asked < mutex.released);
    mutex.contended |= contended;
    mutex.holds += 1;
    let from = mutex.flow.take().filter(|_| contended);
    mutex.flow = mutex.contended.then(|| lock_flow(mutex.lock, acquired));
    (from, mutex.flow)
}
