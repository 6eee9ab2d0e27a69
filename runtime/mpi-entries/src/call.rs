//! One call: whether it is reported, and what is reported before and after it.

use crate::function::{Function, NONE, Special};
use crate::thread::Thread;
use crate::{abi, communicators, messages, requests, tool};
use ompttrace_mpi_interface::Interface;

/// The answer of a function that the real library does not have: an error code in each of them (MPI_ERR_OTHER or near).
pub(crate) const NO_SUCH_FUNCTION: usize = 15;

/// A buffer for a status that the program does not want to have: the largest is 32 bytes.
#[derive(Default)]
pub(crate) struct Status(pub(crate) [u64; 4]);

/// A call that is reported.
pub(crate) struct Open {
    thread: &'static Thread,
    function: &'static Function,
    tool: &'static Interface,
}

/// Reports that a call begins. `None`: it is not reported, as it is inside another, or nothing is recorded.
#[inline(always)]
pub(crate) fn begin<const N: usize>(
    thread: &'static Thread,
    function: &'static Function,
    words: &mut [usize; N],
    status: &mut Status,
) -> Option<Open> {
    let frame = (&raw const *words).addr();
    if thread.is_inside(frame) {
        return None;
    }
    let tool = tool::wanted(thread, frame)?;
    thread.set_outermost(frame);
    reports_begin(thread, function, tool, words, status);
    Some(Open { thread, function, tool })
}

#[inline(never)]
fn reports_begin(
    thread: &'static Thread,
    function: &'static Function,
    tool: &'static Interface,
    words: &mut [usize],
    status: &mut Status,
) {
    if !thread.is_known.replace(true) {
        (tool.thread)();
    }
    let caller = thread.caller.get() as u64;
    match function.special {
        Special::Message => messages::begin(tool, function, words, status),
        Special::Collective => messages::collective(tool, function, words),
        Special::Requests(waits) => requests::begin(thread, tool, waits, words, status),
        Special::Nothing | Special::Init | Special::Makes | Special::Control => {}
    }
    let communicator = word(words, function.roles.communicator).map_or(0, abi::handle);
    (tool.enter)(caller, function.number, communicator);
}

impl Open {
    /// Reports that it is over.
    #[inline(always)]
    pub(crate) fn end<const N: usize>(self, words: &[usize; N], result: usize) {
        let Open { thread, function, tool } = self;
        let is_plain = matches!(function.special, Special::Nothing | Special::Collective);
        if !is_plain || function.posts {
            after(tool, function, words, result);
        }
        (tool.leave)(function.number, result as u32);
        thread.set_outermost(0);
        if function.special == Special::Control {
            (tool.control)(word(words, 0).unwrap_or(0) as u32);
        }
    }
}

#[inline(never)]
fn after(tool: &'static Interface, function: &'static Function, words: &[usize], result: usize) {
    if result as u32 != 0 {
        return;
    }
    if function.posts {
        requests::post(tool, function, words);
    }
    match function.special {
        Special::Requests(waits) => requests::end(tool, waits, words),
        Special::Init => communicators::world(tool),
        Special::Makes => communicators::made(tool, function, words),
        Special::Message => messages::end(tool, function, words),
        Special::Nothing | Special::Collective | Special::Control => {}
    }
}

/// The argument at a position; `None`: the function has none of this role.
#[inline(always)]
pub(crate) fn word(words: &[usize], at: u8) -> Option<usize> {
    if at == NONE { None } else { words.get(usize::from(at)).copied() }
}
