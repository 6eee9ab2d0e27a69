//! Signals while the exporter runs: the program must not be notified of a child that it does not know.

use std::mem::MaybeUninit;

/// A changed action of a signal, the default one or none; the program's own is restored when this is dropped.
pub(crate) struct Changed {
    signal: libc::c_int,
    before: Option<libc::sigaction>,
}

impl Changed {
    /// Disables the program's handler for children that end, if it has one: it may print, count, or end the program.
    /// It also keeps the kernel from waiting for children, as it does if the program ignores the signal.
    pub(crate) fn without_child_signals() -> Changed {
        Changed::to(libc::SIGCHLD, libc::SIG_DFL)
    }

    fn to(signal: libc::c_int, action: libc::sighandler_t) -> Changed {
        let mut before = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: all zeros is an empty mask without flags; the old action is read only after success.
        let before = unsafe {
            let mut changed = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            changed.sa_sigaction = action;
            match libc::sigaction(signal, &raw const changed, before.as_mut_ptr()) {
                0 => Some(before.assume_init()),
                _ => None,
            }
        };
        Changed { signal, before }
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: the previous action.
            unsafe { libc::sigaction(self.signal, before, std::ptr::null_mut()) };
        }
    }
}
