//! Mutexes: the threads that wait for and hold them, and the cost of holds for other threads.
//!
//! A holder is charged with the time that others wait while it holds, however many holds pass until
//! each of them has its turn: a running sum of waiting for each mutex determines it.

use crate::chain::Chain;
use crate::construct_table::ConstructRef;
use crate::polls::{LastHolds, PastHold};
use crate::sink::End;
use ompttrace_model::{Definitions, LockRef, SourceRef, ThreadRef, ompt};
use rustc_hash::FxHashMap;

/// Locations where mutexes are taken that are distinguished.
const MAX_HOLDERS: usize = 1 << 15;

/// Mutexes that are looked at: as many as a timeline has tracks for, and those that were only asked for.
const MAX_MUTEXES: usize = 1 << 17;
/// Position of all mutexes beyond the limit.
const NONE: usize = usize::MAX;

/// A mutex.
#[derive(Debug, Default)]
pub(crate) struct Mutex {
    pub name: String,
    pub kind: ompt::Mutex,
    pub acquired: u64,
    pub contended: u64,
    /// Tests that were refused.
    pub refused: u64,
    /// Time of waiting, and of polling from a refusal on until the thread has the mutex, in nanoseconds.
    pub wait: u64,
    /// Part of `wait` in which threads polled it.
    pub polled: u64,
    pub longest_wait: u64,
    /// Part of the waiting in which no thread held it.
    pub handover: u64,
    pub held: u64,
    pub longest: Longest,
    waiters: u64,
    /// The sum of all waiting so far, as of `since`.
    waited: u64,
    since: u64,
    holder: Option<Hold>,
    last_holds: LastHolds,
    /// When it was released last, which may be outside of the report's window.
    released: u64,
    /// Chain that led to its last release for which others waited.
    chain: Option<Chain>,
}

/// The longest hold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Longest {
    pub held: u64,
    pub source: SourceRef,
    pub begin: u64,
}

#[derive(Clone, Copy, Debug)]
struct Hold {
    thread: ThreadRef,
    construct: ConstructRef,
    source: SourceRef,
    begin: u64,
    waited: u64,
    /// The clock of its thread's time with a core.
    busy: u64,
}

/// Holds that begin at one location in one construct.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Holder {
    /// The first mutex that was taken there.
    pub lock: usize,
    pub several: bool,
    pub holds: u64,
    pub held: u64,
    /// Part of `held` in which the holder had a core.
    pub held_on_core: u64,
    pub longest: u64,
    pub blame: u64,
}

/// A hold that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReleasedHold {
    pub lock: usize,
    pub thread: ThreadRef,
    pub construct: ConstructRef,
    /// Waiting time of other threads during the hold, in nanoseconds.
    pub blame: u64,
    /// True if threads still wait for the mutex.
    pub waited_for: bool,
}

/// All mutexes.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    pub mutexes: Vec<Mutex>,
    by_id: FxHashMap<(u64, ompt::Mutex), usize>,
    by_ref: Vec<usize>,
    pub holders: FxHashMap<(ConstructRef, SourceRef), Holder>,
    /// All waiting time, and the part of it in which no thread held the mutex, in nanoseconds.
    pub waited: u64,
    pub uncharged: u64,
    /// The begin of the report's window.
    pub begin: u64,
}

impl Locks {
    /// The position of a mutex.
    fn find(&mut self, kind: ompt::Mutex, wait_id: u64) -> usize {
        let kind = kind.without_test();
        if let Some(found) = self.by_id.get(&(wait_id, kind)) {
            return *found;
        }
        let next = self.mutexes.len();
        if next >= MAX_MUTEXES {
            return NONE;
        }
        self.by_id.insert((wait_id, kind), next);
        self.mutexes.push(Mutex { kind, ..Mutex::default() });
        next
    }

    pub(crate) fn define(&mut self, definitions: &Definitions) {
        for lock in definitions.locks().iter().skip(self.by_ref.len()) {
            let found = self.find(lock.kind, lock.wait_id);
            self.by_ref.push(found);
            if let Some(mutex) = self.mutexes.get_mut(found) {
                lock.name.clone_into(&mut mutex.name);
            }
        }
    }

    /// The position of a mutex that a timeline has defined.
    pub(crate) fn position(&self, lock: LockRef) -> usize {
        self.by_ref.get(lock as usize).copied().unwrap_or(NONE)
    }

    /// Time goes on for a mutex.
    fn tick(&mut self, lock: usize, at: u64) -> Option<&mut Mutex> {
        let mutex = self.mutexes.get_mut(lock)?;
        let waited = at.saturating_sub(mutex.since) * mutex.waiters;
        mutex.since = mutex.since.max(at);
        mutex.waited += waited;
        self.waited += waited;
        if mutex.holder.is_none() {
            mutex.handover += waited;
            self.uncharged += waited;
        }
        Some(mutex)
    }

    /// The thread that holds the mutex at a position.
    pub(crate) fn holder_of(&self, lock: u32) -> Option<ThreadRef> {
        self.mutexes.get(lock as usize)?.holder.map(|hold| hold.thread)
    }

    /// A thread waits from now on; returns the mutex's position.
    pub(crate) fn asked(&mut self, at: u64, kind: ompt::Mutex, wait_id: u64) -> u32 {
        let lock = self.find(kind, wait_id);
        if let Some(mutex) = self.tick(lock, at) {
            mutex.waiters += 1;
        }
        lock as u32
    }

    /// A thread that asked waits no more.
    pub(crate) fn answered(&mut self, at: u64, lock: u32) {
        if let Some(mutex) = self.tick(lock as usize, at) {
            mutex.waiters = mutex.waiters.saturating_sub(1);
        }
    }

    /// A thread tested a mutex and was refused it; returns the mutex's position.
    pub(crate) fn refused(&mut self, kind: ompt::Mutex, wait_id: u64, count: u64) -> usize {
        let lock = self.find(kind, wait_id);
        if let Some(mutex) = self.mutexes.get_mut(lock) {
            mutex.refused = mutex.refused.saturating_add(count);
            mutex.last_holds.keep_several();
        }
        lock
    }

    /// A thread has a mutex; `asked` is when it asked, if it did, or when a thread that polls was refused it first.
    pub(crate) fn acquired(&mut self, end: End, lock: LockRef, asked: Option<u64>) {
        let lock = self.position(lock);
        let Some(mutex) = self.mutexes.get_mut(lock) else { return };
        mutex.acquired += u64::from(end.counts);
        let Some(asked) = asked else { return };
        let waited = end.at.saturating_sub(asked.max(self.begin));
        mutex.wait += waited;
        mutex.longest_wait = mutex.longest_wait.max(waited);
        let is_contended = mutex.holder.is_some() || mutex.released > asked;
        mutex.contended += u64::from(is_contended && end.counts);
    }

    /// A thread that polled a mutex from `since` on has it now: charges those that held it meanwhile, and returns each with
    /// its part.
    pub(crate) fn polled(&mut self, at: u64, lock: LockRef, since: u64) -> Vec<(PastHold, u64)> {
        let lock = self.position(lock);
        let Some(mutex) = self.mutexes.get_mut(lock) else { return Vec::new() };
        let polled = at.saturating_sub(since);
        let charged: Vec<_> = mutex.last_holds.since(since).collect();
        let held: u64 = charged.iter().map(|(_, held)| held).sum();
        // Before that others may have held it.
        let known = at.saturating_sub(since.max(mutex.last_holds.known_from()));
        mutex.polled += polled;
        mutex.handover += known.saturating_sub(held);
        self.waited += polled;
        self.uncharged += polled.saturating_sub(held);
        for (hold, held) in &charged {
            self.holder(lock, (hold.construct, hold.source)).blame += held;
        }
        charged
    }

    /// A hold of a thread begins, with the clock of its time with a core.
    pub(crate) fn hold_begins(
        &mut self,
        at: u64,
        lock: LockRef,
        (thread, busy): (ThreadRef, u64),
        construct: ConstructRef,
        source: SourceRef,
    ) {
        let lock = self.position(lock);
        if let Some(mutex) = self.tick(lock, at) {
            let waited = mutex.waited;
            mutex.holder = Some(Hold { thread, construct, source, begin: at, waited, busy });
        }
    }

    /// The hold ends; `busy` is the clock of a thread's time with a core.
    pub(crate) fn hold_ends(
        &mut self,
        end: End,
        lock: LockRef,
        busy: impl Fn(ThreadRef) -> u64,
    ) -> Option<ReleasedHold> {
        let (lock, at) = (self.position(lock), end.at);
        let mutex = self.tick(lock, at)?;
        let hold = mutex.holder.take()?;
        let (held, blame) = (at.saturating_sub(hold.begin), mutex.waited - hold.waited);
        mutex.held += held;
        mutex.released = end.unbounded;
        if held > mutex.longest.held {
            mutex.longest = Longest { held, source: hold.source, begin: hold.begin };
        }
        let Hold { thread, construct, source, begin, .. } = hold;
        mutex.last_holds.add(PastHold { thread, construct, source, begin, end: at, held });
        let waited_for = mutex.waiters > 0;
        let on_core = busy(thread).saturating_sub(hold.busy).min(held);
        self.note_holder(lock, (&hold, end.counts), (held, on_core), blame);
        Some(ReleasedHold { lock, thread, construct, blame, waited_for })
    }

    /// Keeps the chain that led to a release, up to the event before.
    pub(crate) fn set_released(&mut self, lock: usize, chain: &Chain) -> Option<&mut Chain> {
        let kept = &mut self.mutexes.get_mut(lock)?.chain;
        match kept {
            Some(kept) => kept.clone_from(chain),
            None => *kept = Some(chain.clone()),
        }
        kept.as_mut()
    }

    /// Chain that led to the last release of a mutex.
    pub(crate) fn released(&self, lock: u32) -> Option<&Chain> {
        self.mutexes.get(lock as usize)?.chain.as_ref()
    }

    fn note_holder(
        &mut self,
        lock: usize,
        (hold, counts): (&Hold, bool),
        (held, on_core): (u64, u64),
        blame: u64,
    ) {
        let holder = self.holder(lock, (hold.construct, hold.source));
        holder.several |= holder.lock != lock;
        holder.holds += u64::from(counts);
        holder.held += held;
        holder.held_on_core += on_core;
        holder.longest = holder.longest.max(held);
        holder.blame += blame;
    }

    fn holder(&mut self, lock: usize, mut key: (ConstructRef, SourceRef)) -> &mut Holder {
        if self.holders.len() >= MAX_HOLDERS && !self.holders.contains_key(&key) {
            key = (crate::construct_table::OUTSIDE, 0);
        }
        self.holders.entry(key).or_insert(Holder { lock, ..Holder::default() })
    }
}

/// Name of a kind of mutex.
pub(crate) fn kind_word(kind: ompt::Mutex) -> &'static str {
    match kind {
        ompt::Mutex::Unknown => "lock",
        known => known.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_model::Lock;

    #[test]
    fn every_holder_is_charged_with_what_others_wait_while_it_holds() {
        let mut locks = Locks::default();
        let asked = locks.asked(10, ompt::Mutex::Critical, 0x50);
        let mut definitions = Definitions::default();
        definitions.add_lock(Lock {
            lock: 0,
            kind: ompt::Mutex::Critical,
            wait_id: 0x50,
            name: "critical a".into(),
            held_name: 0,
            wait_name: 0,
        });
        locks.define(&definitions);
        locks.answered(12, asked);
        locks.hold_begins(12, 0, (1, 12), 7, 3);
        // Two others wait while the first holds, then one.
        for at in [20, 22] {
            assert_eq!(locks.asked(at, ompt::Mutex::Critical, 0x50), asked);
        }
        let over = locks.hold_ends(End::in_whole(30), 0, |_| 20).expect("held");
        assert_eq!((over.thread, over.construct, over.blame), (1, 7, 10 + 8));
        assert!(over.waited_for);
        locks.answered(33, asked);
        locks.hold_begins(33, 0, (2, 33), 8, 3);
        let over = locks.hold_ends(End::in_whole(40), 0, |_| 40).expect("held");
        assert_eq!((over.thread, over.construct, over.blame), (2, 8, 7));
        assert_eq!((locks.uncharged, locks.waited), (2 + 6, 2 + 18 + 6 + 7));
    }

    /// That a thread polls is known once it has the lock: the holds before that were not nobody's.
    #[test]
    fn what_a_thread_polls_while_others_hold_is_no_handover() {
        for (others, known) in [(1, 950), (2, 95)] {
            let mut locks = Locks::default();
            let lock = locks.asked(0, ompt::Mutex::Lock, 0x50);
            locks.answered(0, lock);
            let mut definitions = Definitions::default();
            definitions.add_lock(Lock {
                lock: 0,
                kind: ompt::Mutex::Lock,
                wait_id: 0x50,
                name: "lock a".into(),
                held_name: 0,
                wait_name: 0,
            });
            locks.define(&definitions);
            for begin in (100..1100).step_by(100) {
                locks.hold_begins(begin, 0, (1 + begin as u32 / 100 % others, begin), 7, 3);
                locks.hold_ends(End::in_whole(begin + 95), 0, |_| begin + 95);
            }
            let position = locks.refused(ompt::Mutex::Lock, 0x50, 500);
            let charged = locks.polled(1100, 0, 100);
            assert_eq!(charged.iter().map(|(_, held)| held).sum::<u64>(), known);
            let handover = locks.mutexes[position].handover;
            assert!(handover <= 50, "{handover} of 1000 while nobody held it, with {others}");
            assert_eq!((locks.waited, locks.uncharged), (1000, 1000 - known));
        }
    }
}
