//! The cold side of [`crate::room`]: everything that can be the matter when there is no room.

use crate::block::{self, Block, IN_USE, Room};
use crate::chunk::make_space;
use crate::host::Untouched;
use crate::panics::caught;
use crate::recorder::{self, Recorder};
use crate::state::{State, state};
use crate::sync::Ordering;
use crate::{clock, contexts, drain, fork, hold, losses, patience, sites, tls};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Scope, ThreadInfo, Wait};
use ompttrace_recording::words::Payload;

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
    hold::wait();
    // Paused or ended, a thread that is known needs neither clock nor anything else.
    if matches!(state(), State::Paused | State::Ended) && has_block() {
        let site = sites::site_of(address).unwrap_or_else(|| {
            let mut site = 0;
            guarded(|| site = sites::add(address, 0));
            site
        });
        return body(None, site);
    }
    let ticks = clock::ticks();
    guarded(|| {
        let site = sites::add(address, ticks);
        body(make_room(code, ticks), site);
        tell_wait();
    });
}

/// Records a further record of the calling thread's current event (list items, texts).
#[inline]
pub fn put_more(code: EventCode, payload: impl Payload) {
    // The event itself may have had to wait, which is told before its list goes on.
    tell_wait();
    match block::room() {
        Some(room) => room.put(code, payload),
        None => guarded(|| put_at(clock::ticks(), code, payload)),
    }
}

/// Records something with a given time, not earlier than the calling thread's last record.
#[cold]
pub(crate) fn put_at(ticks: u64, code: EventCode, payload: impl Payload) {
    if let Some(room) = make_room(code, ticks) {
        room.put(code, payload);
        tell_wait();
    }
}

/// Does work of ours so that the host thread does not notice.
pub(crate) fn guarded(work: impl FnOnce()) {
    let _untouched = Untouched::begin();
    let _ = caught(work);
}

/// The next id's parts for a thread whose event is not recorded; `None` when it has no block.
pub fn next_id() -> Option<(u64, u32)> {
    has_block().then(|| block::next_id(tls::block()))
}

fn has_block() -> bool {
    tls::block().private.magic.load(Ordering::Relaxed) == IN_USE
}

pub(crate) fn make_room(code: EventCode, ticks: u64) -> Option<Room> {
    let mut block = tls::block();
    if !has_block() {
        match adopt(code, ticks) {
            Adopted::Block(own) => block = own,
            Adopted::Deferred(room) => return Some(room),
            Adopted::Nothing => return None,
        }
    }
    if state() != State::Recording {
        return None;
    }
    refill(recorder::current()?, block, code, ticks)
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
        State::Child | State::Arming => match fork::child_event(code, ticks) {
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
    let starved = tls::is_starved(tls::block());
    let Some(block) = (if starved { None } else { recorder.claim() }) else {
        recorder.starve(code);
        return Adopted::Nothing;
    };
    let first = fork::take_over(block);
    // Also while paused: what is recorded later shall have its thread's name and number.
    put_in_the_cold(block, ticks, ThreadInfo::NUMBER, this_thread().words());
    if first {
        sites::tell_all(ticks);
        contexts::tell_all(ticks);
    }
    Adopted::Block(block)
}

/// Stores a record of ours at the cursor, where [`Block::has_room`] said that there is room.
fn put_in_the_cold(block: &'static Block, ticks: u64, number: u16, payload: impl Payload) {
    let cursor = block.control.cursor().load(Ordering::Relaxed);
    if block.has_room(cursor, 0) {
        block.room_at(ticks, cursor).put(EventCode::new(number, Scope::None), payload);
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
fn refill(recorder: &Recorder, block: &'static Block, code: EventCode, ticks: u64) -> Option<Room> {
    let cursor = block.control.cursor();
    let has_room = block.has_room(cursor.load(Ordering::Relaxed), 0);
    if !has_room && !make_space(recorder, block, ticks) {
        losses::expect();
        losses::add_one(recorder, code);
        return None;
    }
    let cursor = cursor.load(Ordering::Relaxed);
    if clock::clock_source() == clock::ClockSource::Counter {
        open(recorder, block, cursor);
    }
    Some(block.room_at(ticks, cursor))
}

/// Opens the fast path. A pause sets the state first and the limits then, and so does who holds others:
/// whichever of the two sides comes second sees the other (all accesses are sequentially consistent).
fn open(recorder: &Recorder, block: &Block, cursor: u64) {
    let limit = block.limit(block.control.slot_of(cursor));
    block.private.end.store(limit, Ordering::SeqCst);
    if state() != State::Recording || recorder.holder.holds() {
        block.private.end.store(0, Ordering::SeqCst);
    }
}

/// Puts the tool's own time into the recording, behind the event that had to wait.
pub(crate) fn tell_wait() {
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

/// Tells again what code sites and frames are, if records that told it had to be given up, and the calling
/// thread is one that records.
pub(crate) fn tell_sites() {
    if has_block() && state() == State::Recording {
        sites::tell_untold(clock::ticks());
        contexts::tell_untold(clock::ticks());
    }
}

/// The calling thread's last event is over, recorded or not: empty its block and give it back.
#[cold]
pub fn thread_ended() {
    guarded(|| {
        let block = tls::block();
        // Where the disk hangs and the process ends, its block stays as it is, and so do its records.
        let ours = recorder::own().filter(|_| has_block() && !patience::hangs());
        let Some(recorder) = ours else {
            return tls::set_block(&tls::DUMMY);
        };
        tell_sites();
        // Interrupted in a drain of its own, it keeps its block to the end of the process.
        let Some(_guard) = block.control.lock.lock() else {
            return tls::set_block(&tls::DUMMY);
        };
        drain::drain(recorder, block);
        recorder.release(block);
    });
}
