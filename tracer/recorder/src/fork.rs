//! Forked children: disarmed from their first instruction, armed again when they have something to say.
//!
//! A child must not write into its parent's pool or files. Its private pages are wiped by the kernel,
//! so the fast path has no room; here the cold path notices. Some runtimes send thread_begin and the
//! initial task inside fork(): those two are kept aside and recorded only if more comes.

use crate::block::{Block, Room};
use crate::recorder;
use crate::state::{self, State};
use crate::sync::{AtomicU64, Ordering};
use crate::tls;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{ImplicitTask, MAX_WORDS, ThreadBegin, ThreadEnd};

/// Words for the records kept aside: two, with room to spare.
const ASIDE_WORDS: usize = 4 * MAX_WORDS;
static ASIDE: [AtomicU64; ASIDE_WORDS] = [const { AtomicU64::new(0) }; ASIDE_WORDS];
/// The block of a child that is not armed: only its cursor and id counter serve.
static ASIDE_BLOCK: Block = Block::empty();

pub(crate) enum ChildEvent {
    Deferred(Room),
    Armed,
    Off,
}

/// Called in a child as soon as anything notices that it is one; again does no harm.
///
/// Only the thread that called fork exists in a child.
pub fn forked_child() {
    let Some(recorder) = recorder::current() else { return };
    // On kernels that do not wipe the page, the fork handler's call comes here first.
    recorder.pool.token().store(0, Ordering::SeqCst);
    let was = state::state();
    recorder::forget();
    tls::set_block(&tls::DUMMY);
    ASIDE_BLOCK.control.cursor().store(aside_start(), Ordering::Relaxed);
    ASIDE_BLOCK.private.counter.store(0, Ordering::Relaxed);
    let next = if matches!(was, State::Recording | State::Paused) { State::Child } else { was };
    state::set_state(next);
}

fn aside_start() -> u64 {
    (&raw const ASIDE).expose_provenance() as u64
}

fn aside_cursor() -> u64 {
    ASIDE_BLOCK.control.cursor().load(Ordering::Relaxed)
}

/// What to do with an event of a child that is not armed.
pub(crate) fn child_event(code: EventCode, ticks: u64) -> ChildEvent {
    let number = code.number() as u8;
    let initial = [ThreadBegin::NUMBER, ImplicitTask::NUMBER, ThreadEnd::NUMBER].contains(&number);
    let full = aside_cursor() + 8 * MAX_WORDS as u64 > aside_start() + 8 * ASIDE_WORDS as u64;
    if initial && !full {
        return ChildEvent::Deferred(ASIDE_BLOCK.room_at(ticks, aside_cursor()));
    }
    if recorder::arm_in_child() {
        ChildEvent::Armed
    } else {
        state::set_state(State::Off);
        ChildEvent::Off
    }
}

/// Moves what a child kept aside to the first block of its own recording.
///
/// Returns whether this is a child's first block: its recording then lacks the code sites.
pub(crate) fn take_over(block: &'static Block) -> bool {
    let cursor = aside_cursor();
    if cursor == 0 {
        return false;
    }
    ASIDE_BLOCK.control.cursor().store(0, Ordering::Relaxed);
    let words = ((cursor - aside_start()) / 8) as usize;
    let start = block.control.cursor().load(Ordering::Relaxed);
    for (index, word) in ASIDE.iter().take(words).enumerate() {
        let place = std::ptr::with_exposed_provenance_mut::<u64>(start as usize + 8 * index);
        // SAFETY: the block was just claimed by this thread and is empty; a slot is far larger
        // than the words kept aside.
        unsafe { place.write(word.load(Ordering::Relaxed)) };
    }
    let counter = ASIDE_BLOCK.private.counter.load(Ordering::Relaxed);
    block.private.counter.store(counter, Ordering::Relaxed);
    block.control.cursor().store(start + 8 * words as u64, Ordering::Release);
    true
}
