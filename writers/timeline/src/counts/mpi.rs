//! Counts of MPI's calls by function, and of what was sent.

use ompttrace_recording::events::{Event, MpiEnter, MpiPolls, MpiSend, MpiWorld};
use ompttrace_recording::mpi::Clock;
use ompttrace_recording::words::KIND_MASK;
use std::collections::BTreeMap;

/// Numbers of calls of MPI by function, and of sent messages and bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MpiCounts {
    /// The process's place in the program; `None`: MPI was not initialised, or that was not recorded.
    pub world: Option<MpiWorld>,
    /// Calls by the number of the function ([`ompttrace_recording::mpi::function`]).
    pub calls: BTreeMap<u64, u64>,
    /// Messages that were sent to one rank, posted sends among them.
    pub sent: u64,
    /// Number of bytes of these messages.
    pub sent_bytes: u64,
    /// Comparisons of the process's clock with that of another rank, in the order of time.
    pub clocks: Vec<Clock>,
}

impl MpiCounts {
    /// All calls.
    pub fn all_calls(&self) -> u64 {
        self.calls.values().sum()
    }

    pub(crate) fn note(&mut self, event: &Event) {
        match event {
            Event::MpiEnter(MpiEnter { kind, .. }) => {
                *self.calls.entry(kind & KIND_MASK).or_default() += 1;
            }
            // Its mpi_enter is one of them.
            Event::MpiPolls(polls) => {
                let MpiPolls { function, count, other, other_count } = *polls;
                for (function, more) in [(function, count.saturating_sub(1)), (other, other_count)]
                {
                    if more > 0 {
                        *self.calls.entry(function).or_default() += more;
                    }
                }
            }
            Event::MpiSend(MpiSend { bytes, .. }) => {
                self.sent += 1;
                self.sent_bytes = self.sent_bytes.saturating_add(*bytes);
            }
            Event::MpiWorld(world) => self.world = Some(*world),
            Event::MpiClock(clock) => self.clocks.push(Clock::from(clock)),
            _ => {}
        }
    }

    pub(crate) fn add(&mut self, other: &MpiCounts) {
        self.world = self.world.or(other.world);
        for (function, calls) in &other.calls {
            *self.calls.entry(*function).or_default() += calls;
        }
        self.sent += other.sent;
        self.sent_bytes = self.sent_bytes.saturating_add(other.sent_bytes);
        self.clocks.extend(&other.clocks);
        self.clocks.sort_by_key(|clock| clock.time_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_of_a_run_count_by_their_functions() {
        let mut counts = MpiCounts::default();
        let run = MpiPolls { function: 7, count: 5, other: 9, other_count: 2 };
        let call = MpiEnter { kind: 7, ..MpiEnter::default() };
        for event in [Event::MpiPolls(run), Event::MpiEnter(call), Event::MpiEnter(call)] {
            counts.note(&event);
        }
        assert_eq!(counts.calls, BTreeMap::from([(7, 6), (9, 2)]));
    }
}
