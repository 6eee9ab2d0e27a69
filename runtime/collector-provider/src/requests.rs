//! `__omp_collector_api`: a list of requests, answered one after the other.

use crate::thread::{Role, Thread, is_over};
use crate::{session, start, tls};
use collector_sys::entry::{Entry, FoundEntry, Layout};
use collector_sys::{Callback, ErrorCode, Event, Request, State};
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;

/// A symbol by which a tool that is a collector itself recognises that the interface belongs to a runtime with OMPT.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the symbol's name")]
pub static ompttrace_collector_provider: u8 = 1;

/// Answers a list of requests: 0, or -1 if an entry's size or alignment is wrong; what comes after it
/// is then ignored.
///
/// # Safety
/// `list` is null or a list of entries as the paper has them, which nobody else touches meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __omp_collector_api(list: *mut c_void) -> c_int {
    let mut at = list;
    loop {
        // SAFETY: the caller's list: after each entry is the next one, or a size of 0.
        match unsafe { Entry::look(at) } {
            FoundEntry::End => return 0,
            FoundEntry::Bad => return -1,
            FoundEntry::Entry(entry) => {
                let (code, bytes) = answer(entry);
                entry.answer(code, bytes);
                at = entry.next();
            }
        }
    }
}

/// The code and the size of an answer.
type Answer = (ErrorCode, usize);

const DONE: Answer = (ErrorCode::Ok, 0);

fn answer(entry: Entry) -> Answer {
    let Some(request) = Request::from_number(entry.request()) else {
        return (ErrorCode::Unknown, 0);
    };
    if request == Request::Start {
        return if session::start() { DONE } else { (ErrorCode::Sequence, 0) };
    }
    if !session::is_started() {
        return (ErrorCode::Sequence, 0);
    }
    match request {
        Request::Start | Request::Stop => session::stop(),
        Request::Pause => session::pause(),
        Request::Resume => session::resume(),
        Request::Register => return (register(entry), 0),
        Request::Unregister => return (unregister(entry), 0),
        Request::State => return give_state(entry),
        Request::CurrentPrid => return give_region(entry, current_region()),
        Request::ParentPrid => {
            return match parent_region() {
                Some(region) => give_region(entry, region),
                None => (ErrorCode::Thread, 0),
            };
        }
    }
    DONE
}

fn event(entry: Entry) -> Result<Event, ErrorCode> {
    let number = entry.int(0).ok_or(ErrorCode::Error)?;
    let event = Event::from_number(number).ok_or(ErrorCode::Unknown)?;
    if start::can_report(event) { Ok(event) } else { Err(ErrorCode::Unsupported) }
}

fn register(entry: Entry) -> ErrorCode {
    if entry.room() < Layout::Packed.pair() {
        return ErrorCode::Error;
    }
    let event = match event(entry) {
        Ok(event) => event,
        Err(code) => return code,
    };
    let found = [Layout::Packed, Layout::Padded].into_iter().find_map(|layout| {
        let address = entry.word(layout.second())?;
        is_address(address).then_some((layout, address))
    });
    let Some((layout, address)) = found else { return ErrorCode::Error };
    session::set_layout(layout);
    // SAFETY: the collector says that this is its callback's address, and it can be one.
    let callback = unsafe { core::mem::transmute::<usize, Callback>(address as usize) };
    session::set_callback(event, Some(callback));
    ErrorCode::Ok
}

/// True if a number can be a function's address. A number read from the wrong offset of an entry cannot: it has the
/// halves of an address swapped, or half of an address and half of another value.
fn is_address(number: u64) -> bool {
    const LOWEST: u64 = 1 << 16;
    const BEHIND_HIGHEST: u64 = 1 << 48;
    (LOWEST..BEHIND_HIGHEST).contains(&number)
}

fn unregister(entry: Entry) -> ErrorCode {
    match event(entry) {
        Ok(event) => {
            session::set_callback(event, None);
            ErrorCode::Ok
        }
        Err(code) => code,
    }
}

fn give_region(entry: Entry, region: u64) -> Answer {
    if entry.room() < 8 {
        return (ErrorCode::MemTooSmall, 8);
    }
    entry.set_word(0, region);
    (ErrorCode::Ok, 8)
}

fn give_state(entry: Entry) -> Answer {
    let (state, wait_id) = state(tls::thread());
    let layout = session::layout();
    let bytes = if state.has_wait_id() { layout.pair() } else { 4 };
    if entry.room() < bytes {
        return (ErrorCode::MemTooSmall, bytes);
    }
    entry.set_int(0, state as i32);
    if state.has_wait_id() {
        entry.set_word(layout.second(), wait_id);
    }
    (ErrorCode::Ok, bytes)
}

/// State of a thread, and the id of the barrier or mutex that it waits for. Regions, barriers and mutexes follow
/// OMPT's events; only the runtime knows whether the thread works while it is in them.
fn state(thread: &Thread) -> (State, u64) {
    let level = thread.level();
    if let Some(state) = State::from_number(level.waiting.load(Relaxed) as i32) {
        return (state, level.wait_id.load(Relaxed));
    }
    if thread.is_outside() || is_idle(thread) {
        let idle = thread.role() == Role::Worker;
        return (if idle { State::Idle } else { State::Serial }, 0);
    }
    match State::from_number(level.doing.load(Relaxed) as i32) {
        Some(State::Ibar | State::Ebar) if !start::is_delivering() && start::runtime_works() => {
            // It runs tasks while it waits.
            (State::Work, 0)
        }
        Some(state) => (state, level.barrier_id()),
        None if start::runtime_is_busy() => (State::Ovhd, 0),
        None => (State::Work, 0),
    }
}

/// True if a worker's region is over although no event reported its end: runtimes report the end of a closing barrier
/// only once they have work again.
fn is_idle(thread: &Thread) -> bool {
    let over = || is_over(thread.level().region.load(Relaxed)) || start::runtime_is_idle();
    thread.role() == Role::Worker && !start::is_delivering() && over()
}

fn current_region() -> u64 {
    let thread = tls::thread();
    if is_idle(thread) { 0 } else { thread.level().region.load(Relaxed) }
}

/// The region around that of the calling thread; `None` if this thread may not ask for it.
fn parent_region() -> Option<u64> {
    let thread = tls::thread();
    let level = thread.level();
    if !thread.is_outside() {
        return (level.is_master.load(Relaxed) != 0).then(|| level.parent.load(Relaxed));
    }
    start::is_initial_thread().then_some(0)
}
