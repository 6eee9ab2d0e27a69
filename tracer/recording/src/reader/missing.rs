//! The records that a recording without its pool lacks: they cannot be counted, but the size of the buffers limits them.

use crate::pool::SLOTS;
use std::fmt;

/// The smallest record is one word.
const SMALLEST_RECORD: u64 = 8;

/// The records of every thread's buffers, which are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Upper limit of the missing bytes of each thread; 0 is unknown.
    pub bytes_per_thread: u64,
}

impl Missing {
    /// The limit for buffers of this size in bytes.
    pub(super) fn of(buffer_bytes: u64) -> Missing {
        Missing { bytes_per_thread: buffer_bytes.saturating_mul(SLOTS as u64) }
    }

    /// Upper limit of the missing records of each thread; 0 is unknown.
    pub fn records_per_thread(self) -> u64 {
        self.bytes_per_thread / SMALLEST_RECORD
    }
}

/// `up to 4096 records per thread`
impl fmt::Display for Missing {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.records_per_thread() {
            0 => to.write_str("an unknown number of records per thread"),
            records => write!(to, "up to {records} records per thread"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::DEFAULT_SLOT;

    #[test]
    fn two_buffers_bound_what_is_missing() {
        assert_eq!(Missing::of(DEFAULT_SLOT as u64).to_string(), "up to 4096 records per thread");
        assert_eq!(Missing::of(0).to_string(), "an unknown number of records per thread");
    }
}
