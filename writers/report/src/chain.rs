//! Chains: the activities that had to happen, one after another, for a thread to be at its present point.
//!
//! A thread's chain grows with all it does. Where it waits, the chain stands still; when the wait is
//! over, the chain of the thread that ended it replaces it, if that is the later one. So a chain covers all
//! time up to its end, and the one of the program's first thread at its end is the critical path.

use crate::construct_table::{ConstructRef, OUTSIDE};
use ompttrace_model::ThreadRef;
use std::rc::Rc;

/// A construct's part of a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub construct: ConstructRef,
    pub time: u64,
    pub work: u64,
    /// Part of the time that recording took, in nanoseconds.
    pub recording: u64,
}

impl Part {
    fn add(&mut self, other: Part) {
        self.time += other.time;
        self.work += other.work;
        self.recording += other.recording;
    }
}

/// Parts that each chain has for itself: most go to and fro between a few constructs.
const RECENT: usize = 4;

/// A short part: every copy of a chain copies them.
#[derive(Clone, Copy, Debug, Default)]
struct RecentPart {
    construct: ConstructRef,
    time: u32,
    work: u32,
    recording: u32,
}

impl RecentPart {
    /// The part with so much more, if it stays short.
    fn with(self, added: Part) -> Option<RecentPart> {
        let sum = |short: u32, added: u64| u32::try_from(added).ok()?.checked_add(short);
        Some(RecentPart {
            construct: added.construct,
            time: sum(self.time, added.time)?,
            work: sum(self.work, added.work)?,
            recording: sum(self.recording, added.recording)?,
        })
    }

    fn part(self) -> Part {
        let RecentPart { construct, time, work, recording } = self;
        Part { construct, time: time.into(), work: work.into(), recording: recording.into() }
    }
}

/// A chain up to an instant. Copies share what they have in common.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    /// The instant.
    pub at: u64,
    /// Number of times that the chain goes from one thread to another.
    pub switches: u64,
    /// The thread on which it ends.
    pub thread: ThreadRef,
    /// The construct that was worked in last.
    pub worked_in: ConstructRef,
    /// Parts of the chain by construct, without those in `recent`.
    parts: Rc<Vec<Part>>,
    /// Parts that were added last and are not in `parts` yet: each is of another construct, unused ones have no time.
    recent: [RecentPart; RECENT],
}

impl Clone for Chain {
    fn clone(&self) -> Chain {
        Chain { parts: Rc::clone(&self.parts), ..*self }
    }

    /// Most chains that replace each other have their older parts in common.
    #[inline]
    fn clone_from(&mut self, other: &Chain) {
        if !Rc::ptr_eq(&self.parts, &other.parts) {
            self.parts = Rc::clone(&other.parts);
        }
        let Chain { at, switches, thread, worked_in, recent, .. } = *other;
        (self.at, self.switches, self.thread) = (at, switches, thread);
        (self.worked_in, self.recent) = (worked_in, recent);
    }
}

impl Chain {
    /// A chain that begins at an instant.
    pub(crate) fn new(thread: ThreadRef, at: u64) -> Chain {
        Chain { at, thread, ..Chain::default() }
    }

    /// Extends the chain to `at` with a construct.
    #[inline]
    pub(crate) fn extend(&mut self, at: u64, construct: ConstructRef, is_work: bool) {
        self.extend_recorded(at, construct, is_work, 0);
    }

    /// Extends the chain to `at` with a construct; recording took `recording` nanoseconds of the time.
    #[inline]
    pub(crate) fn extend_recorded(
        &mut self,
        at: u64,
        construct: ConstructRef,
        is_work: bool,
        recording: u64,
    ) {
        let time = at.saturating_sub(self.at);
        if time == 0 {
            return;
        }
        self.at = at;
        let work = if is_work { time } else { 0 };
        if is_work {
            self.worked_in = construct;
        }
        let added = Part { construct, time, work, recording: recording.min(time) };
        let same = |part: &&mut RecentPart| part.construct == construct || part.time == 0;
        match self.recent.iter_mut().find(same).map(|part| (part.with(added), part)) {
            Some((Some(sum), part)) => *part = sum,
            _ => self.add_long(added),
        }
    }

    /// There is no room for it among the recent ones.
    #[cold]
    #[inline(never)]
    fn add_long(&mut self, added: Part) {
        self.put_recent();
        match RecentPart::default().with(added) {
            Some(part) => self.recent[0] = part,
            None => put(Rc::make_mut(&mut self.parts), added),
        }
    }

    /// Moves the parts that were added last to `parts`.
    fn put_recent(&mut self) {
        let recent = std::mem::take(&mut self.recent);
        let parts = Rc::make_mut(&mut self.parts);
        for part in recent.into_iter().filter(|part| part.time > 0) {
            put(parts, part.part());
        }
    }

    /// A wait of `thread` is over at `at`: the chain of the thread that ended it replaces this one, if it
    /// came later than the wait began. What passed since then was the way from one to the other.
    pub(crate) fn released(
        &mut self,
        by: Option<&Chain>,
        thread: ThreadRef,
        at: u64,
        construct: ConstructRef,
    ) {
        if let Some(by) = by.filter(|by| self.ends_with(by, at)) {
            self.follow(by, thread);
        }
        self.extend(at, construct, false);
    }

    /// True if a wait that ended at `at` ended because of the chain `by`: that chain came later than the wait began.
    pub(crate) fn ends_with(&self, by: &Chain, at: u64) -> bool {
        by.at > self.at && by.at <= at
    }

    /// Another chain goes on on `thread`.
    pub(crate) fn follow(&mut self, by: &Chain, thread: ThreadRef) {
        self.clone_from(by);
        self.switches += u64::from(by.thread != thread);
        self.thread = thread;
    }

    /// Attributes the part without a construct to `construct`, which is known now.
    pub(crate) fn name_rest(&mut self, construct: ConstructRef) {
        self.put_recent();
        let has_rest = self.parts.first().is_some_and(|part| part.construct == OUTSIDE);
        if has_rest && construct != OUTSIDE {
            let parts = Rc::make_mut(&mut self.parts);
            let rest = parts.remove(0);
            put(parts, Part { construct, ..rest });
        }
    }

    /// All parts of the chain.
    pub(crate) fn parts(mut self) -> Vec<Part> {
        self.put_recent();
        Rc::unwrap_or_clone(self.parts)
    }
}

/// Adds to the part of the same construct, or puts it where it belongs by its construct.
fn put(parts: &mut Vec<Part>, added: Part) {
    match parts.binary_search_by_key(&added.construct, |part| part.construct) {
        Ok(found) => {
            if let Some(part) = parts.get_mut(found) {
                part.add(added);
            }
        }
        Err(index) => parts.insert(index, added),
    }
}

/// Arrivals at a barrier: the latest chain, and the longest sequence of work before the barrier.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrivals {
    ordinal: u32,
    pub last: Option<Chain>,
    pub span: u64,
}

impl Arrivals {
    /// A thread arrives at the barrier of this number, as the latest so far.
    pub(crate) fn arrive(&mut self, ordinal: u32, chain: Chain, span: u64) {
        if self.ordinal != ordinal {
            *self = Arrivals { ordinal, ..Arrivals::default() };
        }
        self.last = Some(chain);
        self.span = self.span.max(span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_continues_with_the_chain_of_the_thread_that_ended_it() {
        let (mut early, mut late) = (Chain::new(0, 100), Chain::new(1, 100));
        early.extend(120, 5, true);
        late.extend(150, 6, true);
        early.released(Some(&late), 0, 153, 7);
        assert_eq!((early.at, early.switches), (153, 1));
        let parts = early.parts();
        assert_eq!(
            parts,
            [
                Part { construct: 6, time: 50, work: 50, recording: 0 },
                Part { construct: 7, time: 3, work: 0, recording: 0 },
            ]
        );
    }

    #[test]
    fn the_last_thread_to_arrive_does_not_wait() {
        let (early, mut late) = (Chain::new(0, 100), Chain::new(1, 100));
        late.extend(150, 6, true);
        late.released(Some(&early), 1, 151, 7);
        assert_eq!((late.at, late.switches), (151, 0));
        assert_eq!(late.parts().iter().map(|part| part.time).sum::<u64>(), 51);
    }

    #[test]
    fn serial_time_gets_its_name_at_its_end() {
        let mut chain = Chain::new(0, 0);
        chain.extend(10, OUTSIDE, true);
        chain.name_rest(4);
        assert_eq!(chain.parts(), [Part { construct: 4, time: 10, work: 10, recording: 0 }]);
    }
}
