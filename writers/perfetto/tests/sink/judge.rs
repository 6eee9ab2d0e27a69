//! A made-up run, written and loaded into the trace processor.

use std::fs;

use anyhow::Result;
use ompttrace_model::ThreadInfo;
use ompttrace_perfetto::{PerfettoSink, View, Written};
use ompttrace_tests::trace_processor::TraceProcessor;
use tempfile::TempDir;

use crate::fake::{Fake, threads};

pub const VIEWS: [View; 3] = [View::Threads, View::Regions, View::Both];

/// What was written, and the reader of it.
pub struct Judged {
    pub written: Written,
    pub bytes: Vec<u8>,
    pub processor: TraceProcessor,
    _folder: TempDir,
}

/// A run on four threads.
pub fn judge(
    view: View,
    play: impl FnOnce(&mut Fake<PerfettoSink<&mut Vec<u8>>>),
) -> Result<Judged> {
    judge_threads(view, &threads(4), play)
}

/// A run on these threads.
pub fn judge_threads(
    view: View,
    threads: &[ThreadInfo],
    play: impl FnOnce(&mut Fake<PerfettoSink<&mut Vec<u8>>>),
) -> Result<Judged> {
    let mut bytes = Vec::new();
    let mut fake = Fake::new(PerfettoSink::new(&mut bytes, view), threads);
    play(&mut fake);
    let written = fake.finish().1?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("trace.pftrace");
    fs::write(&file, &bytes)?;
    let processor = TraceProcessor::open(file)?;
    Ok(Judged { written, bytes, processor, _folder: folder })
}

impl Judged {
    /// No fault, no loss, nothing left open.
    pub fn assert_sound(&mut self) -> Result<()> {
        assert_eq!(self.processor.stats_errors()?, []);
        assert_eq!(self.number("select count(*) from slice where dur < 0")?, 0);
        Ok(())
    }

    pub fn number(&mut self, sql: &str) -> Result<u64> {
        Ok(u64::try_from(self.processor.query(sql)?.integer()?)?)
    }

    pub fn lines(&mut self, sql: &str) -> Result<Vec<String>> {
        Ok(self.processor.query(sql)?.lines())
    }
}
