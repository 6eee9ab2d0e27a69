//! Opening the event by which the kernel notes a thread's switches, as a guest in the program's process.
//!
//! The descriptor is closed as soon as the buffer is mapped. Buffers are paid out of what the kernel lets every user
//! lock for perf (perf_event_mlock_kb for each core); what is more it would take from the program's own RLIMIT_MEMLOCK,
//! silently: so a buffer that was paid that way is released.

use super::counts::Counts;
use super::refusal::Refusal;
use super::ring::Ring;
use crate::blocks::block::Block;
use crate::host::openings::one_at_a_time;
use crate::host::page::page_bytes;
use crate::host::perf::Attributes;
use crate::host::proc_file;
use crate::host::sync::Ordering;

/// Bytes of entries to try: a power of two of pages, one at least.
const ENTRIES: [usize; 2] = [16 << 10, 4 << 10];

/// Opens the event of the calling thread.
pub(super) fn open(counts: &Counts, block: &Block) -> Result<Ring, Refusal> {
    if let Some(refusal) = counts.refused() {
        return Err(refusal);
    }
    // A child that finds the block's page as it was would find no buffer.
    if !is_wiped_in_children(block) {
        return Err(Refusal::Refused(libc::ENOSYS));
    }
    for bytes in ENTRIES {
        match open_within_budget(counts, bytes.max(page_bytes())) {
            Err(Refusal::NoMemory) => {}
            opened => return opened,
        }
    }
    counts.has_no_room();
    Err(Refusal::NoMemory)
}

/// Opens an event and closes it. The first one on a machine takes the kernel many milliseconds, which no thread's first
/// event shall wait for; and what is refused is refused to all.
pub(super) fn probe() -> Result<(), Refusal> {
    let descriptor = descriptor()?;
    // SAFETY: a descriptor of our own.
    unsafe { libc::close(descriptor) };
    Ok(())
}

/// A buffer that was paid out of the budget for perf. One thread at a time finds out: what another one has pinned for a moment would
/// hide what this one has.
fn open_within_budget(counts: &Counts, bytes: usize) -> Result<Ring, Refusal> {
    one_at_a_time(|| open_alone(counts, bytes))
}

/// No more pinned memory than there was last makes it sure; otherwise the more may be the program's own.
fn open_alone(counts: &Counts, bytes: usize) -> Result<Ring, Refusal> {
    let ring = map(bytes)?;
    if pinned()? <= counts.pinned.load(Ordering::Relaxed) {
        return Ok(ring);
    }
    // SAFETY: nothing else knows of it.
    unsafe { ring.unmap() };
    let before = pinned()?;
    let ring = map(bytes)?;
    if pinned()? <= before {
        counts.pinned.store(before, Ordering::Relaxed);
        return Ok(ring);
    }
    // SAFETY: as above.
    unsafe { ring.unmap() };
    Err(Refusal::NoMemory)
}

/// KiB that the process has pinned; without that nothing is opened.
fn pinned() -> Result<u64, Refusal> {
    proc_file::status().map(|status| status.pinned).ok_or(Refusal::Refused(libc::ENOENT))
}

fn map(bytes: usize) -> Result<Ring, Refusal> {
    let descriptor = descriptor()?;
    // SAFETY: a mapping at an address of the kernel's choice, which lasts without the descriptor, our own. Whoever
    // reads it keeps to what the kernel wrote.
    unsafe {
        let start = libc::mmap(
            std::ptr::null_mut(),
            page_bytes() + bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            descriptor,
            0,
        );
        libc::close(descriptor);
        if start == libc::MAP_FAILED { Err(Refusal::NoMemory) } else { Ok(Ring::new(start.cast())) }
    }
}

/// Opens an event of the calling thread's switches.
fn descriptor() -> Result<libc::c_int, Refusal> {
    Attributes::of_switches().open(None).map_err(|errno| match errno {
        libc::EMFILE | libc::ENFILE => Refusal::NoDescriptor,
        libc::ENOMEM => Refusal::NoMemory,
        refused => Refusal::Refused(refused),
    })
}

/// Asks again for what the block's page already has (Linux 4.14).
fn is_wiped_in_children(block: &Block) -> bool {
    let page = page_bytes();
    // The block is the end of it.
    let behind = (&raw const block.control).cast_mut().cast::<libc::c_void>();
    // SAFETY: the block's own private page, which ends where its control page begins.
    unsafe { libc::madvise(behind.wrapping_byte_sub(page), page, libc::MADV_WIPEONFORK) == 0 }
}
