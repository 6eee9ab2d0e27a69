//! Iterations of doacross loops that are done, and threads that waited for one.

use crate::hash::{FastMap, iteration_flow};
use std::collections::VecDeque;

/// Iterations that are remembered; what waits for one that was before them has no arrow.
const MAX_DONE: usize = 1 << 16;
/// Arrows from one iteration.
const MAX_BRANCHES: u32 = 16;

/// An iteration that others may continue after.
#[derive(Clone, Copy, Debug)]
struct FinishedIteration {
    branches: u32,
    used: u32,
}

/// All iterations by their keys ([`crate::hash::iteration_key`]).
#[derive(Debug, Default)]
pub(crate) struct Doacross {
    done: FastMap<u64, FinishedIteration>,
    order: VecDeque<u64>,
    /// Largest number of iterations that a thread waited for before it did one: as many may wait for one iteration.
    branches: u32,
    /// Threads whose wait is over by their own record, for iterations that are not done by theirs.
    ahead: FastMap<u64, Vec<u32>>,
}

impl Doacross {
    /// An iteration is done, by a thread that waited `sinks` times for it; the flows that leave it. A
    /// flow is one arrow, and how many will be needed is unknown: as many as ever were, and one
    /// more than the loop has dimensions, which is what stencils take.
    pub(crate) fn post(&mut self, key: u64, sinks: u32, dimensions: usize) -> Vec<u64> {
        self.branches = self.branches.max(sinks);
        let branches = self.branches.max(dimensions as u32 + 1).min(MAX_BRANCHES);
        if self.order.len() >= MAX_DONE
            && let Some(oldest) = self.order.pop_front()
        {
            self.done.remove(&oldest);
        }
        if self.done.insert(key, FinishedIteration { branches, used: 0 }).is_none() {
            self.order.push_back(key);
        }
        (0..branches).map(|branch| iteration_flow(key, branch)).collect()
    }

    /// Returns true if an iteration is known to be done.
    pub(crate) fn is_done(&self, key: u64) -> bool {
        self.done.contains_key(&key)
    }

    /// The flow to one more that waited for an iteration, if it has one left.
    pub(crate) fn flow_from(&mut self, key: u64) -> Option<u64> {
        let done = self.done.get_mut(&key).filter(|done| done.used < done.branches)?;
        done.used += 1;
        Some(iteration_flow(key, done.used - 1))
    }

    /// Thread `t` says that it need not wait for an iteration any more whose own record is still to come.
    pub(crate) fn is_ahead(&mut self, key: u64, t: u32) {
        self.ahead.entry(key).or_default().push(t);
    }

    /// Thread `t` continues, and nothing came.
    pub(crate) fn goes_on(&mut self, key: u64, t: u32) {
        if let Some(threads) = self.ahead.get_mut(&key) {
            threads.retain(|other| *other != t);
            if threads.is_empty() {
                self.ahead.remove(&key);
            }
        }
    }

    /// The threads that were ahead of an iteration that is done now.
    pub(crate) fn caught_up(&mut self, key: u64) -> Vec<u32> {
        if self.ahead.is_empty() { Vec::new() } else { self.ahead.remove(&key).unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_arrow_is_a_flow_of_its_own() {
        let mut doacross = Doacross::default();
        let flows = doacross.post(7, 0, 1);
        assert_eq!(flows.len(), 2);
        let found = [doacross.flow_from(7), doacross.flow_from(7), doacross.flow_from(7)];
        assert_eq!(found, [Some(flows[0]), Some(flows[1]), None]);
        assert_eq!(doacross.post(8, 5, 1).len(), 5, "one that waited for five has five after it");
        assert_eq!(doacross.flow_from(9), None);
    }

    #[test]
    fn memory_is_bounded() {
        let mut doacross = Doacross::default();
        for key in 0..2 * MAX_DONE as u64 {
            doacross.post(key, 0, 1);
        }
        assert_eq!((doacross.done.len(), doacross.order.len()), (MAX_DONE, MAX_DONE));
        assert!(!doacross.is_done(0) && doacross.is_done(2 * MAX_DONE as u64 - 1));
    }
}
