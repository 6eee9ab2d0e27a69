//! One call: the decision to report it, and the reports at its begin and its end.

use crate::function::{Facts, NONE, Special, Waits};
use crate::polls::Poll;
use crate::thread::Thread;
use crate::{abi, communicators, messages, objects, requests, session, tool};
use ompttrace_mpi_interface::Interface;

/// Result of a function that the real library lacks: an error code in each interface (MPI_ERR_OTHER or near).
pub(crate) const NO_SUCH_FUNCTION: usize = 15;

/// A call that is reported.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    pub(crate) thread: &'static Thread,
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
pub(crate) fn open(thread: &'static Thread, words: &[usize]) -> Option<Open> {
    let frame = words.as_ptr().addr();
    if thread.is_inside(frame) {
        return None;
    }
    let tool = tool::wanted(thread, frame)?;
    thread.set_outermost(frame);
    if !thread.is_known.get() {
        begins(thread, tool);
    }
    Some(Open { thread, tool, caller: thread.caller.get() as u64 })
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
    facts: &Facts,
    words: &mut [usize; N],
) -> Option<Open> {
    let open = open(thread, words)?;
    if !tool::wants_messages() {
        enter(&open, facts, words);
        return Some(open);
    }
    match facts.special {
        Special::Message => messages::enter(&open, facts, words),
        Special::Collective => messages::enter_collective(&open, facts, words),
        Special::Waits(Waits::One) => requests::enter_wait(&open, facts, words),
        Special::Waits(waits) => requests::enter(&open, facts.number, waits, words),
        Special::Changes => requests::enter_one(&open, facts.number, words),
        Special::Access => messages::enter_access(&open, facts, words),
        Special::AccessEnd => messages::enter_access_end(&open, facts, words),
        Special::StartsAll => requests::enter_all(&open, facts.number, words),
        _ => enter(&open, facts, words),
    }
    Some(open)
}

/// Reports the begin of a call of which no more is known.
#[inline(always)]
fn enter(open: &Open, facts: &Facts, words: &[usize]) {
    (open.tool.enter)(open.caller, facts.number, given(facts, words));
    if facts.special == Special::Finalize {
        session::ends();
    }
}

/// The handle of the communicator that a call is given, or of the window or file; 0: none.
#[inline(always)]
pub(crate) fn given(facts: &Facts, words: &[usize]) -> u64 {
    match word(words, facts.roles.communicator) {
        Some(communicator) => abi::handle(communicator),
        None => objects::given(facts, words),
    }
}

/// Reports that a call has ended.
#[inline(always)]
pub(crate) fn end<const N: usize>(open: Open, facts: &Facts, words: &[usize; N], result: usize) {
    leave(&open, facts, words, result as u32);
    open.thread.set_outermost(0);
    if facts.special == Special::Control {
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

#[inline(always)]
fn leave(open: &Open, facts: &Facts, words: &[usize], result: u32) {
    if result == 0 {
        match facts.special {
            Special::Init => session::begins(),
            Special::Makes => communicators::made(open, facts, words),
            Special::MakesObject => objects::made(open, facts, words),
            Special::Names => communicators::named(open, words),
            _ => {}
        }
    }
    let has_more = result == 0 && tool::wants_messages();
    let is_reported = has_more
        && match facts.special {
            Special::Waits(Waits::One) => requests::leave_wait(open, words),
            Special::Waits(waits) => requests::leave(open, waits, words),
            Special::Message
            | Special::Collective
            | Special::Access
            | Special::Makes
            | Special::Nothing
                if facts.posts =>
            {
                requests::leave_posted(open, facts, words)
            }
            Special::Message => messages::leave(open, facts, words),
            Special::Access | Special::AccessEnd => messages::leave_access(open, facts, words),
            _ => false,
        };
    if !is_reported {
        (open.tool.leave)(facts.number, result);
    }
}

/// The argument at a position; `None` if the function has no argument of that role.
#[inline(always)]
pub(crate) fn word(words: &[usize], at: u8) -> Option<usize> {
    if at == NONE { None } else { words.get(usize::from(at)).copied() }
}
