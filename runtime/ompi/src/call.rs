//! One call of an entry point; `None` for a call that is passed on unrecorded.

use crate::entries::loops;
use crate::start::{self, Side};
use crate::thread;
pub(crate) use ompttrace_in_front::call::Call;

/// The call that the calling thread has made.
#[inline(always)]
fn current() -> Call {
    let thread = thread::current();
    Call { code: thread.caller.get(), thread, library: 0, is_jump: false }
}

/// A call of ORT; `None` if calls of ORT are not recorded.
#[inline(always)]
pub(crate) fn begin() -> Option<Call> {
    start::is_recorded_at(Side::Ort).then(current)
}

/// A call of ORT before which a loop that has only been entered is recorded as one of unknown schedule.
#[inline(always)]
pub(crate) fn settled() -> Option<Call> {
    let call = begin()?;
    loops::settle(&call);
    Some(call)
}

/// A call between ORT and the execution entity library; `None` if calls of ORT are recorded, since this one follows
/// from them.
#[inline(always)]
pub(crate) fn of_library() -> Option<Call> {
    start::is_recorded_at(Side::Library).then(current)
}

/// Begins to record calls between ORT and the library, at the first of them, which itself is not recorded.
pub(crate) fn first_of_library() -> Option<Call> {
    start::begin(Side::Library);
    None
}
