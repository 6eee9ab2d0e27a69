//! A made-up run, written and loaded into the trace processor.

use std::fs;

use anyhow::Result;
use ompttrace_model::{ThreadInfo, View};
use ompttrace_tests::trace_processor::{Fault, Rows, TraceProcessor};

use crate::either::{Either, Written};
use crate::fake::{Fake, threads};
use crate::format::{FORMATS, Format};

pub const VIEWS: [View; 3] = [View::Threads, View::Regions, View::Both];

/// Every format in every view.
pub fn all() -> impl Iterator<Item = (Format, View)> {
    FORMATS.into_iter().flat_map(|format| VIEWS.map(|view| (format, view)))
}

/// A made-up run under way.
pub type Run<'b> = Fake<Either<'b>>;

/// A trace and its reader.
pub struct Judged {
    pub format: Format,
    pub written: Written,
    pub bytes: Vec<u8>,
    pub processor: TraceProcessor,
}

/// A run on four threads.
pub fn judge(format: Format, view: View, play: impl FnOnce(&mut Run<'_>)) -> Result<Judged> {
    judge_threads(format, view, &threads(4), play)
}

/// A run on these threads.
pub fn judge_threads(
    format: Format,
    view: View,
    threads: &[ThreadInfo],
    play: impl FnOnce(&mut Run<'_>),
) -> Result<Judged> {
    // Shown if the test fails.
    println!("{format:?}, {view:?}");
    let mut bytes = Vec::new();
    let mut fake = Fake::new(Either::new(format, &mut bytes, view), threads);
    play(&mut fake);
    let written = fake.finish().1?;
    assert_eq!(written.bytes, bytes.len() as u64);
    let processor = load(format, &bytes)?;
    Ok(Judged { format, written, bytes, processor })
}

/// Has a trace read.
pub fn load(format: Format, bytes: &[u8]) -> Result<TraceProcessor> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(format.pick("trace.pftrace", "trace.json"));
    fs::write(&file, bytes)?;
    // Some are cut off; [`Judged::assert_whole`] asks whether all slices end.
    TraceProcessor::open_unfinished(file)
}

impl Judged {
    /// No fault, no loss, and whole.
    pub fn assert_sound(&mut self) -> Result<()> {
        assert_eq!(self.faults()?, []);
        self.assert_whole()
    }

    /// Checks that every slice has an end, and that JSON has one complete event per line.
    pub fn assert_whole(&mut self) -> Result<()> {
        assert_eq!(self.number("select count(*) from slice where dur < 0")?, 0);
        if let Some(chrome) = self.written.chrome {
            let array: Vec<serde_json::Value> = serde_json::from_slice(&self.bytes)?;
            let text = std::str::from_utf8(&self.bytes)?;
            let lines = text.lines().filter(|line| line.len() > 1);
            for (line, event) in lines.clone().zip(&array) {
                let alone: serde_json::Value = serde_json::from_str(line.trim_end_matches(','))?;
                assert_eq!(alone, *event);
            }
            assert_eq!((lines.count(), array.len() as u64), (array.len(), chrome.lines));
        }
        Ok(())
    }

    /// Faults that the trace processor found.
    pub fn faults(&mut self) -> Result<Vec<Fault>> {
        self.processor.stats_errors()
    }

    /// The answer to [`Format::sql`].
    pub fn rows(&mut self, sql: &str) -> Result<Rows> {
        self.processor.query(&self.format.sql(sql))
    }

    pub fn number(&mut self, sql: &str) -> Result<u64> {
        Ok(u64::try_from(self.rows(sql)?.integer()?)?)
    }

    pub fn lines(&mut self, sql: &str) -> Result<Vec<String>> {
        Ok(self.rows(sql)?.lines())
    }
}
