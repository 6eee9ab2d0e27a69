//! A made-up run, written and loaded into the trace processor.

use std::fs;

use anyhow::Result;
use ompttrace_chrome::{ChromeSink, View, Written};
use ompttrace_model::ThreadInfo;
use ompttrace_tests::trace_processor::TraceProcessor;

use crate::fake::{Fake, threads};

pub const VIEWS: [View; 3] = [View::Threads, View::Regions, View::Both];

/// What was written, and the reader of it.
pub struct Judged {
    pub written: Written,
    pub bytes: Vec<u8>,
    pub processor: TraceProcessor,
}

/// A run on four threads.
pub fn judge(view: View, play: impl FnOnce(&mut Fake<ChromeSink<&mut Vec<u8>>>)) -> Result<Judged> {
    judge_threads(view, &threads(4), play)
}

/// A run on these threads.
pub fn judge_threads(
    view: View,
    threads: &[ThreadInfo],
    play: impl FnOnce(&mut Fake<ChromeSink<&mut Vec<u8>>>),
) -> Result<Judged> {
    let mut bytes = Vec::new();
    let mut fake = Fake::new(ChromeSink::new(&mut bytes, view), threads);
    play(&mut fake);
    let written = fake.finish().1?;
    assert_eq!(written.bytes, bytes.len() as u64);
    let processor = load(&bytes, "trace.json")?;
    Ok(Judged { written, bytes, processor })
}

/// Has a trace of this name read.
pub fn load(bytes: &[u8], name: &str) -> Result<TraceProcessor> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(name);
    fs::write(&file, bytes)?;
    TraceProcessor::open(file)
}

impl Judged {
    /// No fault, no loss, nothing left open, and one whole event a line.
    pub fn assert_sound(&mut self) -> Result<()> {
        assert_eq!(self.processor.stats_errors()?, []);
        assert_eq!(self.number("select count(*) from slice where dur < 0")?, 0);
        let array: Vec<serde_json::Value> = serde_json::from_slice(&self.bytes)?;
        let text = std::str::from_utf8(&self.bytes)?;
        let lines = text.lines().filter(|line| line.len() > 1);
        for (line, event) in lines.clone().zip(&array) {
            let alone: serde_json::Value = serde_json::from_str(line.trim_end_matches(','))?;
            assert_eq!(alone, *event);
        }
        assert_eq!((lines.count(), array.len() as u64), (array.len(), self.written.lines));
        Ok(())
    }

    pub fn number(&mut self, sql: &str) -> Result<u64> {
        Ok(u64::try_from(self.processor.query(sql)?.integer()?)?)
    }

    pub fn lines(&mut self, sql: &str) -> Result<Vec<String>> {
        Ok(self.processor.query(sql)?.lines())
    }
}
