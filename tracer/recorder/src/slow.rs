//! The cold side of [`crate::room`]: everything that can be the matter when there is no room.

use crate::block::{self, Block, IN_USE, Room};
use crate::recorder::{self, Recorder};
use crate::state::{State, state};
use crate::sync::Ordering;
use crate::{clock, drain, fork, sites, tls};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Lost, Scope, ThreadInfo, Wait, loss};
use ompttrace_recording::pool::control;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Goes on with an event for which [`crate::room`] found no room.
///
/// `body` gets a place for the record, or `None` when the event is not to be recorded; then it must
/// still make the ids that later events will carry. A panic of ours disarms the tool: it never
/// reaches the program.
#[cold]
pub fn slow(code: EventCode, body: impl FnOnce(Option<Room>)) {
    slow_with_site(code, 0, |room, _| body(room));
}

/// [`slow`] for an event whose ids carry the number of a code address, which `body` gets.
#[cold]
pub fn slow_with_site(code: EventCode, address: u64, body: impl FnOnce(Option<Room>, u64)) {
    let ticks = clock::ticks();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let site = sites::add(address, ticks);
        body(make_room(code, ticks), site);
        tell_wait();
    }));
    if outcome.is_err() {
        crate::control::disarm();
        crate::message::say(format_args!("internal error; recording ended, the program runs on"));
    }
}

/// Records a further record of the calling thread's current event (list items, texts).
#[inline]
pub fn put_more<const N: usize>(code: EventCode, payload: [u64; N]) {
    match block::room() {
        Some(room) => room.put(code, payload),
        None => put_at(clock::ticks(), code, payload),
    }
}

/// Records something with a given time, not earlier than the calling thread's last record.
#[cold]
pub(crate) fn put_at<const N: usize>(ticks: u64, code: EventCode, payload: [u64; N]) {
    if let Some(room) = make_room(code, ticks) {
        room.put(code, payload);
    }
}

/// The next id's parts for a thread whose event is not recorded; counter 0 when it has no block.
pub fn next_id() -> (u64, u32) {
    let block = tls::block();
    if tls::is_dummy(block) { (0, 0) } else { block::next_id(block) }
}

fn make_room(code: EventCode, ticks: u64) -> Option<Room> {
    let mut block = tls::block();
    if block.private.magic.load(Ordering::Relaxed) != IN_USE {
        match adopt(code, ticks) {
            Adopted::Block(own) => block = own,
            Adopted::Deferred(room) => return Some(room),
            Adopted::Nothing => return None,
        }
    }
    if state() != State::Recording {
        return None;
    }
    let recorder = recorder::current()?;
    refill(recorder, block, ticks)
}

enum Adopted {
    Block(&'static Block),
    /// In a forked child: kept aside until it has something to say.
    Deferred(Room),
    Nothing,
}

/// Finds out why the calling thread has no block, and gets it one if it may have one.
fn adopt(code: EventCode, ticks: u64) -> Adopted {
    if recorder::current().is_some_and(|recorder| !recorder.is_ours()) {
        fork::forked_child();
    }
    match state() {
        State::Child => match fork::child_event(code, ticks) {
            fork::ChildEvent::Deferred(room) => Adopted::Deferred(room),
            fork::ChildEvent::Armed => claim(code, ticks),
            fork::ChildEvent::Off => Adopted::Nothing,
        },
        State::Recording | State::Paused => claim(code, ticks),
        State::Off | State::Ended => Adopted::Nothing,
    }
}

fn claim(code: EventCode, ticks: u64) -> Adopted {
    let Some(recorder) = recorder::current() else { return Adopted::Nothing };
    let Some(block) = recorder.claim() else {
        recorder.losses.add(code.0, 1);
        return Adopted::Nothing;
    };
    let first = fork::take_over(block);
    put_in_the_cold(block, ticks, ThreadInfo::NUMBER, this_thread().words());
    if first {
        sites::tell_all(ticks);
    }
    Adopted::Block(block)
}

/// Stores a record of ours at the cursor of a block that has just been emptied.
fn put_in_the_cold<const N: usize>(block: &'static Block, ticks: u64, number: u8, words: [u64; N]) {
    let cursor = block.control.cursor().load(Ordering::Relaxed);
    if cursor < block.limit(block.control.slot_of(cursor)) {
        block.room_at(ticks, cursor).put(EventCode::new(number, Scope::None), words);
    }
}

fn this_thread() -> ThreadInfo {
    let mut name = [0u8; 16];
    // SAFETY: PR_GET_NAME writes at most 16 bytes.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    let [low, high] = [0, 8].map(|at| {
        let bytes = name.iter().skip(at).take(8);
        bytes.rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte))
    });
    // SAFETY: a system call without arguments that cannot fail.
    let os_thread = unsafe { libc::gettid() } as u64;
    ThreadInfo { os_thread, name_low: low, name_high: high }
}

/// Makes room in a thread's own block: its slot is full, or its limit was taken away.
fn refill(recorder: &Recorder, block: &'static Block, ticks: u64) -> Option<Room> {
    let control = &block.control;
    let cursor = control.cursor().load(Ordering::Relaxed);
    if cursor >= block.limit(control.slot_of(cursor)) {
        make_space(recorder, block, ticks);
    }
    let cursor = control.cursor().load(Ordering::Relaxed);
    if clock::clock_source() == clock::ClockSource::Counter {
        open(block, cursor);
    }
    tell_losses(block, ticks);
    Some(block.room_at(ticks, control.cursor().load(Ordering::Relaxed)))
}

/// Opens the fast path. A pause sets the state first and the limits then: whichever of the two
/// sides comes second sees the other (all four accesses are sequentially consistent).
fn open(block: &Block, cursor: u64) {
    let limit = block.limit(block.control.slot_of(cursor));
    block.private.end.store(limit, Ordering::SeqCst);
    if state() != State::Recording {
        block.private.end.store(0, Ordering::SeqCst);
    }
}

/// Empties the full slot into its file, or goes on in the other while a flush is at work.
fn make_space(recorder: &Recorder, block: &Block, ticks: u64) {
    let cursor = block.control.cursor().load(Ordering::Relaxed);
    let slot = block.control.slot_of(cursor);
    let other = 1 - slot;
    if let Some(_guard) = block.control.lock.try_lock() {
        drain::drain(recorder, block);
        start_chunk(block, slot);
    } else if drain::is_flushed(block, other) {
        set_filled(block, slot, cursor - block.control.slot_at(slot));
        start_chunk(block, other);
    } else {
        let _guard = block.control.lock.lock();
        drain::drain(recorder, block);
        start_chunk(block, slot);
    }
    let spent = clock::ticks().wrapping_sub(ticks);
    block.private.wait_since.store(ticks, Ordering::Relaxed);
    block.private.wait_ticks.store(spent, Ordering::Relaxed);
}

fn set_filled(block: &Block, slot: usize, bytes: u64) {
    let index = if slot == 0 { control::FILLED[0] } else { control::FILLED[1] };
    block.control.word(index).store(bytes, Ordering::Release);
}

/// Begins a new chunk in `slot`. At every step the control page tells a reader of a killed run the
/// truth: the slot is empty before it has a new number, and the cursor moves last.
fn start_chunk(block: &Block, slot: usize) {
    let control = &block.control;
    let chunks = control::CHUNK.map(|index| control.word(index).load(Ordering::Relaxed));
    let next = chunks.into_iter().max().unwrap_or(0) + 1;
    let start = control.slot_at(slot);
    let cursor = control.cursor().load(Ordering::Relaxed);
    set_filled(block, slot, 0);
    if control.slot_of(cursor) == slot {
        control.cursor().store(start, Ordering::Release);
    }
    let [first, second] = &control.flushed;
    (if slot == 0 { first } else { second }).store(0, Ordering::Release);
    let index = if slot == 0 { control::CHUNK[0] } else { control::CHUNK[1] };
    control.word(index).store(next, Ordering::Release);
    control.cursor().store(start, Ordering::Release);
}

/// Puts the tool's own time into the recording, behind the event that had to wait.
fn tell_wait() {
    let block = tls::block();
    let spent = block.private.wait_ticks.load(Ordering::Relaxed);
    if spent == 0 {
        return;
    }
    block.private.wait_ticks.store(0, Ordering::Relaxed);
    let since = block.private.wait_since.load(Ordering::Relaxed);
    let record = Wait { ticks: spent, reason: 0 };
    put_in_the_cold(block, since, Wait::NUMBER, record.words());
}

/// Puts the thread's losses into its stream, now that there is room again.
fn tell_losses(block: &'static Block, ticks: u64) {
    while let Some((event, count)) = block.private.losses.take_next() {
        let record = Lost { event: event.into(), reason: loss::WRITE, count };
        put_in_the_cold(block, ticks, Lost::NUMBER, record.words());
    }
}

/// The calling thread's last event was recorded: empty its block and give it back.
#[cold]
pub fn thread_ended() {
    let block = tls::block();
    if block.private.magic.load(Ordering::Relaxed) != IN_USE {
        return;
    }
    let Some(recorder) = recorder::current() else { return };
    if !recorder.is_ours() {
        return;
    }
    let _guard = block.control.lock.lock();
    drain::drain(recorder, block);
    recorder.release(block);
}
