//! One call: the decision to report it, and the reports at its begin and its end.

use crate::function::{Function, NONE, Special};
use crate::polls::Poll;
use crate::thread::Thread;
use crate::{abi, communicators, messages, requests, session, status, tool};
use ompttrace_mpi_interface::Interface;

/// Result of a function that the real library lacks: an error code in each interface (MPI_ERR_OTHER or near).
pub(crate) const NO_SUCH_FUNCTION: usize = 15;

/// A buffer for a status that the program ignores.
#[derive(Default)]
pub(crate) struct Status([u64; status::WORDS]);

impl Status {
    /// Address of the buffer.
    pub(crate) fn address(&mut self) -> usize {
        self.0.as_mut_ptr().expose_provenance()
    }
}

/// A call that is reported.
pub(crate) struct Open {
    pub(crate) thread: &'static Thread,
    pub(crate) function: &'static Function,
    pub(crate) tool: &'static Interface,
    /// Return address of the call; calls inside of it overwrite the thread's.
    pub(crate) caller: u64,
}

/// A call that has begun and is reported.
pub(crate) enum Begun {
    Call(Open),
    Poll(Poll),
}

/// The calling thread's call, if it is to be reported: it is not inside another call, and recording is not paused.
#[inline(always)]
pub(crate) fn open(
    thread: &'static Thread,
    function: &'static Function,
    words: &[usize],
) -> Option<Open> {
    let frame = words.as_ptr().addr();
    if thread.is_inside(frame) {
        return None;
    }
    let tool = tool::wanted(thread, frame)?;
    thread.set_outermost(frame);
    if !thread.is_known.get() {
        begins(thread, tool);
    }
    Some(Open { thread, function, tool, caller: thread.caller.get() as u64 })
}

/// Reports the thread at its first call.
#[cold]
#[inline(never)]
fn begins(thread: &Thread, tool: &Interface) {
    let caller = thread.caller.get();
    thread.is_known.set(true);
    (tool.thread)();
    thread.caller.set(caller);
}

/// Reports that a call begins; `None` if it is not reported.
#[inline(always)]
pub(crate) fn begin<const N: usize>(
    thread: &'static Thread,
    function: &'static Function,
    words: &mut [usize; N],
    status: &mut Status,
) -> Option<Open> {
    let open = open(thread, function, words)?;
    enter(&open, words, status);
    Some(open)
}

#[inline(never)]
fn enter(open: &Open, words: &mut [usize], status: &mut Status) {
    let Open { function, tool, caller, .. } = *open;
    let communicator = || word(words, function.roles.communicator).map_or(0, abi::handle);
    match function.special {
        Special::Message if tool::wants_messages() => {
            messages::enter(open, communicator(), words, status);
        }
        Special::Collective if tool::wants_messages() => {
            messages::enter_collective(open, communicator(), words);
        }
        Special::Waits(waits) if tool::wants_messages() => {
            requests::enter(open, waits, words, status);
        }
        Special::Changes if tool::wants_messages() => requests::enter_one(open, words),
        Special::Access if tool::wants_messages() => messages::enter_access(open, words),
        Special::StartsAll if tool::wants_messages() => requests::enter_all(open, words),
        Special::Finalize => {
            (tool.enter)(caller, function.number, communicator());
            session::ends();
        }
        _ => (tool.enter)(caller, function.number, communicator()),
    }
}

/// Reports that a call has ended.
#[inline(always)]
pub(crate) fn end<const N: usize>(open: Open, words: &[usize; N], result: usize) {
    leave(&open, words, result as u32);
    open.thread.set_outermost(0);
    if open.function.special == Special::Control {
        command(open.tool, words);
    }
}

/// A call begins that is not reported, perhaps because the recording is paused: see [`Special::is_heeded`].
pub(crate) fn before(thread: &Thread, special: Special, words: &[usize]) {
    if special == Special::Finalize && !thread.is_inside(words.as_ptr().addr()) {
        session::ends();
    }
}

/// It is over. MPI_Pcontrol may be the command that goes on.
pub(crate) fn after(thread: &Thread, special: Special, words: &[usize], result: u32) {
    if thread.is_inside(words.as_ptr().addr()) {
        return;
    }
    match special {
        Special::Control => tool::known().into_iter().for_each(|tool| command(tool, words)),
        Special::Init if result == 0 => session::begins(),
        _ => {}
    }
}

fn command(tool: &Interface, words: &[usize]) {
    (tool.control)(word(words, 0).unwrap_or(0) as u32);
}

#[inline(never)]
fn leave(open: &Open, words: &[usize], result: u32) {
    let Open { function, tool, .. } = *open;
    let has_more = result == 0 && tool::wants_messages();
    let is_reported = has_more
        && match function.special {
            Special::Waits(waits) => requests::leave(open, waits, words),
            Special::Makes if function.posts => {
                communicators::made(open, words);
                requests::leave_posted(open, words)
            }
            Special::Message | Special::Collective | Special::Access | Special::Nothing
                if function.posts =>
            {
                requests::leave_posted(open, words)
            }
            Special::Message => messages::leave(open, words),
            _ => false,
        };
    if is_reported {
        return;
    }
    match function.special {
        Special::Init if result == 0 => session::begins(),
        Special::Makes if result == 0 => communicators::made(open, words),
        Special::Names if result == 0 => communicators::named(open, words),
        _ => {}
    }
    (tool.leave)(function.number, result);
}

/// The argument at a position; `None` if the function has no argument of that role.
#[inline(always)]
pub(crate) fn word(words: &[usize], at: u8) -> Option<usize> {
    if at == NONE { None } else { words.get(usize::from(at)).copied() }
}
