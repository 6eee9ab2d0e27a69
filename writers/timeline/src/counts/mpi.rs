//! Counts of MPI's calls by function, and of what was sent.

use ompttrace_recording::events::{Event, MpiEnter, MpiSend, MpiWorld};
use ompttrace_recording::words::KIND_MASK;
use std::collections::BTreeMap;

/// See the file's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MpiCounts {
    /// The process's place in the program; `None`: MPI was not initialised, or that was not recorded.
    pub world: Option<MpiWorld>,
    /// Calls by the number of the function ([`ompttrace_recording::mpi::function`]).
    pub calls: BTreeMap<u64, u64>,
    /// Messages that were sent to one rank, posted sends among them.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
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
            Event::MpiSend(MpiSend { bytes, .. }) => {
                self.sent += 1;
                self.sent_bytes = self.sent_bytes.saturating_add(*bytes);
            }
            Event::MpiWorld(world) => self.world = Some(*world),
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
    }
}
