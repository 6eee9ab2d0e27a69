//! The rendezvous: a runtime is found, started, asked for every event, paused and resumed with the
//! recording, and let go when somebody else records it.

use crate::events::on_event;
use crate::{ask, describe, teams, thread, unmatched};
use collector_sys::{Api, ErrorCode, Event, Request};
use core::ffi::c_void;
use core::sync::atomic::{AtomicU8, Ordering};
use ompttrace_life::{Origin, say};
use ompttrace_recorder::{Locked, State};
use ompttrace_recording::facts::Runtime;
use std::time::Duration;

/// No runtime was found so far.
const FREE: u8 = 0;
/// A runtime was refused, or is recorded by another source; a second one is not looked for.
const TAKEN: u8 = 1;
/// A runtime is recorded.
const ATTACHED: u8 = 2;
/// A runtime is being attached to.
const UNDER_WAY: u8 = 3;

/// Maximum number of checks, with a [`NAP`] between them, while another thread attaches to a runtime. The wait is
/// limited because the caller may hold the dynamic linker's lock, which a runtime might need.
const PATIENCE: u32 = 4000;
const NAP: Duration = Duration::from_micros(50);

static STATE: AtomicU8 = AtomicU8::new(FREE);
static LIBRARY: Locked<String> = Locked::new(String::new());

/// True once a runtime was found, also if it is not recorded.
pub(crate) fn is_taken() -> bool {
    STATE.load(Ordering::Acquire) != FREE
}

/// Waits until a runtime that another thread is attaching to is recorded, so that no later event is lost.
pub(crate) fn wait_until_attached() {
    for _ in 0..PATIENCE {
        if STATE.load(Ordering::Acquire) != UNDER_WAY {
            return;
        }
        std::thread::sleep(NAP);
    }
}

/// Begins to record the runtime whose function `api` is and whose file is `library`; once.
pub(crate) fn attach(api: Api, library: String) {
    if STATE.compare_exchange(FREE, UNDER_WAY, Ordering::AcqRel, Ordering::Acquire).is_err() {
        return;
    }
    let is_attached = begin(api, library);
    STATE.store(if is_attached { ATTACHED } else { TAKEN }, Ordering::Release);
    if is_attached {
        follow();
    }
}

/// Starts a session with the runtime and begins the recording; returns true if the runtime is recorded from now on.
fn begin(api: Api, library: String) -> bool {
    if ompttrace_life::records(&library) {
        // It speaks another interface too, which reports more.
        return false;
    }
    ask::set_api(api);
    match ask::simple(Request::Start) {
        Some(ErrorCode::Ok) => {}
        answer => {
            refused(&library, answer);
            return false;
        }
    }
    LIBRARY.with(|slot| *slot = library.clone());
    // Events may come as soon as one is registered: the recording is ready by then.
    let begun = ompttrace_life::begin(|selection| {
        if selection.stack_depth > 0 {
            ompttrace_stacks::set_depth(selection.stack_depth);
            ompttrace_stacks::set_runtime(api as usize as u64);
        }
        describe::runtime(library, selection, |row| register(row.event))
    });
    if begun.is_none() {
        ask::simple(Request::Stop);
    }
    begun.is_some()
}

/// Goes with the recording from now on.
fn follow() {
    ompttrace_recorder::set_thread_state(ask::state);
    // SAFETY: the handler is a function of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    if ompttrace_recorder::state() == State::Paused {
        ask::simple(Request::Pause);
    }
    ompttrace_life::on_command(command);
    ompttrace_life::on_runtime(another);
    ompttrace_life::at_last(at_last);
}

fn register(event: Event) -> Option<ErrorCode> {
    let answer = ask::register(event, on_event);
    if event == Event::BeginIdle && answer == Some(ErrorCode::Ok) {
        teams::idleness_is_reported();
    }
    answer
}

/// A forked child begins a recording of its own: the remaining thread has no events in it, and what is open or was
/// counted is its parent's.
unsafe extern "C" fn in_child() {
    thread::end();
    thread::missed();
    teams::forget();
    unmatched::forget();
}

fn refused(library: &str, answer: Option<ErrorCode>) {
    let answer = answer.map_or("nothing", ErrorCode::name);
    say(&format!(
        "{library} answers '{answer}' to the start of the Collector API; it is not traced"
    ));
}

/// The program's commands go on to the runtime, which then does not even call.
fn command(state: State, origin: Origin) {
    // A runtime that is paused sends no event, by which the command that ends the pause could be noticed.
    if (origin, state) == (Origin::Outside, State::Paused) {
        return;
    }
    if STATE.load(Ordering::Acquire) != ATTACHED {
        return;
    }
    match state {
        State::Recording => {
            thread::missed();
            ask::simple(Request::Resume);
        }
        State::Paused => {
            ask::simple(Request::Pause);
        }
        State::Ended => {
            ask::simple(Request::Stop);
        }
        _ => {}
    }
}

/// Another source records a runtime. If it is ours, we let go: it reports more.
fn another(runtime: &Runtime) {
    let ours = LIBRARY.with(|library| *library == runtime.library).unwrap_or(false);
    if ours && STATE.compare_exchange(ATTACHED, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    {
        ompttrace_recorder::forget_thread_state(ask::state);
        ask::simple(Request::Stop);
        report_unmatched();
        ompttrace_life::note(describe::INTERFACE, "left to the other interface of this runtime");
        ompttrace_life::finalized();
    }
}

/// The process ends. Where a region is open its threads may continue: then nobody can say that all is
/// recorded.
fn at_last() {
    if STATE.load(Ordering::Acquire) != ATTACHED {
        return;
    }
    report_unmatched();
    if !teams::any_open() {
        ompttrace_life::finalized();
    }
}

fn report_unmatched() {
    unmatched::lines().iter().for_each(|line| ompttrace_life::note(describe::INTERFACE, line));
}

/// The function at a symbol's address.
///
/// # Safety
/// `symbol` is the address that the dynamic linker gave for [`collector_sys::SYMBOL`].
pub(crate) unsafe fn function(symbol: *mut c_void) -> Option<Api> {
    // SAFETY: not null, and by the caller's promise that function.
    (!symbol.is_null()).then(|| unsafe { core::mem::transmute::<*mut c_void, Api>(symbol) })
}
