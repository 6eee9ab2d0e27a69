//! Requests: what makes one, and what waits for them. There is no table of them here: handles are not unique, and a reader
//! of the records matches what was made with what is complete.

use crate::call::{Status, word};
use crate::function::{Function, Waits};
use crate::thread::Thread;
use crate::{abi, messages, tool};
use core::ffi::c_int;
use ompttrace_mpi_interface::Interface;

/// A call has made a request, whose handle is where its argument says.
pub(crate) fn post(tool: &Interface, function: &Function, words: &[usize]) {
    let address = word(words, function.roles.request).filter(|_| tool::wants_messages());
    if let Some(address) = address {
        // SAFETY: the function has stored a handle there, as it has succeeded.
        let request = unsafe { abi::handle_at(address) };
        (tool.post)(abi::handle(request), u32::from(function.is_persistent));
    }
}

/// A call that waits begins: which requests it is given. Where the program does not want to have statuses, the library gets a
/// place of ours for them.
pub(crate) fn begin(
    thread: &Thread,
    tool: &Interface,
    waits: Waits,
    words: &mut [usize],
    status: &mut Status,
) {
    if !tool::wants_messages() {
        return;
    }
    let (first, count) = list(waits, words);
    let bytes = count.saturating_mul(abi::abi().status_bytes);
    let at = words.len().saturating_sub(1);
    if let Some(place) = words.get_mut(at)
        && *place == abi::abi().status_ignore
    {
        let own = match waits {
            Waits::One | Waits::Any => Some(status.0.as_mut_ptr().expose_provenance()),
            Waits::All | Waits::Some => thread.statuses(bytes),
        };
        *place = own.unwrap_or(*place);
    }
    for index in 0..count {
        // SAFETY: the program's list has so many handles.
        let request = unsafe { abi::handle_at(first + index * abi::handle_bytes()) };
        if abi::handle(request) != abi::handle(abi::no_request()) {
            (tool.request)(abi::handle(request), index as u32);
        }
    }
}

/// It is over: which requests are complete, with their statuses.
pub(crate) fn end(tool: &Interface, waits: Waits, words: &[usize]) {
    if !tool::wants_messages() {
        return;
    }
    let is_set = |at: u8| word(words, at).is_none_or(|flag| int_at(flag) != 0);
    let (_, count) = list(waits, words);
    let Some(statuses) = words.last().copied().filter(|at| *at != abi::abi().status_ignore) else {
        return;
    };
    match (waits, words.len()) {
        // Request, status; with a flag between them: a test.
        (Waits::One, 2) => done(tool, 0, statuses),
        (Waits::One, _) if is_set(1) => done(tool, 0, statuses),
        // Count, requests, index, status; with a flag before the status: a test.
        (Waits::Any, length) if length == 4 || is_set(3) => {
            let index = word(words, 2).map_or(-1, int_at);
            // There may have been no request that is active.
            if usize::try_from(index).is_ok_and(|index| index < count) {
                done(tool, index as u32, statuses);
            }
        }
        // Count, requests, statuses; with a flag before them: a test.
        (Waits::All, length) if length == 3 || is_set(2) => {
            (0..count).for_each(|index| done(tool, index as u32, status_at(statuses, index)));
        }
        // Count, requests, how many are complete, their indices, statuses.
        (Waits::Some, _) => {
            let complete = word(words, 2).map_or(-1, int_at);
            let indices = word(words, 3).unwrap_or(0);
            for at in 0..usize::try_from(complete).unwrap_or(0).min(count) {
                let index = int_at(indices + at * size_of::<c_int>());
                done(tool, index as u32, status_at(statuses, at));
            }
        }
        _ => {}
    }
}

/// Where the requests of a call are, and how many.
fn list(waits: Waits, words: &[usize]) -> (usize, usize) {
    match (waits, words) {
        (Waits::One, [request, ..]) => (*request, 1),
        (_, [count, requests, ..]) => (*requests, usize::try_from(*count as i32).unwrap_or(0)),
        _ => (0, 0),
    }
}

fn status_at(statuses: usize, index: usize) -> usize {
    statuses + index * abi::abi().status_bytes
}

fn int_at(address: usize) -> c_int {
    // SAFETY: the address of an int or a list of them, as the function has it, which has succeeded.
    unsafe { *core::ptr::with_exposed_provenance::<c_int>(address) }
}

fn done(tool: &Interface, index: u32, status: usize) {
    let (source, tag, bytes) = messages::read(status);
    (tool.done)(index, source, tag, bytes);
}
