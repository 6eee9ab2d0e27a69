//! Time in states: the duration of each state, and the part of it that was on cores.

use crate::cores::CoreTimes;
use ompttrace_model::Core;
pub use ompttrace_model::{Metric, State};
use serde::ser::{Serialize, SerializeMap, Serializer};

const COUNT: usize = State::COUNT;

/// Time in every state, in nanoseconds, and beside it how much of it was on cores. JSON: an object with a field for
/// each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    states: [u64; COUNT],
    /// Time with and without a core, as far as the kernel reported it.
    pub cores: CoreTimes,
    /// Part of the work that storing records took, in nanoseconds: see [`Recording`](crate::model::Recording).
    pub recording_work: u64,
}

impl Times {
    /// Adds time to a state.
    #[inline]
    pub fn add(&mut self, state: State, nanoseconds: u64) {
        self.states[state as usize] += nanoseconds;
    }

    /// Adds time in a state that is waiting or not, on a core or without one; storing records took so much of it if it is work.
    #[inline(always)]
    pub(crate) fn pass(
        &mut self,
        (state, waits): (State, bool),
        core: Core,
        nanoseconds: u64,
        recording_work: u64,
    ) {
        self.add(state, nanoseconds);
        self.cores.add(core, waits, nanoseconds);
        self.recording_work += recording_work;
    }

    /// Moves time from one state to another, as far as there is any.
    pub(crate) fn move_time(&mut self, from: State, to: State, nanoseconds: u64) {
        let moved = nanoseconds.min(self.of(from));
        self.states[from as usize] -= moved;
        self.add(to, moved);
    }

    /// Makes it so much time in a state.
    pub(crate) fn set(&mut self, state: State, nanoseconds: u64) {
        self.states[state as usize] = nanoseconds;
    }

    /// Adds all of another.
    pub fn add_all(&mut self, other: &Times) {
        self.states.iter_mut().zip(other.states).for_each(|(sum, time)| *sum += time);
        self.cores.add_all(&other.cores);
        self.recording_work += other.recording_work;
    }

    /// The time in one state.
    pub fn of(&self, state: State) -> u64 {
        self.states[state as usize]
    }

    /// The time in all states of a kind.
    pub fn sum(&self, wanted: impl Fn(State) -> bool) -> u64 {
        State::ALL.iter().filter(|state| wanted(**state)).map(|state| self.of(*state)).sum()
    }

    /// The time in all states.
    pub fn all(&self) -> u64 {
        self.states.iter().sum()
    }

    /// The time in the states of a metric.
    pub fn metric(&self, metric: Metric) -> u64 {
        self.sum(|state| state.metric() == metric)
    }

    /// OpenMP Work.
    pub fn work(&self) -> u64 {
        self.sum(State::is_work)
    }
}

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(COUNT))?;
        for state in State::ALL {
            map.serialize_entry(state.name(), &self.of(*state))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_counts_once() {
        let mut times = Times::default();
        State::ALL.iter().for_each(|state| times.add(*state, 1));
        let metrics = [Metric::Work, Metric::Wait, Metric::Idle, Metric::OffCore];
        let sums = metrics.map(|metric| times.metric(metric));
        assert_eq!(sums, [4, 22, 1, 2]);
        assert_eq!(times.all(), sums.iter().sum::<u64>());
    }
}
