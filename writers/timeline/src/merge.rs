//! All threads' records in one order of time, with one fragment per thread in memory.
//!
//! A heap holds the next time of every thread but the one being read; that one is read on as long
//! as its next record is not later than the heap's best. Equal times go by the threads' positions,
//! which are their order of appearance: a thread comes before the threads that it forks.

use ompttrace_recording::events::Record;
use ompttrace_recording::reader::Stream;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// The merge of a recording's streams.
pub struct Merge<'a> {
    streams: Vec<Stream<'a>>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// End of the merge, in ticks: later records are not returned.
    until: u64,
    /// Number of records that the streams had returned before the merge.
    before: u64,
}

impl<'a> Merge<'a> {
    /// Starts before the first record of every stream.
    pub fn new(streams: Vec<Stream<'a>>) -> Self {
        let next = |(thread, stream): (usize, &Stream<'_>)| {
            stream.next_ticks().map(|ticks| Reverse((ticks, thread as u32)))
        };
        let heap = streams.iter().enumerate().filter_map(next).collect();
        let before = streams.iter().map(Stream::taken).sum();
        Merge { streams, heap, until: u64::MAX, before }
    }

    /// This merge with an end, in ticks.
    pub(crate) fn until(self, until: u64) -> Self {
        Merge { until, ..self }
    }

    /// Gives every record, as it is stored, with its thread's position to `visit`; returns how many the streams gave out.
    #[inline]
    pub fn run(mut self, visit: impl FnMut(u32, Record<'_>)) -> u64 {
        self.visit_all(visit);
        self.streams.iter().map(Stream::taken).sum::<u64>() - self.before
    }

    #[inline]
    fn visit_all(&mut self, mut visit: impl FnMut(u32, Record<'_>)) {
        let Some(Reverse((_, mut thread))) = self.heap.pop() else { return };
        loop {
            let last = (self.until, u32::MAX);
            let limit = self.heap.peek().map_or(last, |best| best.0.min(last));
            let Some(stream) = self.streams.get_mut(thread as usize) else { return };
            // Of equal times that of the thread at the lower position comes first.
            if let Some(last) = limit.0.checked_sub(u64::from(thread > limit.1)) {
                stream.take_stored_through(last, |record| {
                    visit(thread, record);
                    true
                });
            }
            let next = stream.next_ticks().filter(|ticks| *ticks <= self.until);
            let next = next.map(|ticks| Reverse((ticks, thread)));
            thread = match (next, self.heap.peek_mut()) {
                // The next one is replaced by the one that was read.
                (Some(next), Some(mut best)) => std::mem::replace(&mut *best, next).0.1,
                (Some(_), None) => thread,
                (None, Some(best)) => PeekMut::pop(best).0.1,
                (None, None) => return,
            };
        }
    }
}
