//! Signals around the exporter: the program must not hear of a child that it does not know.

use std::mem::MaybeUninit;

/// While it lives, a signal of the program's has another action: the default one or none.
pub(crate) struct Changed {
    signal: libc::c_int,
    before: Option<libc::sigaction>,
}

impl Changed {
    /// The program's handler for children that end, if it has one, is not called: it may print,
    /// count, or end the program. Nor are children waited for by the kernel, as they are where the
    /// program ignores the signal.
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
