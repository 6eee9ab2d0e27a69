//! The host thread's state that our slow paths must leave as they found it.

unsafe extern "C" {
    /// Not in the `libc` crate.
    fn pthread_setcancelstate(state: libc::c_int, old: *mut libc::c_int) -> libc::c_int;
}

/// PTHREAD_CANCEL_DISABLE of glibc and musl.
const DISABLE: libc::c_int = 1;

/// While it lives the thread cannot be cancelled: write(2) and open(2) are cancellation points, and
/// an unwinding thread would meet our `catch_unwind`. errno is put back at its end.
pub(crate) struct Untouched {
    cancel_state: libc::c_int,
    errno: libc::c_int,
}

impl Untouched {
    pub(crate) fn begin() -> Untouched {
        let mut cancel_state = 0;
        // SAFETY: writes the old state to this stack; errno is the calling thread's own word.
        unsafe {
            let errno = *libc::__errno_location();
            pthread_setcancelstate(DISABLE, &raw mut cancel_state);
            Untouched { cancel_state, errno }
        }
    }
}

impl Drop for Untouched {
    fn drop(&mut self) {
        // SAFETY: as above; a null place for the old state is allowed.
        unsafe {
            pthread_setcancelstate(self.cancel_state, std::ptr::null_mut());
            *libc::__errno_location() = self.errno;
        }
    }
}
