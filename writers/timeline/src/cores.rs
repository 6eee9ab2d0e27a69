//! The core streams of a recording: the thread that each belongs to, and the time of its last record.

use crate::interpret::CoreState;
use ompttrace_recording::Recording;
use ompttrace_recording::reader::{Stream, ThreadIndex};

/// The core streams of threads that the recording has.
#[derive(Debug, Default)]
pub(crate) struct Cores(Vec<CoreStream>);

#[derive(Debug)]
struct CoreStream {
    /// Position of the stream among the core streams.
    stream: usize,
    /// Position of the stream's thread in the recording.
    thread: u32,
    /// Time of the stream's last record, in ticks.
    last: u64,
}

impl Cores {
    pub(crate) fn of(recording: &Recording) -> Cores {
        let of = |(stream, cores): (usize, &ThreadIndex)| {
            let own = |thread: &ThreadIndex| thread.number;
            let thread = recording.threads.binary_search_by_key(&cores.number, own).ok()?;
            let (mut tail, mut last) = (recording.core_tail(stream), 0);
            while let Some(ticks) = tail.take(|record| record.ticks) {
                last = last.max(ticks);
            }
            Some(CoreStream { stream, thread: thread as u32, last })
        };
        Cores(recording.cores.iter().enumerate().filter_map(of).collect())
    }

    /// Number of core streams whose thread the recording has.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the recording has no such core streams.
    pub(crate) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The streams, in an order that [`Cores::owner`] knows.
    pub(crate) fn streams<'a>(&self, recording: &'a Recording) -> impl Iterator<Item = Stream<'a>> {
        self.0.iter().map(|of| recording.core_stream(of.stream))
    }

    /// The position of the thread whose stream this is.
    pub(crate) fn owner(&self, stream: u32) -> Option<u32> {
        self.0.get(stream as usize).map(|of| of.thread)
    }

    /// Core state of every thread before the first record.
    pub(crate) fn states(&self, recording: &Recording) -> Vec<CoreState> {
        let mut states = vec![CoreState::default(); recording.threads.len()];
        for of in &self.0 {
            if let Some(state) = states.get_mut(of.thread as usize) {
                *state = CoreState::until(of.last);
            }
        }
        states
    }
}
