//! Reasons why a thread does not get the recording that was asked for, in records and in one word.

use ompttrace_recording::events::cores as reason;

/// The reason why a thread does not get the recording of its cores that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The system refuses perf events, with this error number.
    Refused(i32),
    NoMemory,
    NoDescriptor,
    Filtered,
    NoAccounting,
}

impl Refusal {
    /// The reason's number in records.
    pub(super) fn reason(self) -> u64 {
        match self {
            Refusal::Refused(_) => reason::REFUSED,
            Refusal::NoMemory => reason::NO_MEMORY,
            Refusal::NoDescriptor => reason::NO_DESCRIPTOR,
            Refusal::Filtered => reason::FILTERED,
            Refusal::NoAccounting => reason::NO_ACCOUNTING,
        }
    }

    pub(super) fn errno(self) -> i32 {
        match self {
            Refusal::Refused(errno) => errno,
            _ => 0,
        }
    }

    /// One word that has both, never 0.
    pub(super) fn to_number(self) -> u64 {
        self.reason() | (self.errno() as u64) << 32
    }

    pub(super) fn from_number(number: u64) -> Option<Refusal> {
        Some(match number & 0xffff_ffff {
            reason::REFUSED => Refusal::Refused((number >> 32) as i32),
            reason::NO_MEMORY => Refusal::NoMemory,
            reason::NO_DESCRIPTOR => Refusal::NoDescriptor,
            reason::FILTERED => Refusal::Filtered,
            reason::NO_ACCOUNTING => Refusal::NoAccounting,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_come_back_from_their_numbers() {
        use Refusal::*;
        for refusal in [Refused(libc::EACCES), NoMemory, NoDescriptor, Filtered, NoAccounting] {
            assert_eq!(Refusal::from_number(refusal.to_number()), Some(refusal));
        }
        assert_eq!(Refusal::from_number(0), None);
    }
}
