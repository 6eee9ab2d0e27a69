//! Statuses: source, tag and number of bytes, read in the layout of the library.

use crate::abi::Handle;
use crate::{abi, library};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};
use ompttrace_mpi_interface::peer_and_tag;
use ompttrace_recording::mpi::{self, rank};

/// MPI_Get_elements_x of the library; null while it was not looked up, or if the library lacks it.
static ELEMENTS: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Layout of the number of bytes in a status.
static COUNT: AtomicU8 = AtomicU8::new(ASKED);
/// The layout is unknown: the library has to be asked.
const ASKED: u8 = 0;
/// Open MPI's layout: a size after four ints.
const FOURTH_INT: u8 = 1;
/// MPICH's layout: the first int, and all bits of the second one but the lowest.
const FIRST_INTS: u8 = 2;

/// Size of the largest status, in words of 8 bytes.
pub(crate) const WORDS: usize = 4;

/// True once a request of the process was cancelled: only then statuses are asked for it.
static HAS_CANCELLED: AtomicBool = AtomicBool::new(false);
/// MPI_Test_cancelled of the library; null: it has none.
static CANCELLED: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Notes that a request is about to be cancelled.
pub(crate) fn cancels_request() {
    HAS_CANCELLED.store(true, Ordering::Relaxed);
}

/// True if a status says that its request was cancelled.
#[cold]
#[inline(never)]
fn is_cancelled(status: *const c_int) -> bool {
    let function = CANCELLED.load(Ordering::Relaxed);
    if function.is_null() {
        return false;
    }
    let mut flag: c_int = 0;
    // SAFETY: MPI_Test_cancelled, and a status of the library's.
    unsafe {
        let function: extern "C" fn(*const c_int, *mut c_int) -> c_int =
            core::mem::transmute(function);
        function(status, &raw mut flag);
    }
    flag != 0
}

/// A message that was received: none where its source is [`rank::NONE`].
pub(crate) struct Message {
    /// Flags as the record of a request that is complete has them.
    pub(crate) flags: u32,
    pub(crate) source: u32,
    pub(crate) tag: u32,
    pub(crate) bytes: u64,
}

impl Message {
    /// Source and tag of the message in one argument.
    pub(crate) fn at(&self) -> u64 {
        peer_and_tag(self.source, self.tag)
    }
}

/// Reads a status.
#[inline(always)]
pub(crate) fn read(status: usize) -> Message {
    let abi = abi::abi();
    let status: *const c_int = core::ptr::with_exposed_provenance(status);
    // SAFETY: a status that the library has filled, or left as it was, of which these ints are the source and the tag.
    let (source, tag) = unsafe { (*status.add(abi.source_at), *status.add(abi.tag_at)) };
    let (source, tag) = (abi.rank(source as usize), tag as u32);
    if HAS_CANCELLED.load(Ordering::Relaxed) && is_cancelled(status) {
        return Message { flags: mpi::CANCELLED as u32, source: rank::NONE, tag, bytes: 0 };
    }
    let layout = COUNT.load(Ordering::Relaxed);
    let bytes = if source == rank::NONE { 0 } else { bytes_of(layout, status) };
    Message { flags: 0, source, tag, bytes }
}

/// Number of bytes that a status counts, whatever its source is.
pub(crate) fn bytes(status: usize) -> u64 {
    bytes_of(COUNT.load(Ordering::Relaxed), core::ptr::with_exposed_provenance(status))
}

/// Number of bytes that a status of this layout counts.
#[inline(always)]
fn bytes_of(layout: u8, status: *const c_int) -> u64 {
    match layout {
        // SAFETY: Open MPI's status, of 24 bytes: a size is its last third.
        FOURTH_INT => unsafe { status.cast::<u64>().add(2).read_unaligned() },
        FIRST_INTS => {
            // SAFETY: MPICH's status, which begins with these ints.
            let (low, high) = unsafe { (*status as u32, *status.add(1) as u32) };
            u64::from(low) | u64::from(high >> 1) << 32
        }
        _ => asked(status),
    }
}

/// Asks the library for the number of bytes, by MPI_Get_elements_x because MPI_Get_count counts no more than 2 GiB.
#[cold]
#[inline(never)]
fn asked(status: *const c_int) -> u64 {
    let known = ELEMENTS.load(Ordering::Relaxed);
    let function =
        if known.is_null() { library::symbol(c"PMPI_Get_elements_x") } else { Some(known) };
    let Some(function) = function else { return 0 };
    ELEMENTS.store(function, Ordering::Relaxed);
    let mut bytes: i64 = 0;
    // SAFETY: MPI_Get_elements_x, the library's status, and its handle of MPI_BYTE.
    unsafe {
        let function: extern "C" fn(*const c_int, usize, *mut i64) -> c_int =
            core::mem::transmute(function);
        function(status, abi::own(Handle::Byte), &raw mut bytes);
    }
    u64::try_from(bytes).unwrap_or(0)
}

/// Finds what the library has for statuses.
pub(crate) fn find() {
    find_count();
    let cancelled = library::symbol(c"PMPI_Test_cancelled");
    CANCELLED.store(cancelled.unwrap_or(core::ptr::null_mut()), Ordering::Relaxed);
}

/// Finds out where the library has the number of bytes, by statuses that it fills itself: no header says that it is there.
fn find_count() {
    /// More than an int counts, and something in each byte.
    const SAMPLES: [i64; 2] = [0x12_3456_789a, 7];
    let Some(function) = library::symbol(c"PMPI_Status_set_elements_x") else { return };
    let filled = |bytes: i64| {
        let mut status = [0u64; WORDS];
        // SAFETY: MPI_Status_set_elements_x, a status of ours, which is large enough, and the library's handle of MPI_BYTE.
        unsafe {
            let function: extern "C" fn(*mut u64, usize, i64) -> c_int =
                core::mem::transmute(function);
            function(status.as_mut_ptr(), abi::own(Handle::Byte), bytes);
        }
        status
    };
    let is_right = |layout: &u8| {
        let counts = |bytes: i64| bytes_of(*layout, filled(bytes).as_ptr().cast()) == bytes as u64;
        SAMPLES.into_iter().all(counts)
    };
    let found = [FOURTH_INT, FIRST_INTS].into_iter().find(is_right);
    // Other threads may read statuses already: they find what was known before, or the result.
    COUNT.store(found.unwrap_or(ASKED), Ordering::Relaxed);
}
