//! Calls that poll: tests of requests, probes. A call that finds nothing is reported at its end, so that the tool can
//! count it; the requests that it tests are noted at its begin, because their handles may be gone at the end.

use crate::call::{self, Open, given, word};
use crate::function::{Facts, Waits};
use crate::requests::{self, List};
use crate::thread::Thread;
use crate::{abi, tool};
use ompttrace_mpi_interface::Began;

/// A call that polls and is reported.
#[derive(Clone, Copy)]
pub(crate) struct Poll {
    open: Open,
    began: Began,
    /// The handle of one request, or the address of a copy of a list of handles; 0 if none was noted.
    handles: usize,
}

/// A function, and the requests that it tests, if it tests any.
type Kind<'a> = (&'a Facts, Option<Waits>);

/// Notes that a call that polls begins; `None` if it is not reported.
#[inline(always)]
pub(crate) fn begin<const N: usize>(
    thread: &'static Thread,
    (_, tests): Kind<'_>,
    words: &mut [usize; N],
) -> Option<Poll> {
    let open = call::open(thread, words)?;
    let handles = match tests {
        Some(Waits::One) if tool::wants_messages() => {
            requests::take_statuses(words, || Some(thread.status()));
            // SAFETY: the program's request.
            unsafe { abi::handle_at(List::of(Waits::One, words).first) }
        }
        Some(tests) if tool::wants_messages() => note(&open, tests, words),
        _ => 0,
    };
    let began = (open.tool.poll)();
    Some(Poll { open, began, handles })
}

/// Notes a list of requests, and provides memory for statuses if the program ignores them.
#[inline(never)]
fn note(open: &Open, tests: Waits, words: &mut [usize]) -> usize {
    let list = List::of(tests, words);
    let bytes = list.bytes();
    let statuses = list.count.saturating_mul(abi::abi().status_bytes);
    let Some(copy) = open.thread.memory(bytes.saturating_add(statuses)) else { return 0 };
    requests::take_statuses(words, || Some(copy + bytes));
    let [from, to] = [list.first, copy].map(core::ptr::with_exposed_provenance_mut::<u8>);
    // SAFETY: the program's list has so many bytes, and so has the thread's own memory, which is elsewhere.
    unsafe { core::ptr::copy_nonoverlapping(from, to, bytes) };
    copy
}

/// Reports the end of a poll, unless the tool counts it.
#[inline(always)]
pub(crate) fn end<const N: usize>(
    poll: Poll,
    (facts, tests): Kind<'_>,
    words: &[usize; N],
    result: usize,
) {
    let found = word(words, facts.roles.flag);
    let has_failed = result as u32 == 0 && found.is_some_and(|found| requests::int_at(found) == 0);
    if !has_failed || !(poll.open.tool.poll_counted)(poll.began.ticks, facts.number) {
        // A copy, so that the poll itself stays in registers.
        is_recorded(&{ poll }, (facts, tests), words, result as u32, has_failed);
    }
    poll.open.thread.set_outermost(0);
}

/// Reports a poll that is not counted.
#[inline(never)]
fn is_recorded(poll: &Poll, kind: Kind<'_>, words: &[usize], result: u32, has_failed: bool) {
    let Open { tool, caller, .. } = poll.open;
    let (facts, _) = kind;
    match has_failed {
        true => {
            (tool.poll_failed)(poll.began, caller, facts.number, given(facts, words));
        }
        false => has_found(poll, kind, words, result),
    }
}

/// Reports a poll that has found something, or failed with an error.
fn has_found(poll: &Poll, (facts, tests): Kind<'_>, words: &[usize], result: u32) {
    let Open { tool, caller, .. } = poll.open;
    let tests = tests.filter(|_| tool::wants_messages());
    let mut began = poll.began;
    let report = |handle: u64, index: u32| began = (tool.poll_request)(began, handle, index);
    match tests {
        Some(Waits::One) => requests::each_open(core::iter::once(poll.handles), report),
        Some(tests) if poll.handles != 0 => {
            List { first: poll.handles, ..List::of(tests, words) }.each_open(report);
        }
        _ => {}
    }
    (tool.poll_enter)(began, caller, facts.number, given(facts, words));
    let is_reported =
        tests.is_some_and(|tests| result == 0 && requests::leave(&poll.open, tests, words));
    if !is_reported {
        (tool.leave)(facts.number, result);
    }
}
