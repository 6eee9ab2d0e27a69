//! Whose the sample streams of a recording are.

use ompttrace_recording::Recording;
use ompttrace_recording::reader::{Stream, ThreadIndex};

/// The sample streams of threads that the recording has: each one's position, and that of its thread.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<(usize, u32)>);

impl Samples {
    pub(crate) fn of(recording: &Recording) -> Samples {
        let of = |(stream, samples): (usize, &ThreadIndex)| {
            let own = |thread: &ThreadIndex| thread.number;
            let thread = recording.threads.binary_search_by_key(&samples.number, own).ok()?;
            Some((stream, thread as u32))
        };
        Samples(recording.samples.iter().enumerate().filter_map(of).collect())
    }

    /// Number of streams.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The streams, in an order that [`Samples::owner`] knows.
    pub(crate) fn streams<'a>(&self, recording: &'a Recording) -> impl Iterator<Item = Stream<'a>> {
        self.0.iter().map(|(stream, _)| recording.sample_stream(*stream))
    }

    /// The position of the thread whose stream this is.
    pub(crate) fn owner(&self, stream: u32) -> Option<u32> {
        self.0.get(stream as usize).map(|(_, thread)| *thread)
    }
}
