//! The phases of the program that are open on a thread. They are followed also while recording is paused: those that are open
//! when it goes on are recorded then.

use crate::host::primitives::Plain;
use crate::host::sync::Ordering;
use ompttrace_recording::events::Phase;
use ompttrace_recording::phases::{DEEPEST, kind};

/// Bits of a kind in [`Owner`].
const KIND_BITS: u32 = 8;

/// The kind of a phase and the domain in which its end looks for it: interfaces and domains each nest, but not with one another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner(u64);

impl Owner {
    /// The owner of phases of this kind in this domain.
    #[inline(always)]
    pub(crate) const fn new(kind: u64, domain: u64) -> Owner {
        Owner(domain << KIND_BITS | kind)
    }

    /// The kind of its phases.
    #[inline(always)]
    pub(crate) fn kind(self) -> u64 {
        self.0 & ((1 << KIND_BITS) - 1)
    }
}

/// The open phases of a thread, outermost first. Only the thread itself uses them.
pub(crate) struct OpenPhases {
    /// Number of phases that are open, those that are too deep included.
    depth: Plain,
    /// [`Owner`] of each.
    owners: [Plain; DEEPEST],
    /// Number of the name or of the iteration of each.
    what: [Plain; DEEPEST],
}

impl OpenPhases {
    /// No phase.
    pub(crate) const fn new() -> OpenPhases {
        OpenPhases {
            depth: Plain::new(0),
            owners: [const { Plain::new(0) }; DEEPEST],
            what: [const { Plain::new(0) }; DEEPEST],
        }
    }

    /// Forgets all of them.
    pub(crate) fn reset(&self) {
        self.depth.store(0, Ordering::Relaxed);
    }

    /// Adds one; returns its record, or `None` if it is too deep.
    #[inline(always)]
    pub(crate) fn begin(&self, owner: Owner, what: u64) -> Option<Phase> {
        let depth = self.depth();
        self.depth.store(depth + 1, Ordering::Relaxed);
        self.put(depth, owner, what)?;
        Some(Phase { kind: owner.kind(), depth, what })
    }

    /// Removes the one at this depth; returns its record, or `None` if it was too deep or there is none. Those inside it go on, one
    /// less deep.
    #[inline(always)]
    pub(crate) fn end(&self, depth: u64) -> Option<Phase> {
        let innermost = self.depth().checked_sub(1)?;
        let ended = if depth <= innermost { self.at(depth) } else { None };
        self.depth.store(innermost, Ordering::Relaxed);
        for outer in depth..innermost {
            let (owner, what) = self.words(outer + 1)?;
            self.put(outer, owner, what)?;
        }
        ended
    }

    /// Number of phases that are open.
    #[inline(always)]
    pub(crate) fn depth(&self) -> u64 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Depth of the innermost one of this owner. Of those that are too deep the owner is not known: the innermost one stands for any.
    #[inline(always)]
    pub(crate) fn innermost(&self, wanted: Owner) -> Option<u64> {
        self.find(|owner| owner == wanted)
    }

    /// Depth of the iteration that the program's own next mark ends.
    #[inline(always)]
    pub(crate) fn iteration(&self) -> Option<u64> {
        let own = |owner: Owner| matches!(owner.kind(), kind::PHASE | kind::ITERATION);
        let depth = self.find(own)?;
        let (owner, _) = self.words(depth)?;
        (owner.kind() == kind::ITERATION).then_some(depth)
    }

    #[inline(always)]
    fn find(&self, is_wanted: impl Fn(Owner) -> bool) -> Option<u64> {
        let innermost = self.depth().checked_sub(1)?;
        let fits = |depth| self.words(depth).is_none_or(|(owner, _)| is_wanted(owner));
        (0..=innermost).rev().find(|depth| fits(*depth))
    }

    /// All of them but those that are too deep, outermost first.
    pub(crate) fn all(&self) -> impl Iterator<Item = Phase> + '_ {
        (0..self.depth()).map_while(|depth| self.at(depth))
    }

    /// The one at a depth; `None` if it is too deep.
    #[inline(always)]
    pub(crate) fn at(&self, depth: u64) -> Option<Phase> {
        let (owner, what) = self.words(depth)?;
        Some(Phase { kind: owner.kind(), depth, what })
    }

    #[inline(always)]
    fn words(&self, depth: u64) -> Option<(Owner, u64)> {
        let owner = self.owners.get(depth as usize)?.load(Ordering::Relaxed);
        Some((Owner(owner), self.what.get(depth as usize)?.load(Ordering::Relaxed)))
    }

    #[inline(always)]
    fn put(&self, depth: u64, owner: Owner, what: u64) -> Option<()> {
        self.owners.get(depth as usize)?.store(owner.0, Ordering::Relaxed);
        self.what.get(depth as usize)?.store(what, Ordering::Relaxed);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_nest_and_those_that_are_too_deep_are_only_counted() {
        let open = OpenPhases::new();
        let owner = |depth: u64| Owner::new(depth % 8, 0);
        assert!(open.end(0).is_none() && open.iteration().is_none());
        for depth in 0..DEEPEST as u64 {
            let begun = open.begin(owner(depth), 100 + depth);
            assert_eq!(begun, Some(Phase { kind: depth % 8, depth, what: 100 + depth }));
        }
        let too_deep = DEEPEST as u64;
        assert!(open.begin(owner(1), 1).is_none());
        assert_eq!(open.innermost(owner(0)), Some(too_deep));
        assert!(open.iteration().is_none() && open.end(too_deep).is_none());
        assert_eq!(open.all().count(), DEEPEST);
        for depth in (2..DEEPEST as u64).rev() {
            assert_eq!(open.innermost(owner(depth)), Some(depth));
            assert_eq!(open.end(depth), Some(Phase { kind: depth % 8, depth, what: 100 + depth }));
        }
        assert_eq!(open.iteration(), Some(1));
        open.reset();
        assert_eq!(open.all().count(), 0);
    }

    #[test]
    fn one_that_ends_inside_others_leaves_them_open() {
        let open = OpenPhases::new();
        let [a, b] = [Owner::new(kind::NVTX_RANGE, 7), Owner::new(kind::NVTX_RANGE, 8)];
        open.begin(a, 1);
        open.begin(b, 2);
        open.begin(Owner::new(kind::ITERATION, 0), 3);
        assert_eq!(open.innermost(Owner::new(kind::NVTX_RANGE, 9)), None);
        assert_eq!(open.innermost(a), Some(0));
        assert_eq!(open.end(0), Some(Phase { kind: kind::NVTX_RANGE, depth: 0, what: 1 }));
        let left: Vec<_> = open.all().map(|phase| (phase.depth, phase.what)).collect();
        assert_eq!(left, [(0, 2), (1, 3)]);
        assert_eq!(
            (open.innermost(a), open.innermost(b), open.iteration()),
            (None, Some(0), Some(1))
        );
    }
}
