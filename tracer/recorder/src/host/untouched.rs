//! The host thread's state that our slow paths must leave as they found it: errno, and whether it can be cancelled.
//!
//! No value with a destructor does this: a thread that may be cancelled at any instruction may be so right before
//! [`shut`], in it, and at the end of [`Untouched::open`], and functions that have nothing to tidy up are the only
//! ones of Rust through which a cancellation can unwind from anywhere.

unsafe extern "C-unwind" {
    /// Neither is in the `libc` crate. In each of these three functions a cancellation may act, by unwinding.
    fn pthread_setcancelstate(state: libc::c_int, old: *mut libc::c_int) -> libc::c_int;
    fn pthread_setcanceltype(kind: libc::c_int, old: *mut libc::c_int) -> libc::c_int;
    fn close(descriptor: libc::c_int) -> libc::c_int;
}

/// PTHREAD_CANCEL_DISABLE of glibc and musl.
const DISABLE: libc::c_int = 1;
/// PTHREAD_CANCEL_DEFERRED of glibc and musl.
const DEFERRED: libc::c_int = 0;

/// The host thread's state to be restored: its cancellation state and type, and errno.
#[must_use]
pub(crate) struct Untouched {
    cancel_state: libc::c_int,
    cancel_type: libc::c_int,
    errno: libc::c_int,
}

/// From here on the thread cannot be cancelled: write(2) and open(2) are cancellation points, and an unwinding thread
/// would leave our locks and our state behind.
pub(crate) fn shut() -> Untouched {
    let (mut cancel_state, mut cancel_type) = (0, DEFERRED);
    // SAFETY: writes the old values to this stack; errno is the calling thread's own word.
    unsafe {
        let errno = *libc::__errno_location();
        pthread_setcancelstate(DISABLE, &raw mut cancel_state);
        pthread_setcanceltype(DEFERRED, &raw mut cancel_type);
        if cancel_type != DEFERRED {
            meet_cancellation();
        }
        Untouched { cancel_state, cancel_type, errno }
    }
}

impl Untouched {
    /// Restores the thread's state.
    pub(crate) fn open(self) {
        // SAFETY: writes errno, the calling thread's own word; a null pointer for the old value is allowed.
        // pthread_setcanceltype comes last: if a pending cancellation acts inside it, pthread_join still returns
        // PTHREAD_CANCELED; inside pthread_setcancelstate it would not (glibc 2.36).
        unsafe {
            *libc::__errno_location() = self.errno;
            pthread_setcancelstate(self.cancel_state, std::ptr::null_mut());
            if self.cancel_type != DEFERRED {
                pthread_setcanceltype(self.cancel_type, std::ptr::null_mut());
            }
        }
    }
}

/// The signal of an asynchronous cancellation may have been sent before cancellation was disabled here, and would then
/// act in any cancellation point (glibc 2.36). Every cancellation point waits at its end for such a signal: this one
/// does nothing else, so that the signal acts here.
#[cold]
fn meet_cancellation() {
    // SAFETY: no descriptor has this number.
    unsafe { close(-1) };
}
