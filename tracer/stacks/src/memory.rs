//! Reading the calling thread's stack, and copying mapped memory, without ever faulting.

use ompttrace_recorder::caught;
use std::cell::Cell;
use std::mem::MaybeUninit;

/// The part of the address space from which a walk may read directly.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    low: u64,
    high: u64,
}

thread_local! {
    /// Lowest and highest address of the calling thread's stack; 0 before they were inquired. It has no destructor,
    /// since events come after destructors have run.
    static STACK: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

impl Bounds {
    /// The memory that may be read from `sp` on: the rest of the calling thread's stack, or nothing if the program has
    /// put the thread on another stack.
    pub(crate) fn of_stack(sp: u64) -> Bounds {
        let (mut low, mut high) = STACK.get();
        if high == 0 {
            // The C library takes some KiB of stack to read where the first thread's is.
            (low, high) = caught(asked).flatten().unwrap_or((0, 1));
            STACK.set((low, high));
        }
        if (low..high).contains(&sp) {
            Bounds { low: sp, high }
        } else {
            Bounds { low: 0, high: 0 }
        }
    }

    /// True if the program has put the thread on a stack that is not its own.
    pub(crate) fn is_nowhere(self) -> bool {
        self.high == 0
    }

    /// The word at `address`; `None` if it cannot be read.
    pub(crate) fn word(self, address: u64) -> Option<u64> {
        if !address.is_multiple_of(8) {
            return None;
        }
        if address >= self.low && address.checked_add(8)? <= self.high {
            let pointer = std::ptr::with_exposed_provenance::<u64>(address as usize);
            // SAFETY: aligned, and between the stack pointer and the end of the calling thread's own
            // stack, which stays mapped while the thread runs. Any 8 bytes are a number; volatile,
            // because the words belong to callers of ours in whatever language.
            return Some(unsafe { pointer.read_volatile() });
        }
        let mut bytes = [0; 8];
        (copy(address, &mut bytes)? == 8).then(|| u64::from_ne_bytes(bytes))
    }
}

/// Lowest and highest address of the calling thread's stack, according to the C library.
fn asked() -> Option<(u64, u64)> {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut low, mut bytes) = (std::ptr::null_mut(), 0);
    // SAFETY: pthread_getattr_np fills the attributes when it returns 0; they are read and given
    // back after that only.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let got = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut low, &raw mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        if got != 0 {
            return None;
        }
    }
    let low = low.addr() as u64;
    Some((low, low.checked_add(bytes as u64)?))
}

/// Copies memory of this process and returns the number of bytes; `None` if nothing is mapped there. A mapping can
/// vanish at any time (dlclose), so the kernel does the reading.
pub(crate) fn copy(address: u64, to: &mut [u8]) -> Option<usize> {
    let local = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: to.len() };
    let from = std::ptr::without_provenance_mut(usize::try_from(address).ok()?);
    let remote = libc::iovec { iov_base: from, iov_len: to.len() };
    // SAFETY: the kernel checks the remote range; the local one is a slice of our own.
    let got = unsafe {
        libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
    };
    usize::try_from(got).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_stack_is_read_directly_and_others_by_the_kernel() {
        let words = [7u64, 8];
        let at = words.as_ptr().expose_provenance() as u64;
        let bounds = Bounds::of_stack(at);
        assert!(bounds.low == at && bounds.high > at);
        assert_eq!((bounds.word(at), bounds.word(at + 8)), (Some(7), Some(8)));
        let elsewhere = Box::new([9u64]);
        let other = elsewhere.as_ptr().expose_provenance() as u64;
        assert_eq!(Bounds::of_stack(other).high, 0);
        assert_eq!(Bounds::of_stack(other).word(other), Some(9));
        assert_eq!((bounds.word(other), bounds.word(at + 4)), (Some(9), None));
    }

    #[test]
    fn what_is_not_mapped_cannot_be_read() {
        let bounds = Bounds::of_stack(8);
        assert_eq!((bounds.word(8), bounds.word(u64::MAX - 7)), (None, None));
    }
}
