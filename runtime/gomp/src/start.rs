//! The start of recording libgomp.

use crate::describe::{self, FoundLibgomp};
use crate::inquiry::{ancestor_thread_num, level};
use core::sync::atomic::{AtomicBool, Ordering};
use ompttrace_in_front::ongoing;
use ompttrace_in_front::{threads, wanted};
use ompttrace_recorder::caught;

/// True once our constructor has run; calls that come before are passed on unreported.
static IS_READY: AtomicBool = AtomicBool::new(false);

extern "C" fn constructor() {
    IS_READY.store(true, Ordering::Release);
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// Begins to record a libgomp; returns true if its events are recorded. `code_left` forgets call sites in code that is
/// unmapped.
pub(crate) fn begin(found: &FoundLibgomp, code_left: fn(u64, u64)) -> bool {
    if !IS_READY.load(Ordering::Acquire) {
        return false;
    }
    let begin = || ompttrace_life::begin(|selection| describe::runtime(found, selection));
    let Some(selection) = caught(begin).flatten() else { return false };
    wanted::begin(&selection, found.address);
    if threads::runtime_begins() {
        ompttrace_life::on_code_left(code_left);
        ompttrace_recorder::add_source(ask_what_goes_on);
    }
    true
}

fn ask_what_goes_on() -> bool {
    ongoing::ask(ongoing::Inquiry { level, ancestor_thread_num })
}
