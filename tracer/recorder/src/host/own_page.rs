//! A page of memory for what a source knows of a thread: taken at the thread's first event, given back at its end.
//!
//! Thread-local memory would be nearer, but what a library has of the kind that needs no call comes from a small
//! reserve of the dynamic linker's, which the program's own libraries need. And malloc is not for signal handlers,
//! in which a thread's first event may come.

use crate::host::untouched;
use ompttrace_recording::pool::PAGE;

/// What the first 4 KiB of a page can hold from the start.
///
/// # Safety
/// All zeros are a value of the type.
pub unsafe trait Zeroed: 'static {}

/// A page of zeros as a `T`; `None` when there is no memory. The kernel gives, and takes back, whole pages of its own,
/// of which larger ones have room for more than is used.
pub fn take_page<T: Zeroed>() -> Option<&'static T> {
    const { assert!(size_of::<T>() <= PAGE && align_of::<T>() <= PAGE) };
    let untouched = untouched::shut();
    // SAFETY: a new mapping at an address of the kernel's choice: a page of zeros, which are a `T`, aligned, and
    // there until `give_page_back`.
    let page = unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            PAGE,
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
/// It came from [`take_page`], and nobody has a reference to it any more.
pub unsafe fn give_page_back<T: Zeroed>(page: *const T) {
    let untouched = untouched::shut();
    // SAFETY: a whole mapping of ours, which nothing uses: the caller's promise.
    unsafe { libc::munmap(page.cast_mut().cast(), PAGE) };
    untouched.open();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    struct Words([Cell<u64>; 64]);
    // SAFETY: numbers.
    unsafe impl Zeroed for Words {}

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
