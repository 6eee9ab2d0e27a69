//! Peers, tags and bytes of calls, from their arguments and statuses.

use crate::call::{Open, given, word};
use crate::function::{Facts, NONE};
use crate::thread::Thread;
use crate::{abi, library, status};
use core::ffi::c_int;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use ompttrace_mpi_interface::{halves, peer_and_tag};
use ompttrace_recording::mpi::rank;

/// MPI_Type_size of the library; null while it was not looked up, or if the library lacks it.
static TYPE_SIZE: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Reports the begin of a call of a point-to-point function, with the message that it sends, or the maximum that it
/// receives. If the program ignores the status, the library gets memory of ours for it.
#[inline(always)]
pub(crate) fn enter(open: &Open, facts: &Facts, words: &mut [usize]) {
    let Open { tool, caller, .. } = *open;
    let (abi, roles, number) = (abi::abi(), &facts.roles, facts.number);
    let communicator = given(facts, words);
    take_status(open, facts, words);
    let at = |peer, tag| {
        let tag = word(words, tag).map_or(rank::NONE, |word| abi.tag(word));
        peer_and_tag(abi.rank(peer), tag)
    };
    let or = |of_receive, of_send| if of_receive == NONE { of_send } else { of_receive };
    let received = || {
        let count = or(roles.receive_count, roles.count);
        size(open, facts, words, (count, or(roles.receive_datatype, roles.datatype)))
    };
    if let Some(peer) = word(words, roles.destination).filter(|peer| *peer as i32 != abi.proc_null)
    {
        let bytes = size(open, facts, words, (roles.count, roles.datatype));
        (tool.enter_send)(caller, number, communicator, at(peer, roles.tag), bytes);
    } else if let Some(peer) = word(words, roles.source).filter(|_| roles.count != NONE) {
        let at = at(peer, or(roles.receive_tag, roles.tag));
        (tool.enter_receive)(caller, number, communicator, at, received());
    } else if roles.destination == NONE && roles.count != NONE {
        // MPI_Mrecv and MPI_Imrecv: the message that was probed says where it comes from.
        let at = peer_and_tag(rank::ANY, rank::ANY);
        (tool.enter_receive)(caller, number, communicator, at, received());
    } else {
        (tool.enter)(caller, number, communicator);
    }
}

/// Reports the message that a call has received at its end, if it has a status and creates no request. Returns true if
/// the end was reported.
#[inline(always)]
pub(crate) fn leave(open: &Open, facts: &Facts, words: &[usize]) -> bool {
    let Open { tool, .. } = *open;
    let roles = &facts.roles;
    let Some(status) = word(words, roles.status).filter(|_| roles.count != NONE) else {
        return false;
    };
    let message = status::read(status);
    if message.source == rank::NONE {
        return false;
    }
    (tool.leave_received)(message.at(), message.bytes);
    true
}

/// Reports the begin of a call of a collective function.
#[inline(always)]
pub(crate) fn enter_collective(open: &Open, facts: &Facts, words: &[usize]) {
    let Open { tool, caller, .. } = *open;
    let roles = &facts.roles;
    let root = word(words, roles.root).map_or(rank::NONE, |root| abi::abi().root(root));
    let sent = size(open, facts, words, (roles.count, roles.datatype));
    let taken = match roles.receive_datatype {
        NONE => sent,
        datatype => size(open, facts, words, (roles.receive_count, datatype)),
    };
    let is_in_place = words.first() == Some(&abi::abi().in_place);
    let sent = if is_in_place { taken } else { sent };
    let communicator = given(facts, words);
    (tool.enter_collective)(caller, facts.number, communicator, root, sent, taken);
}

/// Reports the begin of a call that accesses a window or a file.
#[inline(never)]
pub(crate) fn enter_access(open: &Open, facts: &Facts, words: &mut [usize]) {
    let Open { thread, tool, caller } = *open;
    let roles = &facts.roles;
    take_empty_status(open, facts, words);
    let lock = word(words, roles.lock_type).map_or(0, |lock| abi::abi().lock(lock));
    let peer = word(words, roles.target).map_or(rank::NONE, |peer| abi::abi().rank(peer));
    let bytes = match roles.count {
        // One of them.
        NONE => word(words, roles.datatype).map_or(0, |datatype| size_of(thread, datatype)),
        count => size(open, facts, words, (count, roles.datatype)),
    };
    (tool.enter_access)(caller, facts.number, given(facts, words), halves(peer, lock), bytes);
}

/// Reports the begin of a call that ends an access to a file.
#[inline(never)]
pub(crate) fn enter_access_end(open: &Open, facts: &Facts, words: &mut [usize]) {
    take_empty_status(open, facts, words);
    (open.tool.enter)(open.caller, facts.number, given(facts, words));
}

/// Reports the bytes that an access to a file has moved, if the call has a status. Returns true if the end was reported.
#[inline(never)]
pub(crate) fn leave_access(open: &Open, facts: &Facts, words: &[usize]) -> bool {
    let Some(status) = word(words, facts.roles.status) else { return false };
    let at = peer_and_tag(rank::NONE, rank::NONE);
    (open.tool.leave_received)(at, status::bytes(status));
    true
}

/// Makes the library store the status in memory of ours, if there is one and the program ignores it.
#[inline(always)]
fn take_status(open: &Open, facts: &Facts, words: &mut [usize]) {
    if let Some(place) = words.get_mut(usize::from(facts.roles.status))
        && *place == abi::abi().status_ignore
    {
        *place = open.thread.status();
    }
}

/// Does so with memory that is empty, for a function of files: a library may leave its status as it was.
fn take_empty_status(open: &Open, facts: &Facts, words: &mut [usize]) {
    open.thread.clear_status();
    take_status(open, facts, words);
}

/// Size of a message in bytes: a count times the size of a datatype.
#[inline(always)]
fn size(open: &Open, facts: &Facts, words: &[usize], (count, datatype): (u8, u8)) -> u64 {
    let (Some(count), Some(datatype)) = (word(words, count), word(words, datatype)) else {
        return 0;
    };
    let count = if facts.has_large_counts { count as i64 } else { i64::from(count as i32) };
    let count = u64::try_from(count).unwrap_or(0);
    if count == 0 { 0 } else { count.saturating_mul(size_of(open.thread, datatype)) }
}

/// Size of a datatype in bytes.
#[inline(always)]
fn size_of(thread: &Thread, datatype: usize) -> u64 {
    let freed = FREED.load(Ordering::Relaxed);
    let known = thread.datatype.get();
    let is_known = (known.handle, known.freed) == (datatype, freed);
    if is_known { known.size } else { ask_size(thread, datatype, freed) }
}

#[inline(never)]
fn ask_size(thread: &Thread, datatype: usize, freed: u64) -> u64 {
    if abi::handle(datatype) == 0 {
        return 0;
    }
    let Some(function) = helper(&TYPE_SIZE, c"PMPI_Type_size") else { return 0 };
    let mut bytes: c_int = 0;
    // SAFETY: MPI_Type_size, and the program's datatype.
    unsafe {
        let function: extern "C" fn(usize, *mut c_int) -> c_int = core::mem::transmute(function);
        function(datatype, &raw mut bytes);
    }
    let size = u64::try_from(bytes).unwrap_or(0);
    thread.datatype.set(Datatype { handle: datatype, freed, size });
    size
}

/// The datatype that a thread used last.
#[derive(Clone, Copy)]
pub(crate) struct Datatype {
    handle: usize,
    /// Value of [`FREED`] at that time: after it has changed, another datatype may have the handle.
    freed: u64,
    size: u64,
}

/// Number of calls that free a datatype, also inside of other calls, plus one, so that a new thread's 0 is never
/// valid.
static FREED: AtomicU64 = AtomicU64::new(1);

/// Notes that a datatype is about to be freed.
pub(crate) fn frees_datatype() {
    FREED.fetch_add(1, Ordering::Relaxed);
}

#[inline(always)]
fn helper(place: &AtomicPtr<()>, name: &core::ffi::CStr) -> Option<*mut ()> {
    let known = place.load(Ordering::Relaxed);
    if known.is_null() { look_up(place, name) } else { Some(known) }
}

#[cold]
#[inline(never)]
fn look_up(place: &AtomicPtr<()>, name: &core::ffi::CStr) -> Option<*mut ()> {
    let found = library::symbol(name)?;
    place.store(found, Ordering::Relaxed);
    Some(found)
}
