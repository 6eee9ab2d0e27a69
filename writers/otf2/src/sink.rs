//! The writer proper: receives a timeline once and fills an archive for each view that is wanted.

use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;

use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary, Windows};

use crate::Error;
use crate::join::Assembly;
use crate::session::Session;
use crate::windows::Otf2Windows;
use crate::written::Written;

/// Events of the timeline that are put together at a time.
const SEGMENT: u32 = 1 << 15;

/// A timeline on its way to archives, put together by the thread that interprets it.
#[derive(Debug)]
pub(crate) struct Feed {
    session: Session,
    assembly: Assembly,
    /// Events since the last segment.
    events: u32,
}

impl Feed {
    /// The way to the archives of this assembly.
    pub(crate) fn new(assembly: Assembly) -> Feed {
        let session = Session::new(&assembly.wanted(), &assembly.pool, true);
        Feed { session, assembly, events: 0 }
    }

    #[cold]
    fn hand_over(&mut self) {
        self.events = 0;
        self.assembly.take(self.session.segment(false));
    }

    /// Does the same as [`Sink::start`].
    pub(crate) fn start(&mut self, run: &RunInfo<'_>) {
        self.assembly.start(run);
        self.session.start(run);
    }

    /// Does the same as [`Sink::event`].
    #[inline(always)]
    pub(crate) fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.session.event(definitions, at, event);
        self.events += 1;
        if self.events == SEGMENT {
            self.hand_over();
        }
    }

    /// Hands over the last segment.
    pub(crate) fn finish(
        self,
        definitions: &Definitions,
        summary: &Summary,
    ) -> Result<Assembly, Error> {
        let Feed { session, mut assembly, .. } = self;
        assembly.take(session.finish(definitions, summary)?);
        Ok(assembly)
    }
}

/// Writes a timeline as OTF2 archives.
#[derive(Debug)]
pub struct Otf2Sink(Feed);

impl Otf2Sink {
    /// Begins an archive for each view that is wanted, in a folder that must not exist: with OS
    /// threads as locations, or with logical threads.
    ///
    /// # Errors
    /// Errors of libotf2 or of the file system.
    pub fn new(threads: Option<&Path>, logical_threads: Option<&Path>) -> Result<Otf2Sink, Error> {
        let sink = Otf2Sink(Feed::new(Assembly::new(threads, logical_threads)?));
        Ok(sink.with_encoders(available_parallelism().map_or(1, NonZero::get) - 1))
    }

    /// Sets the number of threads that encode. The calling thread encodes an archive that gets none of them. The
    /// default is one for each core except that of the calling thread. The archives do not depend on it.
    pub fn with_encoders(mut self, encoders: usize) -> Otf2Sink {
        self.0.assembly.encoders = encoders;
        self
    }

    /// The sink for a timeline that other threads make in windows. These take two to six times as long to interpret as
    /// it takes to encode, so half as many threads encode, or the calling one. xtask/src/bench/schedule.rs computes
    /// with it, too.
    pub fn in_windows(mut self) -> Windows<'static, Written, Error> {
        self.0.assembly.encoders /= 2;
        Windows::new(Otf2Windows::new(self.0.assembly))
    }
}

impl Sink for Otf2Sink {
    type Output = Written;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.event(definitions, at, event);
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Written, Error> {
        self.0.finish(definitions, summary)?.end(summary)
    }
}
