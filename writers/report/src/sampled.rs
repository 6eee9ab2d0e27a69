//! The samples of a run so far, by line and by call stack.

use crate::construct_table::ConstructRef;
use ompttrace_model::{CodeLine, Definitions};
use ompttrace_samples::{Node, Stacks, Sums, Weight, tree};
use rustc_hash::FxHashMap;

/// Key of samples: construct, line, and OpenMP's activity there.
pub(crate) type SampleKey = (ConstructRef, Option<CodeLine>, Option<&'static str>);

/// The samples so far.
#[derive(Debug, Default)]
pub(crate) struct Sampled {
    pub by_line: FxHashMap<SampleKey, Weight>,
    pub(crate) by_stack: Sums,
    /// Flame graphs, by creation and by execution of tasks: once the run is over.
    pub trees: [Vec<Node>; 2],
}

impl Sampled {
    /// Sum of all samples.
    pub(crate) fn all(&self) -> Weight {
        self.by_stack.all()
    }

    /// The run is over: its call stacks become trees.
    pub(crate) fn draw(&mut self, definitions: &Definitions) {
        let stacks = [Stacks::Creation, Stacks::Execution];
        self.trees = stacks.map(|stacks| tree(definitions, &self.by_stack, stacks));
    }
}
