//! The phases of the program that are open on a thread. They are followed also while recording is paused: those that are open
//! when it goes on are recorded then.

use crate::host::primitives::Plain;
use crate::host::sync::Ordering;
use ompttrace_recording::events::Phase;
use ompttrace_recording::phases::{DEEPEST, kind};

/// Bits of a kind in [`OpenPhases::kinds`].
const KIND_BITS: usize = 4;
const KIND_MASK: u64 = (1 << KIND_BITS) - 1;
const _: () = assert!(DEEPEST * KIND_BITS == 64);

/// The open phases of a thread, outermost first. Only the thread itself uses them.
pub(crate) struct OpenPhases {
    /// Number of phases that are open, those that are too deep included.
    depth: Plain,
    /// Kind of each.
    kinds: Plain,
    /// Number of the name or of the iteration of each.
    what: [Plain; DEEPEST],
}

impl OpenPhases {
    /// No phase.
    pub(crate) const fn new() -> OpenPhases {
        OpenPhases {
            depth: Plain::new(0),
            kinds: Plain::new(0),
            what: [const { Plain::new(0) }; DEEPEST],
        }
    }

    /// Forgets all of them.
    pub(crate) fn reset(&self) {
        self.depth.store(0, Ordering::Relaxed);
    }

    /// Adds one; returns its record, or `None` if it is too deep.
    #[inline(always)]
    pub(crate) fn begin(&self, kind: u64, what: u64) -> Option<Phase> {
        let depth = self.depth.load(Ordering::Relaxed);
        self.depth.store(depth + 1, Ordering::Relaxed);
        self.what.get(depth as usize)?.store(what, Ordering::Relaxed);
        let shift = depth as usize * KIND_BITS;
        let kinds = self.kinds.load(Ordering::Relaxed) & !(KIND_MASK << shift);
        self.kinds.store(kinds | (kind & KIND_MASK) << shift, Ordering::Relaxed);
        Some(Phase { kind, depth, what })
    }

    /// Removes the innermost one; returns its record, or `None` if it was too deep or there is none.
    #[inline(always)]
    pub(crate) fn end(&self) -> Option<Phase> {
        let depth = self.depth.load(Ordering::Relaxed).checked_sub(1)?;
        self.depth.store(depth, Ordering::Relaxed);
        self.at(depth)
    }

    /// True if the innermost one is an iteration.
    #[inline(always)]
    pub(crate) fn is_in_iteration(&self) -> bool {
        let innermost = self.depth.load(Ordering::Relaxed).checked_sub(1);
        let innermost = innermost.and_then(|depth| self.at(depth));
        innermost.is_some_and(|phase| phase.kind == kind::ITERATION)
    }

    /// All of them but those that are too deep, outermost first.
    pub(crate) fn all(&self) -> impl Iterator<Item = Phase> + '_ {
        (0..self.depth.load(Ordering::Relaxed)).map_while(|depth| self.at(depth))
    }

    #[inline(always)]
    fn at(&self, depth: u64) -> Option<Phase> {
        let what = self.what.get(depth as usize)?.load(Ordering::Relaxed);
        let kinds = self.kinds.load(Ordering::Relaxed);
        Some(Phase { kind: kinds >> (depth as usize * KIND_BITS) & KIND_MASK, depth, what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_nest_and_those_that_are_too_deep_are_only_counted() {
        let open = OpenPhases::new();
        assert!(open.end().is_none() && !open.is_in_iteration());
        for depth in 0..DEEPEST as u64 {
            let begun = open.begin(depth % 8, 100 + depth);
            assert_eq!(begun, Some(Phase { kind: depth % 8, depth, what: 100 + depth }));
        }
        assert!(open.begin(1, 1).is_none() && open.end().is_none());
        assert_eq!(open.all().count(), DEEPEST);
        assert!(!open.is_in_iteration());
        for depth in (2..DEEPEST as u64).rev() {
            assert_eq!(open.end(), Some(Phase { kind: depth % 8, depth, what: 100 + depth }));
        }
        assert!(open.is_in_iteration());
        open.reset();
        assert_eq!(open.all().count(), 0);
    }
}
