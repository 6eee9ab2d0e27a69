//! All threads' records in one order of time, with one fragment per thread in memory.
//!
//! A heap holds the next time of every thread but the one being read; that one is read on as long
//! as its next record is not later than the heap's best. Equal times go by the threads' positions,
//! which are their order of appearance: whoever forks comes before whom it forked.

use ompttrace_recording::events::Record;
use ompttrace_recording::reader::Stream;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// The merge of a recording's streams.
pub struct Merge<'a> {
    streams: Vec<Stream<'a>>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl<'a> Merge<'a> {
    /// Starts before the first record of every stream.
    pub fn new(streams: Vec<Stream<'a>>) -> Self {
        let next = |(thread, stream): (usize, &Stream<'_>)| {
            stream.next_ticks().map(|ticks| Reverse((ticks, thread as u32)))
        };
        let heap = streams.iter().enumerate().filter_map(next).collect();
        Merge { streams, heap }
    }

    /// Gives every record with its thread's position to `visit`; returns how many the streams gave out.
    #[inline]
    pub fn run(mut self, visit: impl FnMut(u32, Record<'_>)) -> u64 {
        self.visit_all(visit);
        self.streams.iter().map(Stream::taken).sum()
    }

    #[inline]
    fn visit_all(&mut self, mut visit: impl FnMut(u32, Record<'_>)) {
        let Some(Reverse((_, mut thread))) = self.heap.pop() else { return };
        loop {
            let limit = self.heap.peek().map_or((u64::MAX, u32::MAX), |best| best.0);
            let Some(stream) = self.streams.get_mut(thread as usize) else { return };
            while stream.next_ticks().is_some_and(|ticks| (ticks, thread) <= limit) {
                stream.take(|record| visit(thread, record));
            }
            let next = stream.next_ticks().map(|ticks| Reverse((ticks, thread)));
            thread = match (next, self.heap.peek_mut()) {
                // Whoever is next leaves its place to the one that was read.
                (Some(next), Some(mut best)) => std::mem::replace(&mut *best, next).0.1,
                (Some(_), None) => thread,
                (None, Some(best)) => PeekMut::pop(best).0.1,
                (None, None) => return,
            };
        }
    }
}
