//! Entries: `sz | r# | ec | rsz | mem…`, each number an int, one after the other, a size of 0 last.
//!
//! The paper gives `mem` as a list of parameters and says neither whether a pointer after an int is
//! padded to its alignment nor, since sizes are multiples of 4, how an answer of 8 bytes is aligned.
//! Known runtimes and collectors pack them; [`Layout`] is for the others.

use core::ffi::c_void;
use core::ptr;

/// Bytes of an entry in front of `mem`.
pub const HEADER: usize = 16;
/// Alignment of entries, in bytes; the sizes of entries are multiples of it.
pub const ALIGNMENT: usize = 4;

/// Position in `mem` of a second parameter that follows an int.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Directly after the int: at byte 4.
    #[default]
    Packed,
    /// As in a C struct: at byte 8.
    Padded,
}

impl Layout {
    /// Offset of the second parameter in `mem`, in bytes.
    #[inline]
    pub const fn second(self) -> usize {
        match self {
            Layout::Packed => 4,
            Layout::Padded => 8,
        }
    }

    /// Size of an int and an eight-byte parameter after it, in bytes.
    #[inline]
    pub const fn pair(self) -> usize {
        self.second() + 8
    }
}

/// One entry in memory that its owner lets us use.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    at: *mut u8,
    size: usize,
}

/// Result of reading an address at which an entry may begin.
#[derive(Clone, Copy, Debug)]
pub enum FoundEntry {
    /// An entry.
    Entry(Entry),
    /// The end of the list.
    End,
    /// Neither an entry nor the end; the entries after it cannot be found.
    Bad,
}

impl Entry {
    /// Reads what is at `at`.
    ///
    /// # Safety
    /// If `at` is aligned there is an int, and if that is a good size an entry of this many bytes, which
    /// nobody else touches during `'static` uses of the result: until the request is answered.
    #[inline]
    pub unsafe fn look(at: *mut c_void) -> FoundEntry {
        if at.is_null() || !at.addr().is_multiple_of(ALIGNMENT) {
            return FoundEntry::Bad;
        }
        // SAFETY: aligned and, by the caller's promise, an int.
        let size = unsafe { at.cast::<i32>().read() };
        match usize::try_from(size) {
            Ok(0) => FoundEntry::End,
            Ok(size) if size >= HEADER && size.is_multiple_of(ALIGNMENT) => {
                FoundEntry::Entry(Entry { at: at.cast(), size })
            }
            _ => FoundEntry::Bad,
        }
    }

    /// Address at which the next entry begins.
    #[inline]
    pub fn next(self) -> *mut c_void {
        self.at.wrapping_add(self.size).cast()
    }

    /// The request's number.
    #[inline]
    pub fn request(self) -> i32 {
        // SAFETY: inside the header.
        unsafe { self.at.add(4).cast::<i32>().read() }
    }

    /// Size of `mem`, in bytes.
    #[inline]
    pub fn room(self) -> usize {
        self.size - HEADER
    }

    /// Sets the error code of the answer and its size in bytes.
    #[inline]
    pub fn answer(self, code: crate::ErrorCode, bytes: usize) {
        // SAFETY: both lie inside the header.
        unsafe {
            self.at.add(8).cast::<i32>().write(code as i32);
            self.at.add(12).cast::<i32>().write(bytes as i32);
        }
    }

    /// The int at an offset of `mem`; `None` if `mem` does not have those bytes.
    #[inline]
    pub fn int(self, offset: usize) -> Option<i32> {
        // SAFETY: inside the entry, as `address_of` says.
        self.address_of(offset, 4).map(|at| unsafe { at.cast::<i32>().read_unaligned() })
    }

    /// The eight bytes at an offset of `mem`; `None` if `mem` does not have them.
    #[inline]
    pub fn word(self, offset: usize) -> Option<u64> {
        // SAFETY: inside the entry, as `address_of` says.
        self.address_of(offset, 8).map(|at| unsafe { at.cast::<u64>().read_unaligned() })
    }

    /// Stores an int in `mem`, if it fits there.
    #[inline]
    pub fn set_int(self, offset: usize, value: i32) {
        if let Some(at) = self.address_of(offset, 4) {
            // SAFETY: inside the entry, as `address_of` says.
            unsafe { at.cast::<i32>().write_unaligned(value) };
        }
    }

    /// Stores eight bytes in `mem`, if they fit there.
    #[inline]
    pub fn set_word(self, offset: usize, value: u64) {
        if let Some(at) = self.address_of(offset, 8) {
            // SAFETY: inside the entry, as `address_of` says.
            unsafe { at.cast::<u64>().write_unaligned(value) };
        }
    }

    #[inline]
    fn address_of(self, offset: usize, bytes: usize) -> Option<*mut u8> {
        let end = offset.checked_add(bytes)?;
        // SAFETY: the sum is at most the entry's size.
        (end <= self.room()).then(|| unsafe { self.at.add(HEADER + offset) })
    }
}

/// Number of ints of a [`Message`].
const WORDS: usize = 32;

/// A list of entries to send, on the requester's stack.
///
/// A real runtime reads sizes as signed bytes, so entries stay below 128 bytes, and none is a multiple
/// of 256.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub struct Message {
    words: [i32; WORDS],
    used: usize,
}

impl Default for Message {
    fn default() -> Message {
        Message::new()
    }
}

impl Message {
    /// An empty list.
    #[inline]
    pub const fn new() -> Message {
        Message { words: [0; WORDS], used: 0 }
    }

    /// Adds an entry with `room` bytes of `mem`, a multiple of 4; returns it, with its ec set to a
    /// number that nobody answers. Entries that do not fit are left out.
    #[inline]
    pub fn add(&mut self, request: crate::Request, room: usize) -> Option<Sent> {
        let at = self.used;
        let words = (HEADER + room) / 4;
        // The size of 0 after the last entry needs space, too.
        let entry = self.words.get_mut(at..at + words + 1)?;
        let head = [(HEADER + room) as i32, request as i32, UNANSWERED, 0];
        entry.iter_mut().zip(head).for_each(|(word, value)| *word = value);
        self.used += words;
        Some(Sent { at, room })
    }

    /// Sends the list to a runtime, which answers in the entries.
    ///
    /// # Safety
    /// `api` is a runtime's function behind [`crate::SYMBOL`].
    #[inline]
    pub unsafe fn send(&mut self, api: crate::Api) -> i32 {
        // SAFETY: the list ends with a size of 0, inside the array.
        unsafe { api((&raw mut self.words).cast()) }
    }

    /// Answer of the runtime to an entry of this list.
    #[inline]
    pub fn answer(&self, sent: Sent) -> Answer {
        let word = |at: usize| self.words.get(sent.at + at).copied().unwrap_or(0);
        Answer { code: crate::ErrorCode::from_number(word(2)), bytes: word(3) }
    }

    /// Sets an int of an entry's `mem`.
    #[inline]
    pub fn set_int(&mut self, sent: Sent, offset: usize, value: i32) {
        if let Some(word) = self.words.get_mut(sent.at + (HEADER + offset) / 4) {
            *word = value;
        }
    }

    /// Sets eight bytes of an entry's `mem`.
    #[inline]
    pub fn set_word(&mut self, sent: Sent, offset: usize, value: u64) {
        let halves: [i32; 2] = bytes_of(value);
        self.set_int(sent, offset, halves[0]);
        self.set_int(sent, offset + 4, halves[1]);
    }

    /// An int of an entry's `mem`.
    #[inline]
    pub fn int(&self, sent: Sent, offset: usize) -> i32 {
        self.words.get(sent.at + (HEADER + offset) / 4).copied().unwrap_or(0)
    }

    /// Eight bytes of an entry's `mem`.
    #[inline]
    pub fn word(&self, sent: Sent, offset: usize) -> u64 {
        if offset + 8 > sent.room {
            return 0;
        }
        let halves = [self.int(sent, offset), self.int(sent, offset + 4)];
        // SAFETY: eight bytes from eight bytes; the array's alignment is smaller.
        unsafe { ptr::read_unaligned(halves.as_ptr().cast()) }
    }
}

fn bytes_of(value: u64) -> [i32; 2] {
    // SAFETY: eight bytes from eight bytes, in the order of the machine.
    unsafe { core::mem::transmute(value) }
}

/// Stored instead of an error code until there is an answer.
const UNANSWERED: i32 = -1;

/// An entry of a message.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    at: usize,
    room: usize,
}

/// A runtime's answer to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The error code; `None` if the runtime did not answer, or answered with a number that the paper does not define.
    pub code: Option<crate::ErrorCode>,
    /// Size of the answer, or the size that it would need, in bytes.
    pub bytes: i32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorCode, Request};

    unsafe extern "C" fn echo(list: *mut c_void) -> i32 {
        let mut at = list;
        loop {
            // SAFETY: the test's message.
            match unsafe { Entry::look(at) } {
                FoundEntry::Entry(entry) => {
                    let sum = entry.word(4).unwrap_or(0) + entry.int(0).unwrap_or(0) as u64;
                    entry.set_word(0, sum);
                    entry.answer(ErrorCode::Ok, 8 * usize::from(entry.room() >= 8));
                    at = entry.next();
                }
                FoundEntry::End => return 0,
                FoundEntry::Bad => return -1,
            }
        }
    }

    #[test]
    fn what_one_side_writes_the_other_reads() {
        let mut message = Message::new();
        let first = message.add(Request::Register, 12).expect("fits");
        let second = message.add(Request::Stop, 0).expect("fits");
        message.set_int(first, 0, 5);
        message.set_word(first, 4, 0x1_0000_0002);
        // SAFETY: the function above.
        assert_eq!(unsafe { message.send(echo) }, 0);
        assert_eq!(message.word(first, 0), 0x1_0000_0007);
        assert_eq!(message.answer(first), Answer { code: Some(ErrorCode::Ok), bytes: 8 });
        assert_eq!(message.answer(second), Answer { code: Some(ErrorCode::Ok), bytes: 0 });
    }

    #[test]
    fn no_entry_is_too_large_for_a_signed_byte_and_none_overflows_the_list() {
        let mut message = Message::new();
        assert!(message.add(Request::State, 108).is_some());
        assert!(message.add(Request::State, 0).is_none());
        assert_eq!(message.add(Request::State, usize::MAX / 8).map(|_| ()), None);
    }

    #[test]
    fn bad_addresses_and_sizes_are_found() {
        let mut list = [20i32, 0, 0, 0, 0, 0];
        let at: *mut c_void = (&raw mut list).cast();
        // SAFETY: addresses in the list above.
        unsafe {
            assert!(matches!(Entry::look(at), FoundEntry::Entry(entry) if entry.room() == 4));
            assert!(matches!(Entry::look(at.byte_add(20)), FoundEntry::End));
            assert!(matches!(Entry::look(at.byte_add(2)), FoundEntry::Bad));
            for bad in [-16, 12, 18, 1] {
                list[0] = bad;
                assert!(matches!(Entry::look((&raw mut list).cast()), FoundEntry::Bad), "{bad}");
            }
        }
    }
}
