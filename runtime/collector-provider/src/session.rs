//! A collector's session: its state, the registered callbacks, and their delivery.

use collector_sys::entry::Layout;
use collector_sys::{Callback, Event};
use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8};

/// No session was started.
const STOPPED: u8 = 0;
/// A session was started, and events are paused.
const PAUSED: u8 = 1;
/// A session was started, and events are delivered.
const RUNNING: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(STOPPED);
static CALLBACKS: [AtomicPtr<()>; Event::ALL.len() + 1] =
    [const { AtomicPtr::new(ptr::null_mut()) }; Event::ALL.len() + 1];
/// True if the collector lays out parameters as a C struct does ([`Layout::Padded`]).
static PADDED: AtomicBool = AtomicBool::new(false);

/// Begins a session; returns `false` if there is one already.
pub(crate) fn start() -> bool {
    STATE.compare_exchange(STOPPED, RUNNING, AcqRel, Relaxed).is_ok()
}

/// True from the start of a session to its stop, also while it is paused.
pub(crate) fn is_started() -> bool {
    STATE.load(Acquire) != STOPPED
}

/// Ends the session; all callbacks are forgotten.
pub(crate) fn stop() {
    STATE.store(STOPPED, Release);
    CALLBACKS.iter().for_each(|callback| callback.store(ptr::null_mut(), Release));
    PADDED.store(false, Relaxed);
}

/// Pauses the session: no event is delivered until [`resume`].
pub(crate) fn pause() {
    let _ = STATE.compare_exchange(RUNNING, PAUSED, AcqRel, Relaxed);
}

/// Resumes a paused session: events are delivered again.
pub(crate) fn resume() {
    let _ = STATE.compare_exchange(PAUSED, RUNNING, AcqRel, Relaxed);
}

/// The layout in which the collector passes parameters; [`Layout::Packed`] until another one was set.
pub(crate) fn layout() -> Layout {
    if PADDED.load(Relaxed) { Layout::Padded } else { Layout::Packed }
}

/// Sets the layout that the collector was seen to use.
pub(crate) fn set_layout(layout: Layout) {
    PADDED.store(layout == Layout::Padded, Relaxed);
}

/// Has `callback` called at an event, instead of any earlier callback.
pub(crate) fn set_callback(event: Event, callback: Option<Callback>) {
    if let Some(slot) = CALLBACKS.get(event as usize) {
        slot.store(callback.map_or(ptr::null_mut(), |callback| callback as *mut ()), Release);
    }
}

/// Delivers an event to the collector, if it has registered it.
#[inline]
pub(crate) fn deliver(event: Event) {
    if STATE.load(Relaxed) != RUNNING {
        return;
    }
    let slot = CALLBACKS.get(event as usize);
    let callback = slot.map_or(ptr::null_mut(), |slot| slot.load(Acquire));
    if !callback.is_null() {
        // SAFETY: the only values ever stored are null and a `Callback`, by `set_callback`.
        let callback: Callback = unsafe { core::mem::transmute::<*mut (), Callback>(callback) };
        // SAFETY: the collector's own function, with what the paper says that it gets.
        unsafe { callback(event as c_int) };
    }
}
