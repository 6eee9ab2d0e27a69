//! What each thread is in when recording continues after a pause, or begins with a start command: its source is
//! asked before the thread's next event, and the answer is recorded with the time of the command.
//!
//! The thread had no event in between, so what is true at its next event was true at the command. The
//! thread that gives the command answers at once.

use crate::blocks::block::Block;
use crate::blocks::state::{State, state};
use crate::blocks::tls;
use crate::events::slow::make_earlier_room;
use crate::host::sync::{AtomicPtr, AtomicU64, Ordering};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{OngoingTask, Scope};

/// Maximum number of tasks that one thread reports.
pub const MOST_ONGOING: usize = 32;

/// Looks whether the calling thread is one of the source's; if so it calls [`put_ongoing`].
type Source = fn() -> bool;
static SOURCES: [AtomicPtr<()>; 4] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 4];

/// When recording last went on; 0: it has not been paused.
static RESUMED_AT: AtomicU64 = AtomicU64::new(0);
/// Of a thread that has not been asked since any pause.
const NEVER: u64 = u64::MAX;

/// Adds a source that can be asked, once.
pub fn add_source(source: Source) {
    let source = source as *mut ();
    for slot in &SOURCES {
        let known = slot.load(Ordering::Acquire);
        let free = known.is_null()
            && slot.compare_exchange(known, source, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if free || known == source {
            return;
        }
    }
}

/// Recording continues at `ticks`.
pub(crate) fn set_time(ticks: u64) {
    RESUMED_AT.store(ticks, Ordering::SeqCst);
}

/// [`crate::block::Private::asked_at`] of a thread that has its first event now.
pub(crate) fn at_claim() -> u64 {
    match state() {
        State::Recording => RESUMED_AT.load(Ordering::SeqCst),
        _ => NEVER,
    }
}

/// Has the tasks of the calling thread, whose block this is, recorded unless that was done since the last resume.
/// `ticks`: the time of the event in progress, which they must precede.
#[inline]
pub(crate) fn ask_once(block: &Block, ticks: u64) {
    let resumed_at = RESUMED_AT.load(Ordering::SeqCst);
    if block.private.asked_at.load(Ordering::Relaxed) != resumed_at {
        block.private.asked_at.store(resumed_at, Ordering::Relaxed);
        if resumed_at != 0 {
            block.private.asked_before.store(ticks, Ordering::Relaxed);
            ask();
        }
    }
}

#[cold]
fn ask() {
    for source in &SOURCES {
        let source = source.load(Ordering::Acquire);
        if source.is_null() {
            return;
        }
        // SAFETY: the only values ever stored are `Source`s, by `add_source`.
        let source: Source = unsafe { std::mem::transmute(source) };
        if source() {
            return;
        }
    }
}

/// Records what the calling thread is in, outermost first; nothing means that it is in no task. `order`
/// says how many tasks are around the first one, on other threads too: readers see those before.
pub fn put_ongoing(order: u64, tasks: &[OngoingTask]) {
    let code = EventCode::new(OngoingTask::NUMBER, Scope::None);
    let event = tls::block().private.asked_before.load(Ordering::Relaxed);
    let ticks = RESUMED_AT.load(Ordering::Relaxed).saturating_add(order).min(event);
    let none = [OngoingTask::default()];
    let tasks = if tasks.is_empty() { &none } else { tasks };
    for (task, left) in tasks.iter().zip((0..tasks.len() as u64).rev()) {
        if let Some(room) = make_earlier_room(code, ticks) {
            room.put(code, OngoingTask { left, ..*task });
        }
    }
}
