//! Memory for libotf2: one chunk per buffer, written out when it is full and used again, so that
//! memory follows the number of locations and never the length of the run.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use otf2_sys::{OTF2_FileType, OTF2_LocationRef, OTF2_MemoryCallbacks};

/// Words, so that every chunk is aligned for whatever the library puts there.
type Chunk = Vec<u64>;

/// Chunks that no buffer uses just now, kept for the next.
#[derive(Debug, Default)]
pub(super) struct Memory {
    free: Mutex<Vec<Chunk>>,
}

/// Chunks that are kept; more go back to the system.
const MOST_KEPT: usize = 64;

pub(super) static CALLBACKS: OTF2_MemoryCallbacks =
    OTF2_MemoryCallbacks { otf2_allocate: Some(allocate), otf2_free_all: Some(free_all) };

impl Memory {
    fn take(&self, words: usize) -> Chunk {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        match free.iter().position(|chunk| chunk.len() == words) {
            Some(found) => free.swap_remove(found),
            // Zeroed by the system, page by page as it is touched.
            None => vec![0; words],
        }
    }

    fn give(&self, chunk: Chunk) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < MOST_KEPT {
            free.push(chunk);
        }
    }
}

/// The library asks for a chunk for `buffer`. Null means: write what you have and free all.
unsafe extern "C" fn allocate(
    memory: *mut c_void,
    _: OTF2_FileType,
    _: OTF2_LocationRef,
    buffer: *mut *mut c_void,
    size: u64,
) -> *mut c_void {
    // SAFETY: what `Archive::create` gave to the library; it outlives the archive.
    let Some(memory) = (unsafe { memory.cast::<Memory>().as_ref() }) else { return null_mut() };
    // SAFETY: the library's slot for our pointer; a buffer belongs to one thread at a time.
    let Some(slot) = (unsafe { buffer.as_mut() }) else { return null_mut() };
    let Ok(size) = usize::try_from(size) else { return null_mut() };
    if !slot.is_null() {
        return null_mut();
    }
    let mut chunk = memory.take(size.div_ceil(size_of::<u64>()));
    let data = chunk.as_mut_ptr();
    *slot = Box::into_raw(Box::new(chunk)).cast();
    data.cast()
}

/// The library gives back what `buffer` has.
unsafe extern "C" fn free_all(
    memory: *mut c_void,
    _: OTF2_FileType,
    _: OTF2_LocationRef,
    buffer: *mut *mut c_void,
    _: bool,
) {
    // SAFETY: what `allocate` gave to the library, which uses a buffer on one thread at a time.
    let Some(memory) = (unsafe { memory.cast::<Memory>().as_ref() }) else { return };
    // SAFETY: the library's slot for our pointer, which it passes for this call.
    let Some(slot) = (unsafe { buffer.as_mut() }) else { return };
    let chunk = std::mem::replace(slot, null_mut());
    if !chunk.is_null() {
        // SAFETY: `allocate` made it, and the slot is empty now.
        memory.give(*unsafe { Box::from_raw(chunk.cast::<Chunk>()) });
    }
}
