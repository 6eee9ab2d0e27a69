//! Events that are drawn as one: neighbours on a track that are shorter than the resolution, with their sums.

use super::kept::{KeptEvent, KeptKind};
use ompttrace_model::{Activity, Mark, NameRef};

/// Totals of all slices or all instants of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The name of the slices or instants.
    pub name: NameRef,
    /// True for instants, false for slices.
    pub instants: bool,
    /// Number of the slices, or of the instants, of that name.
    pub count: u64,
    /// Sum of their durations, in nanoseconds; where they nest, a time counts more than once.
    pub total: u64,
    /// Sum of their durations without the slices inside them, in nanoseconds.
    pub own: u64,
    /// Sum of the durations of those that are inside no other that is summed up here, in nanoseconds.
    pub outermost: u64,
}

/// The only slice or instant so far.
#[derive(Debug, Default)]
struct Only {
    kept: KeptEvent,
    mark: Mark,
}

/// Neighbours, under one slice that is drawn or will be.
#[derive(Debug, Default)]
pub(super) struct Bin {
    pub from: u64,
    pub to: u64,
    /// Part of the time from `from` to `to` that outermost slices take, in nanoseconds.
    pub covered: u64,
    /// The covered nanoseconds by activity.
    pub states: [u64; Activity::ALL.len()],
    /// Sums in the order of the numbers of their names.
    pub sums: Vec<Sum>,
    /// Index in `sums` at which the last name was found.
    last: usize,
    /// Number of slices and instants, up to two, without those inside others.
    items: u8,
    only: Option<Box<Only>>,
    /// A value for `only` that was used before, to be used again.
    spare: Option<Box<Only>>,
}

/// The form in which a bin is drawn.
pub(super) enum Content<'a> {
    Nothing,
    /// One slice, and the certainty of its end.
    Slice(&'a KeptEvent, Mark),
    Instant(&'a KeptEvent),
    Summary,
}

impl Bin {
    pub(super) fn is_empty(&self) -> bool {
        self.items == 0
    }

    pub(super) fn duration(&self) -> u64 {
        self.to - self.from
    }

    /// Adds a slice that ends at `at`; `own` is its time without the slices inside, which are in `inner`.
    #[inline]
    pub(super) fn add_slice(
        &mut self,
        kept: &KeptEvent,
        (at, mark): (u64, Mark),
        (own, state): (u64, Activity),
        inner: &Bin,
    ) {
        let total = at - kept.at;
        self.grow(kept.at, at);
        self.covered += total;
        self.states[state as usize] += own;
        let sum = Sum { name: kept.name, instants: false, count: 1, total, own, outermost: total };
        self.add(sum);
        if inner.is_empty() {
            self.is_only(kept, mark);
        } else {
            self.items = 2;
            inner.sums.iter().for_each(|sum| self.add(Sum { outermost: 0, ..*sum }));
            self.add_states(inner);
        }
    }

    pub(super) fn add_instant(&mut self, kept: &KeptEvent) {
        self.grow(kept.at, kept.at);
        let (name, count, instants) = (kept.name, 1, true);
        self.add(Sum { name, instants, count, total: 0, own: 0, outermost: 0 });
        self.is_only(kept, Mark::Observed);
    }

    /// Adds the content of another bin, which follows.
    pub(super) fn add_bin(&mut self, other: &Bin) {
        self.grow(other.from, other.to);
        self.covered += other.covered;
        self.items = 2;
        other.sums.iter().for_each(|sum| self.add(*sum));
        self.add_states(other);
    }

    #[inline]
    fn grow(&mut self, from: u64, to: u64) {
        self.from = if self.items == 0 { from } else { self.from.min(from) };
        self.to = self.to.max(to);
    }

    fn add_states(&mut self, other: &Bin) {
        self.states.iter_mut().zip(other.states).for_each(|(sum, more)| *sum += more);
    }

    #[inline]
    fn is_only(&mut self, kept: &KeptEvent, mark: Mark) {
        if self.items == 0 {
            let mut only = self.spare.take().unwrap_or_default();
            only.kept.copy(kept);
            only.mark = mark;
            self.only = Some(only);
        }
        self.items = (self.items + 1).min(2);
    }

    #[inline]
    fn add(&mut self, sum: Sum) {
        let key = |sum: &Sum| (sum.name, sum.instants);
        let is_last = |known: &Sum| key(known) == key(&sum);
        if !self.sums.get(self.last).is_some_and(is_last) {
            self.last = match self.sums.binary_search_by_key(&key(&sum), key) {
                Ok(found) => found,
                Err(position) => {
                    let new = Sum { count: 0, total: 0, own: 0, outermost: 0, ..sum };
                    self.sums.insert(position, new);
                    position
                }
            };
        }
        if let Some(known) = self.sums.get_mut(self.last) {
            known.count += sum.count;
            known.total += sum.total;
            known.own += sum.own;
            known.outermost += sum.outermost;
        }
    }

    pub(super) fn content(&self) -> Content<'_> {
        match (self.items, &self.only) {
            (0, _) => Content::Nothing,
            (1, Some(only)) => match only.kept.kind {
                KeptKind::Slice(_) => Content::Slice(&only.kept, only.mark),
                KeptKind::Instant(_) => Content::Instant(&only.kept),
            },
            _ => Content::Summary,
        }
    }

    pub(super) fn clear(&mut self) {
        (self.from, self.to, self.covered, self.items, self.last) = (0, 0, 0, 0, 0);
        self.states = [0; Activity::ALL.len()];
        self.sums.clear();
        self.spare = self.only.take().or(self.spare.take());
    }
}
