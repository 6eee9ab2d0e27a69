//! Policies for threads whose slots are both full, and the time that `drop` allows for a slow disk.

use crate::blocks::block::Block;
use crate::host::accounts::run_delay;
use crate::host::clock;
use crate::host::sync::{Guard, Ordering};
use ompttrace_recording::events::loss;
use ompttrace_recording::pool::control;
use ompttrace_recording::settings::Overflow;

/// Share of a thread's lifetime so far that writing may take under `drop`, and waiting for another's flush under
/// `ring` too: one nanosecond in this many.
const SHARE: u64 = 4;
/// Nanoseconds that writing may take in addition, so that a cold start or one slow write costs no records.
const PATIENCE: u64 = 10_000_000;

/// Permissions that follow from a policy.
pub(crate) trait Policy {
    /// The reason that `lost` records give.
    fn reason(self) -> u64;

    /// True if the block's owner may write its slots now.
    fn may_write(self, block: &Block) -> bool;

    /// Does the owner's writing, and records its duration if that counts.
    fn timed(self, block: &Block, write: impl FnOnce());

    /// Takes the block's lock from a flush that another thread has under way, if that comes to its end as
    /// long as the owner may wait for it: a disk that hangs there must block no other thread.
    fn wait(self, block: &Block) -> Option<Guard<'_>>;
}

impl Policy for Overflow {
    fn reason(self) -> u64 {
        match self {
            Overflow::Wait => loss::WRITE,
            Overflow::Drop => loss::DROPPED,
            Overflow::Ring => loss::OVERWRITTEN,
        }
    }

    fn may_write(self, block: &Block) -> bool {
        match self {
            Overflow::Wait => true,
            Overflow::Drop => has_time(block, 0),
            Overflow::Ring => false,
        }
    }

    fn timed(self, block: &Block, write: impl FnOnce()) {
        if self != Overflow::Drop {
            return write();
        }
        let began = clock::monotonic();
        write();
        add_spent(block, clock::monotonic().saturating_sub(began));
    }

    fn wait(self, block: &Block) -> Option<Guard<'_>> {
        let lock = &block.control.lock;
        if self == Overflow::Wait {
            return lock.lock();
        }
        let began = clock::monotonic();
        let waited = || clock::monotonic().saturating_sub(began);
        let guard = lock.lock_while(|_| has_time(block, waited()));
        add_spent(block, waited());
        guard
    }
}

/// True if the owner, which calls this, may spend `more` nanoseconds on waiting for the disk, besides what is counted. That it had
/// no core meanwhile is not the disk's fault.
fn has_time(block: &Block, more: u64) -> bool {
    let began = block.control.word(control::MONOTONIC).load(Ordering::Relaxed);
    let spent = block.private.writing.load(Ordering::Relaxed).saturating_add(more);
    let elapsed = clock::monotonic().saturating_sub(began);
    is_within(spent, elapsed) || is_within(spent.saturating_sub(run_delay()), elapsed)
}

fn is_within(spent: u64, elapsed: u64) -> bool {
    spent <= PATIENCE + elapsed / SHARE
}

fn add_spent(block: &Block, took: u64) {
    let spent = block.private.writing.load(Ordering::Relaxed);
    block.private.writing.store(spent.saturating_add(took), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_writes_for_a_quarter_of_its_time_and_a_little_more() {
        assert!(is_within(PATIENCE, 0) && !is_within(PATIENCE + 1, 0));
        let second = 1_000_000_000;
        assert!(is_within(PATIENCE + second / 4, second));
        assert!(!is_within(PATIENCE + second / 4 + 1, second));
    }

    #[test]
    fn only_drop_asks_what_was_spent() {
        let block = Block::empty();
        let lately = clock::monotonic();
        block.control.word(control::MONOTONIC).store(lately, Ordering::Relaxed);
        assert!(Overflow::Drop.may_write(&block) && !Overflow::Ring.may_write(&block));
        block.private.writing.store(u64::MAX, Ordering::Relaxed);
        assert!(!Overflow::Drop.may_write(&block) && Overflow::Wait.may_write(&block));
        Overflow::Drop.timed(&block, || ());
        assert_eq!(block.private.writing.load(Ordering::Relaxed), u64::MAX);
    }

    /// The time for which a thread waited for a write that never ends is counted.
    #[test]
    fn drop_and_ring_wait_for_a_flush_as_for_the_disk() {
        for policy in [Overflow::Drop, Overflow::Ring] {
            let block = Block::empty();
            let lately = clock::monotonic();
            block.control.word(control::MONOTONIC).store(lately, Ordering::Relaxed);
            let flush = block.control.lock.lock().expect("free");
            std::thread::scope(|scope| {
                let owner = scope.spawn(|| policy.wait(&block).is_none());
                assert!(owner.join().expect("no panic"), "{policy:?} took a lock that is held");
            });
            assert!(block.private.writing.load(Ordering::Relaxed) >= PATIENCE, "{policy:?}");
            drop(flush);
            assert!(policy.wait(&block).is_some(), "{policy:?} leaves a free lock");
        }
    }
}
