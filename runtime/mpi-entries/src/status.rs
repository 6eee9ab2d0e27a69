//! Statuses: source, tag and number of bytes, read in the layout of the library.

use crate::{abi, library};
use core::ffi::c_int;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use ompttrace_mpi_interface::peer_and_tag;
use ompttrace_recording::mpi::rank;

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

/// A message that was received; there is none if its source is [`rank::NONE`].
pub(crate) struct Message {
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
pub(crate) fn read(status: usize) -> Message {
    let abi = abi::abi();
    let status: *const c_int = core::ptr::with_exposed_provenance(status);
    // SAFETY: a status that the library has filled, or left as it was, of which these ints are the source and the tag.
    let (source, tag) = unsafe { (*status.add(abi.source_at), *status.add(abi.tag_at)) };
    let source = abi.rank(source as usize);
    let bytes = if source == rank::NONE { 0 } else { bytes_of(status) };
    Message { source, tag: tag as u32, bytes }
}

/// Number of bytes that a status counts.
fn bytes_of(status: *const c_int) -> u64 {
    match COUNT.load(Ordering::Relaxed) {
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
        function(status, abi::byte(), &raw mut bytes);
    }
    u64::try_from(bytes).unwrap_or(0)
}

/// Determines the layout of the number of bytes from statuses that the library fills: no header documents it.
pub(crate) fn find_count() {
    /// Sample counts: one that is larger than an int, with something in each byte, and a small one.
    const SAMPLES: [i64; 2] = [0x12_3456_789a, 7];
    let Some(function) = library::symbol(c"PMPI_Status_set_elements_x") else { return };
    let filled = |bytes: i64| {
        let mut status = [0u64; WORDS];
        // SAFETY: MPI_Status_set_elements_x, a status of ours, which is large enough, and the library's handle of MPI_BYTE.
        unsafe {
            let function: extern "C" fn(*mut u64, usize, i64) -> c_int =
                core::mem::transmute(function);
            function(status.as_mut_ptr(), abi::byte(), bytes);
        }
        status
    };
    for way in [FOURTH_INT, FIRST_INTS] {
        COUNT.store(way, Ordering::Relaxed);
        let is_right = |bytes: i64| bytes_of(filled(bytes).as_ptr().cast()) == bytes as u64;
        if SAMPLES.into_iter().all(is_right) {
            return;
        }
    }
    COUNT.store(ASKED, Ordering::Relaxed);
}
