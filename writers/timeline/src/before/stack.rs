//! Constructs that one task is in, by the records of their begins.

use super::saved::Saved;
use ompttrace_model::ompt::{SyncRegion, Work};
use ompttrace_recording::Id;

/// Kind of a construct: an end closes a construct of its own kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Construct {
    Region,
    Sync(SyncRegion),
    Wait(SyncRegion),
    Work(Work),
    Dispatch,
    Masked,
    Reduction,
    Target(u16),
    /// The data of the next call of MPI, or of the one that is open.
    Transfer,
    /// A call of MPI.
    Mpi,
}

impl Construct {
    /// Returns true if the end of a construct of this kind ends `open`.
    fn ends(self, open: Construct) -> bool {
        match (self, open) {
            (Construct::Sync(end), Construct::Sync(open))
            | (Construct::Wait(end), Construct::Wait(open)) => open.is_same(end),
            (end, open) => end == open,
        }
    }
}

/// Open constructs, outermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack(Vec<(Construct, Saved)>);

impl Stack {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn saved(&self) -> impl Iterator<Item = Saved> {
        self.0.iter().map(|(_, saved)| *saved)
    }

    /// The ids of open regions, which are in their records.
    pub(super) fn regions(&self) -> impl Iterator<Item = Id> {
        let regions = self.0.iter().filter(|(construct, _)| *construct == Construct::Region);
        regions.map(|(_, saved)| Id(super::region_of(saved)))
    }

    /// The record of the innermost open construct of this kind.
    pub(super) fn innermost(&self, construct: Construct) -> Option<Saved> {
        let found = self.0.iter().rfind(|(open, _)| *open == construct);
        found.map(|(_, saved)| *saved)
    }

    fn top(&self) -> Option<Construct> {
        self.0.last().map(|(construct, _)| *construct)
    }

    /// Begins a construct. Constructs that cannot be open then have lost their ends, and are dropped as interpretation
    /// does.
    #[inline]
    pub(super) fn begin(&mut self, construct: Construct, saved: Saved) {
        match construct {
            Construct::Sync(kind) if kind.is_barrier() => self.end_what_was_left(),
            Construct::Work(kind) if kind != Work::Taskloop => self.end_what_was_left(),
            Construct::Wait(_) | Construct::Region | Construct::Mpi
                if self.top() == Some(construct) =>
            {
                self.0.pop();
            }
            // Of a call whose end was not recorded.
            Construct::Transfer => {
                self.end(Construct::Transfer);
            }
            Construct::Dispatch => {
                let of = self.0.iter().rposition(|(open, _)| matches!(open, Construct::Work(_)));
                // Outside a loop it is an instant.
                let Some(of) = of else { return };
                self.0.truncate(of + 1);
            }
            _ => {}
        }
        self.0.push((construct, saved));
    }

    /// Ends a construct and those open inside it. Returns false if it is not open.
    #[inline]
    pub(super) fn end(&mut self, construct: Construct) -> bool {
        let exact = self.0.iter().rposition(|(open, _)| construct.ends(*open));
        let any_work = || match construct {
            Construct::Work(_) => {
                self.0.iter().rposition(|(open, _)| matches!(open, Construct::Work(_)))
            }
            _ => None,
        };
        let found = exact.or_else(any_work);
        if let Some(found) = found {
            self.0.truncate(found);
        }
        found.is_some()
    }

    /// Drops a construct that was left without an end, as `Interpreter::end_what_was_left` does.
    fn end_what_was_left(&mut self) {
        let chunk = self.top() == Some(Construct::Dispatch);
        let Some(innermost) = self.0.len().checked_sub(1 + usize::from(chunk)) else { return };
        let left = match self.0.get(innermost).map(|(construct, _)| *construct) {
            Some(Construct::Work(Work::SingleExecutor) | Construct::Masked) => !chunk,
            Some(Construct::Work(work)) => work.is_cancellable(),
            _ => false,
        };
        if left {
            self.0.truncate(innermost);
        }
    }
}
