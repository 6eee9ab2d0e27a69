//! The runtime's callback: each of the interface's events as records of the model.
//!
//! A wait is a mutex_acquire and, at its end, a mutex_acquired that is marked inferred: the interface
//! reports neither that a mutex is free again nor that it was acquired without waiting, so nobody can say how
//! long it was held. Ordered regions have an end: they are owned from their begin to their end.

use crate::teams::{self, code, record, with_room};
use crate::thread::{self, Here};
use crate::{ask, unmatched};
use collector_sys::Event;
use core::ffi::c_int;
use ompttrace_recording::events::{
    Masked, MutexAcquire, MutexAcquired, MutexReleased, Scope, SyncRegion, SyncRegionWait,
    ThreadBegin, ThreadEnd, Work,
};
use ompttrace_recording::kinds::IDLE;
use ompttrace_recording::words::KIND_INFERRED;

/// ompt_sync_region_t.
const IMPLICIT_BARRIER: u64 = 2;
const EXPLICIT_BARRIER: u64 = 3;
/// ompt_work_single_executor.
const SINGLE: u64 = 3;
/// ompt_mutex_t.
const LOCK: u64 = 1;
const CRITICAL: u64 = 5;
const ATOMIC: u64 = 6;
const ORDERED: u64 = 7;
/// ompt_thread_t.
const INITIAL: u64 = 1;
const WORKER: u64 = 2;
const OTHER: u64 = 3;

/// The callback that the runtime calls at every event, with the event's number.
pub(crate) unsafe extern "C" fn on_event(number: c_int) {
    let Some(event) = Event::from_number(number) else { return };
    match thread::here() {
        Some(here) => deliver(here, event),
        None => deliver_first(event),
    }
}

/// Reports a thread's first event. If there is no memory for the thread's state, the event is lost, as all events of
/// the thread are.
#[cold]
fn deliver_first(event: Event) {
    match thread::begin() {
        Some(here) => {
            introduce(event);
            deliver(here, event);
        }
        None => {
            ompttrace_recorder::starve();
            deliver(&Here::new(), event);
        }
    }
}

#[inline]
fn deliver(here: &Here, event: Event) {
    match event {
        Event::Fork => teams::fork(here),
        Event::Join => teams::join(here),
        Event::BeginIdle => {
            teams::leave_all(here);
            note(here, event);
            wait(IDLE, Scope::Begin, 0);
        }
        Event::EndIdle => {
            note(here, event);
            wait(IDLE, Scope::End, 0);
            teams::join_team(here, ask::region());
        }
        _ => {
            teams::settle(here);
            note(here, event);
            in_team(here, event);
        }
    }
}

/// Remembers which begins are open, and counts events whose other half is missing.
#[inline]
fn note(here: &Here, event: Event) {
    let (open, bit) = (here.open.get(), unmatched::bit(event));
    if unmatched::is_begin(event) == (open & bit != 0) {
        unmatched::count(event);
    }
    let now = if unmatched::is_begin(event) { open | bit } else { open & !bit };
    here.open.set(now);
}

#[inline]
fn in_team(here: &Here, event: Event) {
    let task = here.team().task.0;
    match event {
        Event::BeginIbar => begin_barrier(IMPLICIT_BARRIER, task),
        Event::EndIbar => end_barrier(IMPLICIT_BARRIER, task),
        Event::BeginEbar => begin_barrier(EXPLICIT_BARRIER, task),
        Event::EndEbar => end_barrier(EXPLICIT_BARRIER, task),
        Event::BeginLkwt => ask_for(here, LOCK),
        Event::EndLkwt => have(here, LOCK),
        Event::BeginCtwt => ask_for(here, CRITICAL),
        Event::EndCtwt => have(here, CRITICAL),
        Event::BeginAtwt => ask_for(here, ATOMIC),
        Event::EndAtwt => have(here, ATOMIC),
        Event::BeginOdwt => {
            let (kind, wait_id) = (ORDERED, ordered(here));
            let event = MutexAcquire { code: 0, kind, wait_id, hint: 0, implementation: 0 };
            record(code::<{ MutexAcquire::NUMBER }>(Scope::None), event);
        }
        Event::EndOdwt => acquired(ORDERED | KIND_INFERRED, ordered(here)),
        Event::BeginOrdered => acquired(ORDERED, ordered(here)),
        Event::EndOrdered => {
            let event = MutexReleased { code: 0, kind: ORDERED, wait_id: ordered(here) };
            record(code::<{ MutexReleased::NUMBER }>(Scope::None), event);
        }
        Event::BeginMaster => masked(Scope::Begin, task),
        Event::EndMaster => masked(Scope::End, task),
        Event::BeginSingle => single(Scope::Begin, task),
        Event::EndSingle => single(Scope::End, task),
        Event::Fork | Event::Join | Event::BeginIdle | Event::EndIdle => {}
    }
}

/// Reports the thread itself before its first event, with its type as far as that is known.
#[cold]
fn introduce(event: Event) {
    // SAFETY: system calls without arguments that cannot fail.
    let is_first = unsafe { libc::gettid() == libc::getpid() };
    let is_idler = matches!(event, Event::BeginIdle | Event::EndIdle);
    let thread_type = match event {
        _ if is_first => INITIAL,
        _ if is_idler => WORKER,
        Event::Fork if teams::outer_region() == 0 => OTHER,
        _ if ask::region() == 0 => OTHER,
        _ => WORKER,
    };
    record(code::<{ ThreadBegin::NUMBER }>(Scope::None), ThreadBegin { thread_type });
    crate::hook::watch_end();
}

/// Reports the end of the thread; if its runtime sends further events, it begins again.
pub(crate) fn thread_ends() {
    if let Some(here) = thread::here() {
        teams::leave_all(here);
    }
    thread::end();
    record(code::<{ ThreadEnd::NUMBER }>(Scope::None), ThreadEnd {});
    ompttrace_recorder::thread_ended();
}

#[inline]
fn begin_barrier(kind: u64, task: u64) {
    record(code::<{ SyncRegion::NUMBER }>(Scope::Begin), SyncRegion { code: 0, kind, task });
    wait(kind, Scope::Begin, task);
}

#[inline]
fn end_barrier(kind: u64, task: u64) {
    wait(kind, Scope::End, task);
    record(code::<{ SyncRegion::NUMBER }>(Scope::End), SyncRegion { code: 0, kind, task });
}

#[inline]
fn wait(kind: u64, scope: Scope, task: u64) {
    let event = SyncRegionWait { code: 0, kind, task };
    record(code::<{ SyncRegionWait::NUMBER }>(scope), event);
}

#[inline]
fn ask_for(here: &Here, kind: u64) {
    let code = code::<{ MutexAcquire::NUMBER }>(Scope::None);
    with_room(code, |room| {
        let wait_id = ask::wait_id();
        here.wait_id.set(wait_id);
        if let Some(room) = room {
            let event = MutexAcquire { code: 0, kind, wait_id, hint: 0, implementation: 0 };
            room.put(code, event);
        }
    });
}

/// The wait is over. The runtime no longer says for what it was.
#[inline]
fn have(here: &Here, kind: u64) {
    acquired(kind | KIND_INFERRED, here.wait_id.get());
}

#[inline]
fn acquired(kind: u64, wait_id: u64) {
    let event = MutexAcquired { code: 0, kind, wait_id };
    record(code::<{ MutexAcquired::NUMBER }>(Scope::None), event);
}

/// An ordered region's id: the runtime gives one to those that wait only, so the region's serves.
#[inline]
fn ordered(here: &Here) -> u64 {
    here.team().region.0
}

#[inline]
fn masked(scope: Scope, task: u64) {
    record(code::<{ Masked::NUMBER }>(scope), Masked { code: 0, kind: 0, task });
}

#[inline]
fn single(scope: Scope, task: u64) {
    record(code::<{ Work::NUMBER }>(scope), Work { code: 0, kind: SINGLE, task, count: 1 });
}
