//! The state of the calling thread, as its runtime reports it when it is asked: for samples, in signal handlers.
//!
//! `ompt_get_state` is async-signal-safe (OpenMP 5.0, section 4.6.1.4). Of several runtimes in one process the last
//! one is asked: the threads of others are unknown to it.

use crate::inquiry::Lookup;
use core::mem::transmute;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};
use ompt_sys::{ompt_get_state_t, ompt_wait_id_t};

static GET_STATE: AtomicPtr<()> = AtomicPtr::new(null_mut());

/// Remembers the entry point of a runtime that initialises us.
pub(crate) fn remember(lookup: Lookup) {
    // SAFETY: the type is that of the entry point.
    let found = unsafe { lookup.find::<ompt_get_state_t>(c"ompt_get_state").flatten() };
    if let Some(get_state) = found {
        GET_STATE.store(get_state as *mut (), Ordering::Release);
        ompttrace_recorder::set_thread_state(ask);
    }
}

/// Forgets the entry point when a runtime finalises this tool: its code may be unmapped next.
pub(crate) fn forget() {
    ompttrace_recorder::forget_thread_state(ask);
    GET_STATE.store(null_mut(), Ordering::Release);
}

fn ask() -> (u64, u64) {
    let entry = GET_STATE.load(Ordering::Acquire);
    if entry.is_null() {
        return (0, 0);
    }
    // SAFETY: the only value ever stored is a runtime's `ompt_get_state`, forgotten before the runtime goes.
    let get_state: ompt_get_state_t = unsafe { transmute(entry) };
    let mut wait_id: ompt_wait_id_t = 0;
    // SAFETY: async-signal-safe, and fills one word.
    let state = get_state.map_or(0, |get_state| unsafe { get_state(&raw mut wait_id) });
    (state.max(0) as u64, wait_id)
}
