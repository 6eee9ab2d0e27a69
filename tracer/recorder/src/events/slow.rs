//! The cold side of [`crate::room`], for every reason why there is no room.

use crate::blocks::block::Block;
use crate::blocks::group::{self, Group};
use crate::blocks::room::{self, Room, put_cold};
use crate::blocks::state::{State, state};
use crate::blocks::tls;
use crate::events::fork;
use crate::host::clock;
use crate::host::own_stack::{Signals, on_own_stack};
use crate::host::sync::Ordering;
use crate::registry::inside::{self, Inside, Work};
use crate::registry::panics::caught_here;
use crate::registry::recorder::{self, Recorder};
use crate::registry::{attention, losses, outside, park, resumed};
use crate::slots::chunk::{empty_full_slot, make_space, report_wait};
use crate::tables::{contexts, phase_names, sites};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{CallFrame, CodeSite, Phase, PhaseName, Scope, ThreadInfo, Wait};
use ompttrace_recording::words::Payload;

/// Continues with an event for which [`crate::room`] found no room.
///
/// `body` gets a slot for the record, or `None` when the event is not to be recorded; then it must
/// still make the ids that later events will carry. A panic of ours disarms the tool: it never
/// reaches the program.
#[cold]
pub fn slow(code: EventCode, body: impl FnOnce(Option<Room>)) {
    slow_with_site(code, 0, |room, _| body(room));
}

/// [`slow`] for an event whose ids carry the number of a code address, which `body` gets.
#[cold]
pub fn slow_with_site(code: EventCode, address: u64, body: impl FnOnce(Option<Room>, u64)) {
    if attention::is_wanted() {
        attend();
    }
    // Paused or ended, a thread that is known needs neither clock nor anything else.
    if matches!(state(), State::Paused | State::Ended) && tls::has_block() {
        let site = sites::site_of(address).unwrap_or_else(|| {
            let mut site = 0;
            guarded(|| site = number_of(address, 0));
            site
        });
        return body(None, site);
    }
    inside_event_of(Some(code), |ticks| {
        let site = number_of(address, ticks);
        body(make_room(code, ticks), site);
    });
}

/// Does what is to be done before an event: parked, the thread waits; a command from outside is carried out.
#[cold]
#[inline(never)]
fn attend() {
    park::wait();
    outside::take();
}

/// Does the work of an event, whose time it gets, so that neither the host thread notices nor an event of a signal
/// handler gets in between; leaves room for the next event where it can.
pub(crate) fn inside_event(work: impl FnOnce(u64)) {
    inside_event_of(None, work);
}

fn inside_event_of(code: Option<EventCode>, work: impl FnOnce(u64)) {
    guarded(|| {
        let _inside = Inside::enter();
        let ticks = clock::ticks();
        work(ticks);
        leave_room(code, ticks);
    });
}

/// Records an event of the calling thread, now.
#[inline(always)]
pub fn put(code: EventCode, event: impl Payload) {
    match room::room() {
        Some(room) => room.put(code, event),
        None => put_without_room(code, event),
    }
}

#[cold]
#[inline(never)]
fn put_without_room(code: EventCode, event: impl Payload) {
    slow(code, |room| {
        if let Some(room) = room {
            room.put(code, event);
        }
    });
}

/// Records several events of the calling thread, now: without room, a loss of the first one's code is counted.
#[inline(always)]
pub fn put_group(code: EventCode, fill: impl Fn(Group)) {
    match group::group() {
        Some(group) => fill(group),
        None => put_group_without_room(code, fill),
    }
}

#[cold]
#[inline(never)]
fn put_group_without_room(code: EventCode, fill: impl Fn(Group)) {
    slow(code, |room| {
        if let Some(room) = room {
            fill(room.group());
        }
    });
}

/// Lets the further streams of the calling thread look, as they do between records that come one after the other.
#[cold]
#[inline(never)]
pub fn look() {
    if attention::is_wanted() {
        attend();
    }
    if tls::has_block() && state() == State::Recording {
        inside_event(|_| ());
    }
}

/// Records a further record of the calling thread's current event (list items, texts).
#[inline]
pub fn put_more(code: EventCode, payload: impl Payload) {
    match room::room() {
        Some(room) => room.put(code, payload),
        None => put_more_cold(code, payload),
    }
}

/// The fast path is shut while an event's work is noted, so work that is noted here is this event's own.
#[cold]
fn put_more_cold(code: EventCode, payload: impl Payload) {
    let put = |ticks| {
        put_at(ticks, code, payload);
    };
    match inside::work() {
        Work::None => inside_event(put),
        _ => guarded(|| put(clock::ticks())),
    }
}

/// Records something with a given time, not earlier than the calling thread's last record, during an event's work;
/// returns true if it could.
#[cold]
pub(crate) fn put_at(ticks: u64, code: EventCode, payload: impl Payload) -> bool {
    // What an earlier record of the same event had to wait for.
    report_wait();
    let room = make_room(code, ticks);
    let is_recorded = room.is_some();
    if let Some(room) = room {
        room.put(code, payload);
        report_wait();
    }
    is_recorded
}

/// The number of a code address. Compiled once, not with each callback.
#[inline(never)]
fn number_of(address: u64, ticks: u64) -> u64 {
    sites::add(address, |site| put_site(ticks, site))
}

pub(crate) fn put_site(ticks: u64, site: CodeSite) -> bool {
    put_at(ticks, EventCode::new(CodeSite::NUMBER, Scope::None), site)
}

/// Defines a frame at a given time, as [`put_at`] does.
pub(crate) fn put_frame(ticks: u64, frame: CallFrame) -> bool {
    put_at(ticks, EventCode::new(CallFrame::NUMBER, Scope::None), frame)
}

/// Defines a part of a phase's name at a given time, as [`put_at`] does.
pub(crate) fn put_phase_name(ticks: u64, part: PhaseName) -> bool {
    put_at(ticks, EventCode::new(PhaseName::NUMBER, Scope::None), part)
}

/// Does work of ours so that the host thread does not notice.
pub(crate) fn guarded(work: impl FnOnce()) {
    let _ = caught_here(work);
}

/// The next id's parts for a thread whose event is not recorded; `None` when it has no block.
pub fn next_id() -> Option<(u64, u32)> {
    tls::has_block().then(|| room::next_id(tls::block()))
}

pub(crate) fn make_room(code: EventCode, ticks: u64) -> Option<Room> {
    if inside::work() == Work::Barred {
        inside::bar(code);
        return None;
    }
    let mut block = tls::block();
    if !tls::has_block() {
        match adopt(code, ticks) {
            Adopted::Block(own) => block = own,
            Adopted::Deferred(room) => return Some(room),
            Adopted::Nothing => return None,
        }
    }
    if state() != State::Recording {
        return None;
    }
    // Not during a drain that a handler's event interrupts: the thread's own next event asks.
    if inside::work() == Work::Event {
        ask(block, ticks);
    }
    refill(recorder::current()?, block, code, ticks)
}

/// A slot for a record of an earlier time than now, which is not earlier than the thread's last record; where that came
/// meanwhile, it is as late as that.
pub(crate) fn make_earlier_room(code: EventCode, ticks: u64) -> Option<Room> {
    let room = make_room(code, clock::ticks())?;
    Some(room.at_time(not_before_latest(tls::block(), ticks)))
}

fn not_before_latest(block: &Block, ticks: u64) -> u64 {
    ticks.max(block.private.latest.load(Ordering::Relaxed))
}

/// Asks the calling thread for its tasks, if it is one that records.
pub(crate) fn ask_for_tasks() {
    if tls::has_block() && state() == State::Recording {
        inside_event(|ticks| {
            if inside::work() == Work::Event {
                ask(tls::block(), ticks);
            }
        });
    }
}

/// Has the tasks of the calling thread and its open phases recorded, once after each resume.
fn ask(block: &'static Block, ticks: u64) {
    if !resumed::ask_once(block, ticks) {
        return;
    }
    let resumed_at = resumed::time().min(ticks);
    let code = EventCode::new(Phase::NUMBER, Scope::BeginEnd);
    let mut phases = block.private.phases.all().peekable();
    if phases.peek().is_some() {
        phase_names::report_kept(|part| put_phase_name(resumed_at, part));
    }
    for phase in phases {
        if let Some(room) = make_earlier_room(code, resumed_at) {
            room.put(code, phase);
        }
    }
}

enum Adopted {
    Block(&'static Block),
    /// In a forked child: deferred until it has something to record.
    Deferred(Room),
    Nothing,
}

/// Finds out why the calling thread has no block, and gets it one if it may have one.
fn adopt(code: EventCode, ticks: u64) -> Adopted {
    if recorder::current().is_some_and(|recorder| !recorder.is_ours()) {
        fork::forked_child();
    }
    match state() {
        State::Off | State::Ended => Adopted::Nothing,
        // It has come here before, and nothing is tried any more.
        _ if tls::is_starved(tls::block()) => claim(code, ticks),
        State::Child | State::Arming => {
            on_own_stack(Signals::Blocked, || match fork::child_event(code, ticks) {
                fork::ChildEvent::Deferred(room) => Adopted::Deferred(room),
                fork::ChildEvent::Armed => claim(code, ticks),
                fork::ChildEvent::Off => Adopted::Nothing,
            })
        }
        State::Recording | State::Paused => on_own_stack(Signals::Blocked, || claim(code, ticks)),
    }
}

fn claim(code: EventCode, ticks: u64) -> Adopted {
    let Some(recorder) = recorder::current() else { return Adopted::Nothing };
    let starved = tls::is_starved(tls::block());
    let Some(block) = (if starved { None } else { recorder.claim() }) else {
        recorder.starve();
        recorder.lose_one(code);
        return Adopted::Nothing;
    };
    let first = fork::take_over(block);
    // Also while paused: what is recorded later shall have its thread's name and number.
    put_cold(block, ticks, ThreadInfo::NUMBER, this_thread().words());
    if first {
        sites::report_all(|site| put_site(ticks, site));
        contexts::report_all(|frame| put_frame(ticks, frame));
        phase_names::report_all(|part| put_phase_name(ticks, part));
    }
    Adopted::Block(block)
}

/// To be called by a source that has no memory for the calling thread's own state: the thread gets no buffer, and its events are
/// only counted as lost. Does nothing if the thread has a buffer.
pub fn starve() {
    if let Some(recorder) = recorder::own().filter(|_| !tls::has_block()) {
        recorder.starve();
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

/// Finds room in a thread's own block: its slot is full, or its limit was taken away. Of a full slot an event
/// takes the reserve, and space is made after it ([`leave_room`]): handlers' records that come meanwhile are
/// later than it. An event of many records may need more space before its end; the rest of them is later then.
fn refill(recorder: &Recorder, block: &'static Block, code: EventCode, ticks: u64) -> Option<Room> {
    let cursor = block.control.cursor();
    let at = cursor.load(Ordering::Relaxed);
    let has_room = if inside::work() == Work::Handler {
        block.private.latest.store(ticks, Ordering::Relaxed);
        block.has_reserve_for_handlers(at)
    } else {
        block.has_reserve(at) || make_space(recorder, block)
    };
    if !has_room {
        losses::expect();
        recorder.lose_one(code);
        return None;
    }
    Some(block.room_at(not_before_latest(block, ticks), cursor.load(Ordering::Relaxed)))
}

/// After an event, which came at `ticks`: makes space if its slot is full, and reports the time that this took; lets
/// further streams look.
fn leave_room(code: Option<EventCode>, ticks: u64) {
    let block = tls::block();
    let is_event = inside::work() == Work::Event && tls::has_block() && state() == State::Recording;
    let recorder = recorder::current().filter(|_| is_event);
    if let Some(recorder) = recorder {
        empty_full_slot(recorder, block);
    }
    report_wait();
    if let Some(recorder) = recorder {
        recorder.streams.look(recorder, block, code, ticks);
    }
}

/// Threads that recorded events and live, without the calling one; `None`: this process does not record.
pub fn other_threads() -> Option<u32> {
    let threads = recorder::own()?.blocks().count();
    u32::try_from(threads.saturating_sub(usize::from(tls::has_block()))).ok()
}

/// Puts the tool's time from `since` to now, outside of any event, into the recording of the calling thread, if it records.
pub(crate) fn put_wait(since: u64) {
    if tls::has_block() && state() == State::Recording {
        inside_event(|now| {
            if inside::work() == Work::Event {
                let record = Wait { ticks: now.saturating_sub(since), reason: 0 };
                put_cold(tls::block(), since, Wait::NUMBER, record.words());
            }
        });
    }
}
