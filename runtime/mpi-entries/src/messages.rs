//! Peers, tags and bytes of calls, from their arguments and statuses.

use crate::call::{Status, word};
use crate::function::{Function, NONE};
use crate::{abi, library, tool};
use core::ffi::c_int;
use core::sync::atomic::{AtomicPtr, Ordering};
use ompttrace_mpi_interface::Interface;
use ompttrace_recording::mpi::rank;

/// MPI_Type_size and MPI_Get_elements_x of the library, or the placeholder for a function that it lacks.
static TYPE_SIZE: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
static ELEMENTS: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// A point-to-point function is called: what it sends, and what it is to receive at most. Where the program does not want
/// to have a status, the library gets a place of ours for it.
pub(crate) fn begin(
    tool: &Interface,
    function: &Function,
    words: &mut [usize],
    status: &mut Status,
) {
    if !tool::wants_messages() {
        return;
    }
    let (abi, roles) = (abi::abi(), &function.roles);
    if let Some(place) = words.get_mut(usize::from(roles.status))
        && *place == abi.status_ignore
    {
        *place = status.0.as_mut_ptr().expose_provenance();
    }
    let tag = |at| word(words, at).map_or(rank::NONE, |word| abi.tag(word));
    let bytes = |count, datatype| size(words, count, datatype);
    if let Some(peer) = word(words, roles.destination).filter(|peer| *peer as i32 != abi.proc_null)
    {
        (tool.send)(abi.rank(peer), tag(roles.tag), bytes(roles.count, roles.datatype));
    } else if let Some(peer) = word(words, roles.source).filter(|_| roles.count != NONE) {
        (tool.receive)(abi.rank(peer), tag(roles.tag), bytes(roles.count, roles.datatype));
    }
}

/// It is over: what it has received. A status without a request is that of a receive, or of a probe.
pub(crate) fn end(tool: &Interface, function: &Function, words: &[usize]) {
    let roles = &function.roles;
    let is_receive = roles.count != NONE && roles.request == NONE && roles.flag == NONE;
    let Some(status) = word(words, roles.status).filter(|_| is_receive && tool::wants_messages())
    else {
        return;
    };
    let (source, tag, bytes) = read(status);
    if source != rank::NONE {
        (tool.received)(source, tag, bytes);
    }
}

/// Source, tag and bytes of a status.
pub(crate) fn read(status: usize) -> (u32, u32, u64) {
    let abi = abi::abi();
    let status: *const c_int = core::ptr::with_exposed_provenance(status);
    // SAFETY: a status that the library has filled, or left as it was, of which these ints are the source and the tag.
    let (source, tag) = unsafe { (*status.add(abi.source_at), *status.add(abi.tag_at)) };
    match abi.rank(source as usize) {
        rank::NONE => (rank::NONE, tag as u32, 0),
        source => (source, tag as u32, bytes_of(status)),
    }
}

/// A collective function is called.
pub(crate) fn collective(tool: &Interface, function: &Function, words: &[usize]) {
    if !tool::wants_messages() {
        return;
    }
    let roles = &function.roles;
    let root = word(words, roles.root).map_or(rank::NONE, |root| abi::abi().root(root));
    let given = size(words, roles.count, roles.datatype);
    let taken = match roles.receive_datatype {
        NONE => given,
        datatype => size(words, roles.receive_count, datatype),
    };
    let is_in_place = words.first() == Some(&abi::abi().in_place);
    (tool.collective)(root, if is_in_place { taken } else { given }, taken);
}

/// A count times the size of a datatype.
fn size(words: &[usize], count: u8, datatype: u8) -> u64 {
    let (Some(count), Some(datatype)) = (word(words, count), word(words, datatype)) else {
        return 0;
    };
    let count = u64::try_from(count as i32).unwrap_or(0);
    if count == 0 || abi::handle(datatype) == 0 {
        return 0;
    }
    let Some(function) = helper(&TYPE_SIZE, c"PMPI_Type_size") else { return 0 };
    let mut bytes: c_int = 0;
    // SAFETY: MPI_Type_size, and the program's datatype.
    unsafe {
        let function: extern "C" fn(usize, *mut c_int) -> c_int = core::mem::transmute(function);
        function(datatype, &raw mut bytes);
    }
    count * u64::try_from(bytes).unwrap_or(0)
}

/// The bytes that a status counts. MPI_Get_count counts no more than 2 GiB.
fn bytes_of(status: *const c_int) -> u64 {
    let Some(function) = helper(&ELEMENTS, c"PMPI_Get_elements_x") else { return 0 };
    let mut bytes: i64 = 0;
    // SAFETY: MPI_Get_elements_x, the library's status, and its handle of MPI_BYTE.
    unsafe {
        let function: extern "C" fn(*const c_int, usize, *mut i64) -> c_int =
            core::mem::transmute(function);
        function(status, abi::byte(), &raw mut bytes);
    }
    u64::try_from(bytes).unwrap_or(0)
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
