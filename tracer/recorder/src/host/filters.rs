//! Seccomp filters that the program adds to itself: from then on nothing is opened, for that may end it.

use crate::host::proc_file::{self, Status};

/// The filters that existed when the recording began.
pub(crate) struct Filters {
    any: bool,
    count: u64,
}

impl Filters {
    pub(crate) fn at_start(status: Option<&Status>) -> Filters {
        Filters { any: is_filtered(), count: status.map_or(0, |status| status.filters) }
    }

    /// Returns true if the calling thread has more filters now. Only if there were some at the begin does this open a
    /// file: the filters of a container allow that, and nothing else reports their number.
    pub(crate) fn were_added(&self) -> bool {
        is_filtered()
            && (!self.any || proc_file::status().is_none_or(|status| status.filters > self.count))
    }
}

fn is_filtered() -> bool {
    // SAFETY: a question without further arguments, which fails where the kernel knows no filters.
    unsafe { libc::prctl(libc::PR_GET_SECCOMP) > 0 }
}
