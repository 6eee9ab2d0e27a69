//! One call of an entry point; none where it is only passed on.

use crate::entries::loops;
use crate::start::{self, Side};
use crate::thread;
pub(crate) use ompttrace_in_front::call::Call;

/// The call that the calling thread is in.
#[inline(always)]
fn current() -> Call {
    let thread = thread::current();
    Call { code: thread.caller.get(), thread, library: 0, is_jump: false }
}

/// A call of ORT.
#[inline(always)]
pub(crate) fn begin() -> Option<Call> {
    start::is_recorded_at(Side::Ort).then(current)
}

/// The same after which a loop that has only been entered is recorded as one of unknown schedule.
#[inline(always)]
pub(crate) fn settled() -> Option<Call> {
    let call = begin()?;
    loops::settle(&call);
    Some(call)
}

/// A call between ORT and the execution entity library; none where calls of ORT are recorded, from which this one
/// follows.
#[inline(always)]
pub(crate) fn of_library() -> Option<Call> {
    start::is_recorded_at(Side::Library).then(current)
}

/// The first of these, from which on they are recorded.
pub(crate) fn first_of_library() -> Option<Call> {
    start::begin(Side::Library);
    None
}
