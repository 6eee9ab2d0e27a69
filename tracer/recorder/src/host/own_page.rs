//! A page of memory for what a source knows of a thread: taken at the thread's first event, given back at its end.
//!
//! Thread-local memory would be nearer, but what a library has of the kind that needs no call comes from a small
//! reserve of the dynamic linker's, which the program's own libraries need. And malloc is not for signal handlers,
//! in which a thread's first event may come.

use crate::host::untouched;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use ompttrace_recording::pool::PAGE;

/// A type of which pages of zeros are a value.
///
/// # Safety
/// All zeros are a value of the type.
pub unsafe trait Zeroed: 'static {}

// SAFETY: zeros are numbers.
unsafe impl<const N: usize> Zeroed for [AtomicU64; N] {}

/// Bytes of the pages that have room for a `T`.
const fn bytes_of<T>() -> usize {
    size_of::<T>().next_multiple_of(PAGE)
}

/// A page of zeros as a `T`, or as many as it needs; `None` when there is no memory. The kernel gives, and takes back, whole pages
/// of its own, of which larger ones have room for more than is used.
pub fn take_page<T: Zeroed>() -> Option<&'static T> {
    const { assert!(align_of::<T>() <= PAGE) };
    let untouched = untouched::shut();
    // SAFETY: a new mapping at an address of the kernel's choice: a page of zeros, which are a `T`, aligned, and
    // there until `give_page_back`.
    let page = unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            bytes_of::<T>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if page == libc::MAP_FAILED { None } else { Some(&*page.cast()) }
    };
    untouched.open();
    page
}

/// Gives a page back.
///
/// # Safety
/// The page came from [`take_page`], and no reference to it exists any more.
pub unsafe fn give_page_back<T: Zeroed>(page: *const T) {
    let untouched = untouched::shut();
    // SAFETY: a whole mapping of ours, which nothing uses: the caller's promise.
    unsafe { libc::munmap(page.cast_mut().cast(), bytes_of::<T>()) };
    untouched.open();
}

/// Pages that are taken when they are needed first, and stay: a large table of the library's own would count in every process
/// that locks its memory, used or not.
pub(crate) struct OnceNeeded<T>(AtomicPtr<T>);

impl<T: Zeroed + Sync> OnceNeeded<T> {
    pub(crate) const fn new() -> OnceNeeded<T> {
        OnceNeeded(AtomicPtr::new(null_mut()))
    }

    /// The pages, if they were needed.
    pub(crate) fn taken(&self) -> Option<&'static T> {
        // SAFETY: null, or pages from `take_page`, which are never given back once they stand here.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// The pages; `None` when there is no memory.
    pub(crate) fn get(&self) -> Option<&'static T> {
        self.taken().or_else(|| self.take())
    }

    /// A signal handler may come here amid the same: whoever is second gives its pages back.
    #[cold]
    fn take(&self) -> Option<&'static T> {
        let own: *const T = take_page::<T>()?;
        let place = (null_mut(), own.cast_mut());
        if self.0.compare_exchange(place.0, place.1, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: they came from `take_page`, and nobody else has seen them.
            unsafe { give_page_back(own) };
        }
        self.taken()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    struct Words([Cell<u64>; 64]);
    // SAFETY: numbers.
    unsafe impl Zeroed for Words {}

    #[test]
    fn what_is_needed_once_is_there_from_then_on() {
        static WORDS: OnceNeeded<[AtomicU64; 1 << 11]> = OnceNeeded::new();
        assert!(WORDS.taken().is_none());
        let words = WORDS.get().expect("memory");
        assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
        words[2047].store(7, Ordering::Relaxed);
        let again = WORDS.taken().and_then(|words| words.last());
        assert_eq!(again.map(|word| word.load(Ordering::Relaxed)), Some(7));
    }

    #[test]
    fn a_page_is_zeros_and_ones_own() {
        let (one, other) = (take_page::<Words>(), take_page::<Words>());
        let (one, other) = (one.expect("memory"), other.expect("memory"));
        one.0.iter().for_each(|word| word.set(7));
        assert!(other.0.iter().all(|word| word.get() == 0));
        let pages = [&raw const *one, &raw const *other];
        // SAFETY: neither reference is used any more.
        pages.into_iter().for_each(|page| unsafe { give_page_back(page) });
    }
}
