//! Signals around the exporter: the program must not hear of a child that it does not know, and the
//! user must be able to stop it.

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

    /// For a process that is started meanwhile: it gets an error where a file may not grow, and can
    /// clear up and say so.
    pub(crate) fn limits_are_errors() -> Changed {
        Changed::to(libc::SIGXFSZ, libc::SIG_IGN)
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

/// Attributes of a process to be started.
pub(crate) struct Attributes(pub(crate) libc::posix_spawnattr_t);

impl Attributes {
    /// None of its signals is blocked, whatever the calling thread has blocked: it can be interrupted.
    pub(crate) fn with_signals_open() -> Option<Attributes> {
        let mut attributes = MaybeUninit::<libc::posix_spawnattr_t>::uninit();
        let mut none = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: both are initialised by their functions before they are used.
        unsafe {
            if libc::posix_spawnattr_init(attributes.as_mut_ptr()) != 0 {
                return None;
            }
            let mut attributes = Attributes(attributes.assume_init());
            libc::sigemptyset(none.as_mut_ptr());
            let flags = libc::POSIX_SPAWN_SETSIGMASK as libc::c_short;
            libc::posix_spawnattr_setsigmask(&raw mut attributes.0, none.as_ptr());
            libc::posix_spawnattr_setflags(&raw mut attributes.0, flags);
            Some(attributes)
        }
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised when it was made.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}
