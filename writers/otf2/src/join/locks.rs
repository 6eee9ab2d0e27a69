//! The order in which each lock was acquired, from session to session.

use std::sync::Arc;

use ompttrace_model::ThreadRef;

use crate::archive::{LockName, Number};
use crate::segment::LockState;

/// A lock of an archive.
#[derive(Clone, Debug, Default)]
struct LockOwners {
    acquired: u32,
    /// Threads that hold the lock, each with the number of its acquisition.
    holders: Vec<(ThreadRef, u32)>,
}

/// All locks, and those of the session by its own numbers.
#[derive(Debug, Default)]
pub(super) struct Locks {
    all: Vec<LockOwners>,
    names: Arc<Vec<LockName>>,
}

impl Locks {
    /// Begins another session, which has numbers of its own.
    pub(super) fn begin_session(&mut self) {
        self.names = Arc::default();
    }

    /// The archive's numbers for the session's locks and acquisitions.
    pub(super) fn names(&self) -> &Arc<Vec<LockName>> {
        &self.names
    }

    /// Adds locks that the session knows, with their numbers in the archive.
    pub(super) fn define(&mut self, numbers: &[u32]) {
        let known = self.names.len();
        if known == numbers.len() {
            return;
        }
        let names = Arc::make_mut(&mut self.names);
        for number in numbers.iter().skip(known) {
            let index = *number as usize;
            if self.all.len() <= index {
                self.all.resize(index + 1, LockOwners::default());
            }
            let acquired = self.all.get(index).map_or(0, |lock| lock.acquired);
            let encoded = Number::new(*number);
            names.push(LockName { number: *number, encoded, acquired, ..LockName::default() });
        }
    }

    /// Acquisitions that the session knows of from before it began.
    pub(super) fn held(&mut self, states: &[LockState]) {
        if states.is_empty() {
            return;
        }
        let names = Arc::make_mut(&mut self.names);
        for LockState { lock, acquired, holders } in states {
            let Some(name) = names.get_mut(*lock as usize) else { continue };
            name.before = *acquired;
            let Some(known) = self.all.get(name.number as usize) else { continue };
            let order = |thread| known.holders.iter().find(|(holder, _)| *holder == thread);
            name.held = holders
                .iter()
                .filter_map(|(thread, own)| Some((*own, order(*thread)?.1)))
                .collect();
        }
    }

    /// Updates all locks by their states at the end of the session.
    pub(super) fn end(&mut self, states: &[LockState]) {
        for LockState { lock, acquired, holders } in states {
            let Some(name) = self.names.get(*lock as usize) else { continue };
            let Some(known) = self.all.get_mut(name.number as usize) else { continue };
            known.acquired = name.acquired.wrapping_add(acquired.saturating_sub(name.before));
            known.holders =
                holders.iter().map(|(thread, own)| (*thread, name.order(*own))).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acquisitions_are_counted_on_by_the_next_session() {
        let mut locks = Locks::default();
        locks.define(&[0]);
        let state = |acquired, holders: &[(ThreadRef, u32)]| {
            vec![LockState { lock: 0, acquired, holders: holders.to_vec() }]
        };
        locks.end(&state(5, &[(1, 5)]));
        locks.begin_session();
        locks.define(&[0]);
        locks.held(&state(1, &[(1, 1)]));
        let orders = [1, 2, 3].map(|order| locks.names()[0].order(order));
        assert_eq!(orders, [5, 6, 7]);
        locks.end(&state(3, &[(0, 3)]));
        assert_eq!((locks.all[0].acquired, &locks.all[0].holders[..]), (7, &[(0, 7)][..]));
    }
}
