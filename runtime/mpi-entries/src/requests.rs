//! Requests: calls that create them, and calls that wait for them. There is no table of requests here: handles are not
//! unique, and readers of the records match the creation of each with its completion.

use crate::abi::Handle;
use crate::call::{Open, word};
use crate::function::{Facts, Waits};
use crate::{abi, status};
use core::ffi::c_int;
use ompttrace_mpi_interface::Interface;
use ompttrace_recording::mpi;

/// Reports the request that a call has created, whose handle is stored at the address in its argument. Returns true if
/// it did.
#[inline(always)]
pub(crate) fn leave_posted(open: &Open, facts: &Facts, words: &[usize]) -> bool {
    let Some(address) = word(words, facts.roles.request) else { return false };
    // SAFETY: the function has stored a handle there, as it has succeeded.
    let request = unsafe { abi::handle_at(address) };
    let kind = if facts.is_persistent { mpi::PERSISTENT } else { 0 };
    (open.tool.leave_posted)(abi::handle(request), kind as u32);
    true
}

/// Reports the begin of a call that waits for one request. If the program ignores its status, the library gets memory of ours for it.
#[inline(always)]
pub(crate) fn enter_wait(open: &Open, facts: &Facts, words: &mut [usize]) {
    take_statuses(words, || Some(open.thread.status()));
    enter_one(open, facts.number, words);
}

/// As [`enter_wait`], of a call that waits for requests of a list.
#[inline(never)]
pub(crate) fn enter(open: &Open, number: u32, waits: Waits, words: &mut [usize]) {
    let list = List::of(waits, words);
    take_statuses(words, || match waits {
        Waits::One | Waits::Any => Some(open.thread.status()),
        Waits::All | Waits::Some => {
            open.thread.memory(list.count.saturating_mul(abi::abi().status_bytes))
        }
    });
    enter_all(open, number, words);
}

/// A call begins that is given a list of requests.
#[inline(never)]
pub(crate) fn enter_all(open: &Open, number: u32, words: &[usize]) {
    let Open { tool, caller, .. } = *open;
    List::of(Waits::All, words).each_open(|request, index| (tool.request)(request, index));
    (tool.enter)(caller, number, 0);
}

/// Reports the begin of a call whose first argument is one request.
#[inline(always)]
pub(crate) fn enter_one(open: &Open, number: u32, words: &[usize]) {
    let Open { tool, caller, .. } = *open;
    // SAFETY: the program's request.
    let request = unsafe { abi::handle_at(List::of(Waits::One, words).first) };
    if is_open(request) {
        (tool.enter_wait)(caller, number, abi::handle(request));
    } else {
        (tool.enter)(caller, number, 0);
    }
}

/// Makes the library store statuses in memory of ours, if there is any, when the program ignores them.
#[inline(always)]
pub(crate) fn take_statuses(words: &mut [usize], place_of_ours: impl FnOnce() -> Option<usize>) {
    if let Some(place) = words.last_mut()
        && *place == abi::abi().status_ignore
    {
        *place = place_of_ours().unwrap_or(*place);
    }
}

/// Reports that the request for which a call has waited is complete, and the end of the call. Returns false if there is no status.
#[inline(always)]
pub(crate) fn leave_wait(open: &Open, words: &[usize]) -> bool {
    match words.last().copied().filter(|at| *at != abi::abi().status_ignore) {
        Some(status) => is_done(open.tool, 0, status),
        None => false,
    }
}

/// Reports the requests that are complete, with their statuses, at the end of a call that waited or has found
/// something. Returns true if that included the end of the call itself.
#[inline(never)]
pub(crate) fn leave(open: &Open, waits: Waits, words: &[usize]) -> bool {
    let tool = open.tool;
    let count = List::of(waits, words).count;
    let Some(statuses) = words.last().copied().filter(|at| *at != abi::abi().status_ignore) else {
        return false;
    };
    match waits {
        Waits::One => return is_done(tool, 0, statuses),
        Waits::Any => {
            let index = word(words, 2).map_or(-1, int_at);
            // There may have been no request that is active.
            if usize::try_from(index).is_ok_and(|index| index < count) {
                return is_done(tool, index as u32, statuses);
            }
        }
        Waits::All => {
            (0..count).for_each(|index| done(tool, index as u32, status_at(statuses, index)));
        }
        // Count, requests, how many are complete, their indices, statuses.
        Waits::Some => {
            let complete = word(words, 2).map_or(-1, int_at);
            let indices = word(words, 3).unwrap_or(0);
            for at in 0..usize::try_from(complete).unwrap_or(0).min(count) {
                let index = int_at(indices + at * size_of::<c_int>());
                done(tool, index as u32, status_at(statuses, at));
            }
        }
    }
    false
}

/// The requests of a call.
#[derive(Clone, Copy)]
pub(crate) struct List {
    /// The address of the first request's handle.
    pub(crate) first: usize,
    pub(crate) count: usize,
}

impl List {
    #[inline(always)]
    pub(crate) fn of(waits: Waits, words: &[usize]) -> List {
        match (waits, words) {
            (Waits::One, [request, ..]) => List { first: *request, count: 1 },
            (_, [count, requests, ..]) => {
                List { first: *requests, count: usize::try_from(*count as i32).unwrap_or(0) }
            }
            _ => List { first: 0, count: 0 },
        }
    }

    /// Size of the handles in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.count.saturating_mul(abi::handle_bytes())
    }

    /// Calls `report` with the handle and the index of each request that is not null.
    pub(crate) fn each_open(&self, report: impl FnMut(u64, u32)) {
        let at = |index: usize| self.first + index * abi::handle_bytes();
        // SAFETY: the program's list has so many handles.
        let handles = (0..self.count).map(|index| unsafe { abi::handle_at(at(index)) });
        each_open(handles, report);
    }
}

/// Calls `report` with each of these handles that is not null, and its index.
pub(crate) fn each_open(handles: impl Iterator<Item = usize>, mut report: impl FnMut(u64, u32)) {
    for (index, request) in handles.enumerate().filter(|(_, request)| is_open(*request)) {
        report(abi::handle(request), index as u32);
    }
}

#[inline(always)]
fn is_open(request: usize) -> bool {
    abi::handle(request) != abi::handle(abi::own(Handle::NoRequest))
}

fn status_at(statuses: usize, index: usize) -> usize {
    statuses + index * abi::abi().status_bytes
}

/// The int at an address.
pub(crate) fn int_at(address: usize) -> c_int {
    // SAFETY: the address of an int or a list of them, as the function has it, which has succeeded.
    unsafe { *core::ptr::with_exposed_provenance::<c_int>(address) }
}

fn done(tool: &Interface, index: u32, status: usize) {
    let message = status::read(status);
    (tool.done)(index, message.flags, message.at(), message.bytes);
}

#[inline(always)]
fn is_done(tool: &Interface, index: u32, status: usize) -> bool {
    let message = status::read(status);
    (tool.leave_done)(index, message.flags, message.at(), message.bytes);
    true
}
