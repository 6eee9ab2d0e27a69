//! Forked children: disarmed from their first instruction, armed again when they have something to record.
//!
//! A child must not write into its parent's pool or files. Its private pages are wiped by the kernel,
//! so the fast path has no room; here the cold path notices. Some runtimes send thread_begin and the
//! initial task inside fork(): those two are deferred and recorded only if more comes.

use crate::blocks::block::Block;
use crate::blocks::room::Room;
use crate::blocks::state::{self, State};
use crate::blocks::tls;
use crate::host::sync::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use crate::host::{primitives, sync};
use crate::registry::recorder;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{ImplicitTask, MAX_WORDS, ThreadBegin, ThreadEnd};

/// Words for the deferred records: two, with space to spare.
const DEFERRED_WORDS: usize = 4 * MAX_WORDS;
static DEFERRED: [AtomicU64; DEFERRED_WORDS] = [const { AtomicU64::new(0) }; DEFERRED_WORDS];
/// The block of a child that is not armed: only its cursor and id counter serve.
static DEFERRED_BLOCK: Block = Block::empty();

pub(crate) enum ChildEvent {
    Deferred(Room),
    Armed,
    Off,
}

/// True if the parent was paused when it forked, or the child was paused since.
static PAUSED: AtomicBool = AtomicBool::new(false);

/// Called in a child as soon as anything notices that it is one; again does no harm.
///
/// Only the thread that called fork exists in a child.
pub fn forked_child() {
    DEFERRED_BLOCK.control.cursor().store(deferred_start(), Ordering::Relaxed);
    DEFERRED_BLOCK.private.counter.store(0, Ordering::Relaxed);
    ARMS.store(0, Ordering::Relaxed);
    tls::set_block(&tls::DUMMY);
    if let Some(recorder) = recorder::current() {
        // On kernels that do not wipe the page, the fork handler's call comes here first.
        recorder.pool.token().store(0, Ordering::SeqCst);
        recorder::forget();
    }
    match state::state() {
        was @ (State::Recording | State::Paused) => {
            PAUSED.store(was == State::Paused, Ordering::Relaxed);
            state::set_state(State::Child);
        }
        State::Arming => state::set_state(State::Child),
        State::Off | State::Ended | State::Child => {}
    }
}

/// The state in which a child's recording is to begin: that of its parent.
pub fn begin_of_child() -> State {
    if PAUSED.load(Ordering::Relaxed) { State::Paused } else { State::Recording }
}

/// Notes a command to pause or to resume that came before the child had anything to record.
pub fn pause_child(paused: bool) {
    PAUSED.store(paused, Ordering::Relaxed);
}

fn deferred_start() -> u64 {
    (&raw const DEFERRED).expose_provenance() as u64
}

fn deferred_cursor() -> u64 {
    DEFERRED_BLOCK.control.cursor().load(Ordering::Relaxed)
}

/// Decides about an event of a child that is not armed: it is deferred, or arms the child, or is ignored.
///
/// One thread arms, others that come meanwhile wait for it.
pub(crate) fn child_event(code: EventCode, ticks: u64) -> ChildEvent {
    if is_initial(code) && state::state() == State::Child {
        return ChildEvent::Deferred(DEFERRED_BLOCK.room_at(ticks, deferred_cursor()));
    }
    arm_child();
    wait_until_armed();
    match state::state() {
        State::Recording | State::Paused => ChildEvent::Armed,
        _ => ChildEvent::Off,
    }
}

/// A forked child begins its recording, if it has not: for a source that knows that what it says next is no part of
/// fork() itself.
pub fn arm_child() {
    if state::change(State::Child, State::Arming) {
        ARMS.store(sync::me(), Ordering::SeqCst);
        if !arm_in_child() {
            state::set_state(State::Off);
        }
    }
}

static ARM_IN_CHILD: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the function that arms a forked child at its first real event; it returns true if it did.
pub fn set_arm_in_child(arm: fn() -> bool) {
    ARM_IN_CHILD.store(arm as *mut (), Ordering::Release);
}

fn arm_in_child() -> bool {
    let hook = ARM_IN_CHILD.load(Ordering::Acquire);
    if hook.is_null() {
        return false;
    }
    // SAFETY: the only value ever stored is a `fn() -> bool`, by `set_arm_in_child`.
    let hook: fn() -> bool = unsafe { std::mem::transmute(hook) };
    hook()
}

/// The thread that arms; 0: not stored yet.
static ARMS: AtomicU64 = AtomicU64::new(0);

/// Nothing is recorded where the thread that arms ends during that.
fn wait_until_armed() {
    let mut tries = 0;
    while state::state() == State::Arming {
        primitives::wait(&mut tries);
        let arms = ARMS.load(Ordering::SeqCst);
        if sync::is_time_to_ask(tries) && arms != 0 && sync::is_gone(arms) {
            state::change(State::Arming, State::Off);
        }
    }
}

/// Returns true if an event can be deferred: one of those that runtimes send inside fork(), of the thread that forked
/// (the child's first, whose number is the process's), while there is room.
fn is_initial(code: EventCode) -> bool {
    // SAFETY: system calls without arguments that cannot fail.
    let forked = unsafe { libc::gettid() == libc::getpid() };
    let number = code.number();
    let known = [ThreadBegin::NUMBER, ImplicitTask::NUMBER, ThreadEnd::NUMBER].contains(&number);
    let end = deferred_start() + 8 * DEFERRED_WORDS as u64;
    forked && known && deferred_cursor() + 8 * MAX_WORDS as u64 <= end
}

/// Moves what a child deferred to the first block of its own recording.
///
/// Returns true if this is a child's first block: its recording then lacks the code sites.
pub(crate) fn take_over(block: &'static Block) -> bool {
    let cursor = deferred_cursor();
    // SAFETY: system calls without arguments that cannot fail.
    let forked = unsafe { libc::gettid() == libc::getpid() };
    if cursor == 0 || !forked {
        return false;
    }
    DEFERRED_BLOCK.control.cursor().store(0, Ordering::Relaxed);
    let words = ((cursor - deferred_start()) / 8) as usize;
    let start = block.control.cursor().load(Ordering::Relaxed);
    for (index, word) in DEFERRED.iter().take(words).enumerate() {
        let target = std::ptr::with_exposed_provenance_mut::<u64>(start as usize + 8 * index);
        // SAFETY: the block was just claimed by this thread and is empty; a slot is far larger
        // than the deferred words.
        unsafe { target.write(word.load(Ordering::Relaxed)) };
    }
    let counter = DEFERRED_BLOCK.private.counter.load(Ordering::Relaxed);
    block.private.counter.store(counter, Ordering::Relaxed);
    block.control.cursor().store(start + 8 * words as u64, Ordering::Release);
    true
}
