//! Descriptors for event files: the file of every location stays open whose events do not fit in one
//! chunk, and their number is that of the threads of a run.

/// Raises the limit of open files of the process to its hard limit.
pub(super) fn want_many() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for the write.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } != 0 {
        return;
    }
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: `limit` is filled. Should it be refused, the archive says what it lacks.
    let _ = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
}
