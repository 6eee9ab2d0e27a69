//! Samples: which construct, line and call stack each was found in.

use super::ReportSink;
use crate::construct_table::ConstructRef;
use ompttrace_model::{CodeLine, Definitions, Sample, ThreadRef};
use ompttrace_samples::{Node, Stacks, Sums, Weight, tree};
use rustc_hash::FxHashMap;

/// Lines in constructs that are distinguished; the samples of further ones count in their constructs.
const MOST_LINES: usize = 1 << 16;

/// By what samples are distinguished: construct, line, and what OpenMP did there.
pub(crate) type SampleKey = (ConstructRef, Option<CodeLine>, Option<&'static str>);

/// The samples so far.
#[derive(Debug, Default)]
pub(crate) struct Sampled {
    pub by_line: FxHashMap<SampleKey, Weight>,
    by_stack: Sums,
    /// Flame graphs, by creation and by execution of tasks: once the run is over.
    pub trees: [Vec<Node>; 2],
}

impl Sampled {
    /// All of them.
    pub(crate) fn all(&self) -> Weight {
        self.by_stack.all()
    }

    /// The run is over: its call stacks become trees.
    pub(crate) fn draw(&mut self, definitions: &Definitions) {
        let stacks = [Stacks::Creation, Stacks::Execution];
        self.trees = stacks.map(|stacks| tree(definitions, &self.by_stack, stacks));
    }
}

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
