//! Estimated times of a work-sharing construct whose work is shared otherwise: its chunks are handed out from the
//! longest to the shortest, or there is no barrier between it and the construct before.
//!
//! Each instance is replayed as it ends, from the work of its threads; only sums by construct are kept.

use crate::construct_table::ConstructRef;
use std::cmp::Reverse;

/// Chunks of one thread in one instance that are replayed: of more each is so small a part that their order hardly
/// counts.
const MAX_CHUNKS: usize = 512;
/// Chunks that a thread keeps, of all loops that are open.
const MAX_KEPT: usize = 1 << 13;
/// Threads of an instance whose chunks are replayed.
const MAX_TEAM: usize = 64;
/// Following constructs that are distinguished.
const MAX_NEXT: usize = 8;

/// A chunk: when it was taken, and its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub begin: u64,
    pub work: u64,
}

/// Work of one thread in an instance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share<'t> {
    pub work: u64,
    /// The chunks, where the runtime reported them.
    pub chunks: &'t [Chunk],
    /// The work-sharing construct before, with its work there.
    pub before: Option<(ConstructRef, u64)>,
}

/// Notes a chunk of a thread. Where there are too many nothing is lost: only few are looked at one by one.
pub(crate) fn keep_chunk(chunks: &mut Vec<Chunk>, chunk: Chunk) {
    if chunks.len() < MAX_KEPT {
        chunks.push(chunk);
    }
}

/// One instance, as its threads end it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instance {
    /// Threads that have ended it.
    pub threads: u64,
    pub sum: u64,
    pub longest: u64,
    chunks: Vec<Chunk>,
    longest_chunk: u64,
    /// True if there are too many chunks or threads for a replay.
    is_fine: bool,
    /// The most that a thread worked in the construct before, and in both.
    before: Option<ConstructRef>,
    before_longest: u64,
    both_longest: u64,
    is_after_one: bool,
}

impl Instance {
    pub(crate) fn add(&mut self, work: u64) {
        self.threads += 1;
        self.sum += work;
        self.longest = self.longest.max(work);
    }

    /// Adds a thread's work, with the chunks and the construct before, which a replay needs.
    pub(crate) fn add_share(&mut self, share: Share<'_>) {
        let before = share.before.map(|(construct, _)| construct);
        let is_first = self.threads == 0;
        self.is_after_one =
            before.is_some() && (is_first || self.is_after_one && self.before == before);
        self.before = before;
        let earlier = share.before.map_or(0, |(_, work)| work);
        self.before_longest = self.before_longest.max(earlier);
        self.both_longest = self.both_longest.max(earlier + share.work);
        self.add(share.work);
        self.longest_chunk =
            share.chunks.iter().map(|chunk| chunk.work).fold(self.longest_chunk, u64::max);
        self.is_fine |= share.chunks.len() > MAX_CHUNKS || self.threads > MAX_TEAM as u64;
        if !self.is_fine {
            self.chunks.extend(share.chunks);
        }
    }

    /// The construct before it, and the time that both together would have saved without a barrier between them.
    pub(crate) fn without_barrier(&self) -> Option<(ConstructRef, u64)> {
        let before = self.before.filter(|_| self.is_after_one)?;
        let apart = self.before_longest + self.longest;
        Some((before, apart.saturating_sub(self.both_longest)))
    }

    /// Work of the thread that works most if chunks are handed out from the longest to the shortest, in nanoseconds.
    fn longest_first(&self) -> u64 {
        self.handed_out(|chunks| chunks.sort_unstable_by_key(|chunk| Reverse(chunk.work)))
    }

    /// Work of the thread that works most if chunks are handed out in their order to threads that have a core all the
    /// time.
    pub(crate) fn in_order(&self) -> u64 {
        self.handed_out(|chunks| chunks.sort_unstable_by_key(|chunk| chunk.begin))
    }

    /// Hands chunks out in an order, each to the thread that is free first.
    fn handed_out(&self, sort: impl Fn(&mut [Chunk])) -> u64 {
        let mean = self.sum / self.threads.max(1);
        if self.is_fine {
            return mean.max(self.longest_chunk).min(self.longest);
        }
        if self.chunks.len() <= self.threads as usize {
            return self.longest;
        }
        let mut chunks = self.chunks.clone();
        sort(&mut chunks);
        let mut work_of_each = vec![0_u64; self.threads as usize];
        for chunk in chunks {
            if let Some(least) = work_of_each.iter_mut().min() {
                *least += chunk.work;
            }
        }
        work_of_each.into_iter().max().unwrap_or(0).max(mean).min(self.longest)
    }
}

/// Sums over the instances of a construct.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    pub longest_chunk: u64,
    /// Work of the thread that works most, with chunks from the longest to the shortest, in nanoseconds.
    pub longest_first: u64,
    /// Work of the thread that works most, with chunks as they were handed out and a core for each thread, in
    /// nanoseconds.
    pub in_order: u64,
    /// Time that `nowait` would have saved, by the construct that follows, in nanoseconds.
    nowait: Vec<(ConstructRef, u64)>,
}

impl Sums {
    pub(crate) fn add(&mut self, instance: &Instance) {
        if instance.threads < 2 {
            return;
        }
        self.longest_chunk += instance.longest_chunk;
        self.longest_first += instance.longest_first();
        self.in_order += instance.in_order();
    }

    pub(crate) fn add_nowait(&mut self, next: ConstructRef, saved: u64) {
        if let Some((_, sum)) = self.nowait.iter_mut().find(|(known, _)| *known == next) {
            *sum += saved;
        } else if self.nowait.len() < MAX_NEXT {
            self.nowait.push((next, saved));
        }
    }

    /// The construct before which `nowait` would have saved most, and the time saved before all constructs, in
    /// nanoseconds.
    pub(crate) fn nowait(&self) -> Option<(ConstructRef, u64)> {
        let (next, _) = self.nowait.iter().max_by_key(|(_, saved)| *saved)?;
        Some((*next, self.nowait.iter().map(|(_, saved)| saved).sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(work: u64, chunks: &[Chunk]) -> Share<'_> {
        Share { work, chunks, before: None }
    }

    fn chunk(begin: u64, work: u64) -> Chunk {
        Chunk { begin, work }
    }

    #[test]
    fn the_longest_chunk_comes_first() {
        let mut instance = Instance::default();
        instance.add_share(share(12, &[chunk(0, 2), chunk(2, 10)]));
        instance.add_share(share(4, &[chunk(0, 2), chunk(2, 2)]));
        let mut sums = Sums::default();
        sums.add(&instance);
        assert_eq!((sums.longest_chunk, sums.longest_first), (10, 10));
    }

    #[test]
    fn chunks_go_to_the_thread_that_is_free_first() {
        // One thread lacked a core, and the other took all chunks but the first.
        let mut instance = Instance::default();
        instance.add_share(share(4, &[chunk(0, 4)]));
        instance.add_share(share(12, &[chunk(1, 4), chunk(5, 4), chunk(9, 4)]));
        assert_eq!((instance.longest, instance.in_order()), (12, 8));
    }

    #[test]
    fn uneven_in_opposite_ways_is_even_without_a_barrier() {
        let mut instance = Instance::default();
        for (before, work) in [(10, 30), (30, 10)] {
            instance.add_share(Share { work, chunks: &[], before: Some((7, before)) });
        }
        assert_eq!(instance.without_barrier(), Some((7, 20)));
        let mut instance = Instance::default();
        instance.add_share(Share { work: 5, chunks: &[], before: Some((7, 9)) });
        instance.add_share(share(5, &[]));
        assert_eq!(instance.without_barrier(), None, "not behind the same construct");
    }
}
