//! Samples: which construct, line and call stack each was found in.

use super::ReportSink;
use ompttrace_model::{CodeLine, Sample, ThreadRef};
use ompttrace_samples::Weight;

/// Lines in constructs that are distinguished; the samples of further ones count in their constructs.
const MOST_LINES: usize = 1 << 16;

impl ReportSink {
    #[cold]
    pub(super) fn take_sample(&mut self, t: ThreadRef, sample: &Sample) {
        let (construct, _) = self.thread(t).innermost();
        let line = sample
            .line
            .map(|line| CodeLine { source: self.construct_table.same(line.source), ..line });
        let mut key = (construct, line, sample.pseudo_frame());
        let lines = &mut self.sampled.by_line;
        if lines.len() >= MOST_LINES && !lines.contains_key(&key) {
            key.1 = None;
        }
        lines.entry(key).or_default().add(&Weight::of(sample));
        self.sampled.by_stack.add(sample);
    }
}
