//! A perf event of a thread's task clock that sends it its signal; nobody counts with it.
//!
//! It overflows in the program's own code only, never in the kernel: so no system call is interrupted, and no signal is
//! on its way when the program becomes another. What keeps it is its mapping, one page: its descriptor is closed at
//! once, and a forked child has neither.

use crate::host::page::page_bytes;
use crate::host::perf::Attributes;

/// PERF_EVENT_IOC_ENABLE.
const ENABLE: libc::c_ulong = 0x2400;
/// F_SETSIG and F_SETOWN_EX.
const SET_SIGNAL: libc::c_int = 10;
const SET_OWNER: libc::c_int = 15;
/// F_OWNER_TID.
const THREAD: libc::c_int = 0;

/// struct f_owner_ex.
#[repr(C)]
struct Owner {
    kind: libc::c_int,
    pid: libc::pid_t,
}

/// Returns the system's error number if it does not allow such an event.
pub(super) fn probe() -> Result<(), i32> {
    let descriptor = Attributes::of_samples(1_000_000_000).open(None)?;
    // SAFETY: a descriptor of our own.
    unsafe { libc::close(descriptor) };
    Ok(())
}

/// Sends the calling thread `signal` every `period` nanoseconds of its own code from now on, until [`close`] gets the
/// address that this returns.
pub(super) fn open(period: u64, signal: libc::c_int) -> Result<u64, i32> {
    let descriptor = Attributes::of_samples(period).open(None)?;
    // SAFETY: a descriptor of our own, a structure that the kernel reads, and a mapping at an address of its choice,
    // which lasts without the descriptor.
    unsafe {
        let owner = Owner { kind: THREAD, pid: libc::gettid() };
        let set = libc::fcntl(descriptor, SET_SIGNAL, signal) == 0
            && libc::fcntl(descriptor, SET_OWNER, &raw const owner) == 0
            && libc::fcntl(descriptor, libc::F_SETFL, libc::O_ASYNC) == 0;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let page = match set {
            true => libc::mmap(
                std::ptr::null_mut(),
                page_bytes(),
                rights,
                libc::MAP_SHARED,
                descriptor,
                0,
            ),
            false => libc::MAP_FAILED,
        };
        let error = *libc::__errno_location();
        if page != libc::MAP_FAILED {
            libc::ioctl(descriptor, ENABLE as _, 0);
        }
        libc::close(descriptor);
        if page == libc::MAP_FAILED {
            return Err(error);
        }
        Ok(page.expose_provenance() as u64)
    }
}

/// Ends it: the thread gets no more signals, but for one that is on its way.
pub(super) fn close(address: u64) {
    let page = std::ptr::with_exposed_provenance_mut::<libc::c_void>(address as usize);
    if !page.is_null() {
        // SAFETY: the mapping of `open`, whole, which nobody reads.
        unsafe { libc::munmap(page, page_bytes()) };
    }
}
