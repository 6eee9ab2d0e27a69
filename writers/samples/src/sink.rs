//! The sink: it adds samples, and writes the sums at the end of the timeline.

use crate::pprof::{self, ProfileHeader};
use crate::stack::Stacks;
use crate::sums::Sums;
use flate2::Compression;
use flate2::write::GzEncoder;
use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary};
use std::io::{self, Write};

/// Formats in which sums are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileFormat {
    /// Folded stacks, a line each: for flamegraph.pl, inferno and speedscope.
    Folded,
    /// A profile for pprof, compressed.
    Pprof,
}

/// Writes samples as one profile.
#[derive(Debug)]
pub struct SamplesSink<W> {
    to: W,
    format: ProfileFormat,
    stacks: Stacks,
    sums: Sums,
    header: ProfileHeader,
}

impl<W: Write> SamplesSink<W> {
    /// A profile, which is written at its end only.
    pub fn new(to: W, format: ProfileFormat, stacks: Stacks) -> SamplesSink<W> {
        SamplesSink { to, format, stacks, sums: Sums::default(), header: ProfileHeader::default() }
    }
}

impl<W: Write> Sink for SamplesSink<W> {
    type Output = ();
    type Error = io::Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        let facts = run.facts;
        self.header = ProfileHeader {
            program: facts.process.executable.clone(),
            begin: run.begin.saturating_add_signed(run.realtime_offset),
            length: run.end.saturating_sub(run.begin),
            clock: if facts.samples.are_of_wall_time() { "wall" } else { "cpu" },
        };
    }

    #[inline]
    fn event(&mut self, _: &Definitions, _: u64, event: &Event<'_>) {
        if let Event::Sample(_, sample) = event {
            self.sums.add(sample);
        }
    }

    fn finish(mut self, definitions: &Definitions, _: &Summary) -> io::Result<()> {
        let what = (&self.sums, self.stacks);
        match self.format {
            ProfileFormat::Folded => crate::folded::write(&mut self.to, definitions, what),
            ProfileFormat::Pprof => {
                let bytes = pprof::bytes(definitions, what, &self.header);
                let mut packed = GzEncoder::new(self.to, Compression::default());
                packed.write_all(&bytes)?;
                packed.finish()?.flush()
            }
        }
    }
}
