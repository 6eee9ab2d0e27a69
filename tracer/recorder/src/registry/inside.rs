//! The tool's work that the calling thread is in, for events of a signal handler that interrupts it.
//!
//! The slow path reads a block's cursor and stores a record there later, creates a thread's block, begins slots:
//! another event of the same thread in between would be overwritten, or move the cursor. So the thread that begins
//! such work sets a flag, and disables the fast path. An event of a handler is then treated like this:
//!
//! | the thread's work | an event of a handler |
//! |---|---|
//! | none: its own code, the runtime's, the fast path | is an event like any other |
//! | an event's: from the clock to the commit, a first block, a change of slots | is counted as lost |
//! | writing its slots, or waiting to: most of the time | is stored in the full slot's reserve, or counted as lost |
//!
//! The fast path sets no flag, which would cost every event. What a handler records between the fast path's load of
//! the cursor and its store, some twenty instructions, is overwritten without notice; if the handler's records filled
//! the slot meanwhile, the thread continues in a slot that it had left, and that slot's new records are garbage. So
//! once a handler's event is seen to interrupt flagged work of a thread, the fast path of that thread stays disabled,
//! and every later handler is seen.

use crate::blocks::block::IN_USE;
use crate::blocks::state::{State, state};
use crate::blocks::tls;
use crate::host::primitives;
use crate::host::sync::Ordering;
use crate::registry::{limits, losses, recorder};
use ompttrace_recording::EventCode;

/// The work that a thread flags, in the lowest bits of its word; the upper bits are its stack position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Work {
    None = 0,
    /// The work of an event, or other work that puts records into the thread's block.
    Event = 1,
    /// The part of such work that writes slots: the cursor is free to move within its slot.
    Writing = 2,
    /// The work of an event of a handler that interrupted [`Work::Writing`].
    Handler = 3,
    /// The work of an event of a handler that interrupted other work: no record can be made.
    Barred = 4,
}

const WORK: u64 = 7;

impl Work {
    fn of(word: u64) -> Work {
        match word & WORK {
            0 => Work::None,
            1 => Work::Event,
            2 => Work::Writing,
            3 => Work::Handler,
            _ => Work::Barred,
        }
    }

    /// The work of an event that interrupts this work.
    fn interrupted(self) -> Work {
        match self {
            Work::None => Work::Event,
            Work::Writing => Work::Handler,
            Work::Event | Work::Handler | Work::Barred => Work::Barred,
        }
    }
}

/// The calling thread's work according to its flag.
pub(crate) fn work() -> Work {
    Work::of(tls::inside())
}

/// An event's work, flagged while this lives; then the fast path is enabled again.
#[must_use]
pub(crate) struct Inside {
    before: u64,
}

impl Inside {
    pub(crate) fn enter() -> Inside {
        let stack = primitives::stack() & !WORK;
        let mut before = tls::inside();
        let is_during_work = before != 0;
        if is_during_work && primitives::is_left(before & !WORK, stack) {
            leave_behind();
            before = 0;
        }
        let work = Work::of(before).interrupted();
        tls::set_inside(stack | work as u64);
        let private = &tls::block().private;
        if is_during_work && private.magic.load(Ordering::Relaxed) == IN_USE {
            private.handled.store(1, Ordering::Relaxed);
        }
        if work == Work::Event {
            private.end.store(0, Ordering::Relaxed);
        }
        Inside { before }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        // First, and in one with the cursor: nobody changes slots until it is noted that this is over.
        if work() == Work::Event {
            limits::open();
        }
        tls::set_inside(self.before);
    }
}

/// Does a part of an event's work during which the thread's cursor may move within its slot.
pub(crate) fn writing<R>(work: impl FnOnce() -> R) -> R {
    let own = tls::inside();
    tls::set_inside(own & !WORK | Work::Writing as u64);
    let result = work();
    tls::set_inside(own);
    result
}

/// A handler jumped out of the flagged work, which will never continue: it can be begun again
/// at any step, as after a kill, except for the lock.
#[cold]
fn leave_behind() {
    let block = tls::block();
    if block.private.makes_space.load(Ordering::Relaxed) != 0 {
        block.private.makes_space.store(0, Ordering::Relaxed);
        block.control.lock.abandon();
        // The number of a chunk that was about to begin is left out: readers must not take that for a loss.
        losses::expect();
    }
}

/// Counts an event that cannot be recorded because of the work that it interrupts.
#[cold]
pub(crate) fn bar(code: EventCode) {
    if state() == State::Recording
        && let Some(recorder) = recorder::own()
    {
        losses::expect();
        recorder.lose_one(code);
    }
}
