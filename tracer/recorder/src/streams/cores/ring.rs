//! The buffer in which the kernel notes a thread's switches: one page of its words, then pages of entries.
//!
//! The kernel writes entries at its head, we say up to where they are read. It never overwrites what is not read: it
//! drops what comes then, and counts it in the first entry that finds room again.

use std::sync::atomic::{AtomicU64, Ordering};

/// Offsets in the kernel's page (struct perf_event_mmap_page).
const HEAD: usize = 1024;
const TAIL: usize = 1032;
const DATA_AT: usize = 1040;
const DATA_BYTES: usize = 1048;

/// PERF_RECORD_LOST and PERF_RECORD_SWITCH.
const LOST: u32 = 2;
const SWITCH: u32 = 14;
/// PERF_RECORD_MISC_SWITCH_OUT and PERF_RECORD_MISC_SWITCH_OUT_PREEMPT.
const OUT: u64 = 1 << 13;
const OUT_PREEMPT: u64 = 1 << 14;

/// Bytes of a switch and of the count of lost ones, each with the time and the core: the kernel wants room for both
/// where it has to report a loss.
const LARGEST: u64 = 24 + 40;

/// A buffer that is mapped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    start: *mut u8,
}

/// An entry of the kernel's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// The thread lost or got a core, CLOCK_MONOTONIC in nanoseconds.
    Switch {
        time: u64,
        cpu: u64,
        out: bool,
        preempted: bool,
    },
    /// This many entries found no room.
    Lost(u64),
    Other,
}

impl Ring {
    /// The buffer at an address that [`Ring::new`]'s mapping had; `None` for 0.
    pub(super) fn at(address: u64) -> Option<Ring> {
        let start = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        (!start.is_null()).then_some(Ring { start })
    }

    /// # Safety
    /// `start` is a mapping of a perf event's buffer, for reading and writing, that lasts until [`Ring::unmap`].
    pub(super) unsafe fn new(start: *mut u8) -> Ring {
        let _ = start.expose_provenance();
        Ring { start }
    }

    pub(super) fn address(&self) -> u64 {
        self.start.addr() as u64
    }

    /// A word of the kernel's page.
    fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the page is mapped, the offset within it and a multiple of 8. The kernel changes the word as an
        // atomic would.
        unsafe { &*self.start.add(offset).cast::<AtomicU64>() }
    }

    /// Size in bytes of the entries' part of the buffer: the size of the mapping after the first page, as every
    /// kernel reports it.
    fn bytes(&self) -> u64 {
        self.word(DATA_BYTES).load(Ordering::Relaxed)
    }

    /// Bytes of the kernel's page, after which the entries begin (Linux 4.1).
    fn page(&self) -> usize {
        self.word(DATA_AT).load(Ordering::Relaxed) as usize
    }

    /// Returns true if a quarter of the buffer or more is full.
    pub(super) fn fills(&self) -> bool {
        let head = self.word(HEAD).load(Ordering::Relaxed);
        let tail = self.word(TAIL).load(Ordering::Relaxed);
        head.wrapping_sub(tail) >= self.bytes() / 4
    }

    /// Marks all entries as read.
    pub(super) fn forget(&self) {
        let head = self.word(HEAD).load(Ordering::Acquire);
        self.word(TAIL).store(head, Ordering::Release);
    }

    /// The entries that are there now. One reader at a time.
    pub(super) fn entries(&self) -> Entries {
        Entries {
            ring: *self,
            // In order with the entries, which the kernel writes before.
            head: self.word(HEAD).load(Ordering::Acquire),
            at: self.word(TAIL).load(Ordering::Relaxed),
        }
    }

    /// A word of the entries at a position that counts from the beginning of all time.
    fn entry_word(&self, at: u64) -> u64 {
        let bytes = self.bytes();
        let offset = (at & bytes.wrapping_sub(1) & !7) as usize;
        // SAFETY: `bytes` of entries, a power of two, are mapped after the kernel's page, and the offset is below it
        // and a multiple of 8. The kernel writes no word that is not behind our tail and the head that we read.
        unsafe { self.start.add(self.page() + offset).cast::<u64>().read_volatile() }
    }

    /// # Safety
    /// The buffer is no longer used.
    pub(super) unsafe fn unmap(self) {
        let bytes = self.page() + self.bytes() as usize;
        // SAFETY: the whole of our own mapping, by the caller's promise unused.
        unsafe { libc::munmap(self.start.cast(), bytes) };
    }
}

/// The entries that were there at one time.
pub(super) struct Entries {
    ring: Ring,
    head: u64,
    at: u64,
}

impl Entries {
    /// Returns true if there may have been no room for more.
    pub(super) fn are_full(&self) -> bool {
        self.ring.bytes() < self.head.wrapping_sub(self.at) + LARGEST
    }

    /// The next entry, which stays the kernel's to keep until [`Entries::done`].
    pub(super) fn next(&mut self) -> Option<Entry> {
        if self.at == self.head {
            return None;
        }
        let word = |index: u64| self.ring.entry_word(self.at.wrapping_add(8 * index));
        let header = word(0);
        let (kind, misc, size) = parts(header);
        let entry = match kind {
            SWITCH => Entry::Switch {
                time: word(1),
                cpu: first_half(word(2)),
                out: misc & OUT != 0,
                preempted: misc & OUT_PREEMPT != 0,
            },
            LOST => Entry::Lost(word(2)),
            _ => Entry::Other,
        };
        // A size that no entry has would keep us here for ever.
        let left = self.head.wrapping_sub(self.at);
        self.at = if (8..=left).contains(&size) { self.at.wrapping_add(size) } else { self.head };
        Some(entry)
    }

    /// Marks the entries that were taken so far as read.
    pub(super) fn done(&self) {
        self.ring.word(TAIL).store(self.at, Ordering::Release);
    }
}

/// Type, misc and size of an entry's header: a 32-bit number and two of 16 bits, as they lie in memory.
fn parts(header: u64) -> (u32, u64, u64) {
    let [a, b, c, d, e, f, g, h] = header.to_ne_bytes();
    let kind = u32::from_ne_bytes([a, b, c, d]);
    (kind, u16::from_ne_bytes([e, f]).into(), u16::from_ne_bytes([g, h]).into())
}

/// The first of two 32-bit numbers in memory.
fn first_half(word: u64) -> u64 {
    let [a, b, c, d, ..] = word.to_ne_bytes();
    u32::from_ne_bytes([a, b, c, d]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The buffer's memory as the kernel maps it, with one page of entries.
    #[repr(align(4096))]
    struct Mapped([u64; 1024]);

    fn header(kind: u32, misc: u64, size: u64) -> u64 {
        u64::from(kind) | misc << 32 | size << 48
    }

    fn ring(head: u64, tail: u64) -> (Box<Mapped>, Ring) {
        let mut mapped = Box::new(Mapped([0; 1024]));
        mapped.0[HEAD / 8] = head;
        mapped.0[TAIL / 8] = tail;
        mapped.0[DATA_AT / 8] = 4096;
        mapped.0[DATA_BYTES / 8] = 4096;
        // SAFETY: two pages that outlive the ring, which is not unmapped.
        let ring = unsafe { Ring::new((&raw mut mapped.0).cast()) };
        (mapped, ring)
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn entries_are_read_across_the_end_of_the_buffer() {
        let (mut mapped, ring) = ring(3 * 4096 + 40 + 16, 3 * 4096 - 8);
        let entries = [
            header(SWITCH, OUT | OUT_PREEMPT, 24),
            77,
            3, // the header is the buffer's last word
            header(LOST, 0, 40),
            0,
            5,
            0,
            0,
        ];
        mapped.0[1023] = entries[0];
        mapped.0[512..519].copy_from_slice(&entries[1..]);
        let mut read = ring.entries();
        assert!(!read.are_full());
        let out = Entry::Switch { time: 77, cpu: 3, out: true, preempted: true };
        assert_eq!(
            [read.next(), read.next(), read.next()],
            [Some(out), Some(Entry::Lost(5)), None]
        );
        read.done();
        assert_eq!(mapped.0[TAIL / 8], 3 * 4096 + 56);
    }

    #[test]
    fn a_size_of_nonsense_ends_the_reading() {
        for size in [0, 7, 4096, 65535] {
            let (mut mapped, ring) = ring(64, 0);
            mapped.0[512] = header(9, 0, size);
            let mut read = ring.entries();
            assert_eq!([read.next(), read.next()], [Some(Entry::Other), None], "{size}");
        }
    }

    #[test]
    fn without_room_for_one_more_it_is_full() {
        for (used, full) in [(4096 - 64, false), (4096 - 63, true), (4096 - 24, true)] {
            let (_mapped, ring) = ring(used, 0);
            assert_eq!(ring.entries().are_full(), full, "{used}");
            assert!(ring.fills());
        }
        let (_mapped, ring) = ring(1023, 0);
        assert!(!ring.fills());
    }
}
