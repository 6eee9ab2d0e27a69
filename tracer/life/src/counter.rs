//! The processor's counter, which a program may forbid its threads to read (PR_SET_TSC): a thread that reads it then dies.

/// While it lives the calling thread may read the counter, and so may a process that it starts, which inherits that.
pub(crate) struct Readable {
    before: libc::c_int,
}

impl Readable {
    pub(crate) fn begin() -> Readable {
        let mut before = libc::PR_TSC_ENABLE;
        // SAFETY: fills a number on this stack, or fails and leaves it.
        unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut before) };
        let readable = Readable { before };
        readable.set(libc::PR_TSC_ENABLE);
        readable
    }

    fn set(&self, to: libc::c_int) {
        if self.before != libc::PR_TSC_ENABLE {
            // SAFETY: changes no memory; the thread was in that state before, or may read more than it could.
            unsafe { libc::prctl(libc::PR_SET_TSC, to) };
        }
    }
}

impl Drop for Readable {
    fn drop(&mut self) {
        self.set(self.before);
    }
}
