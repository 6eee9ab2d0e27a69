//! Order in which tasks can be worked at: the tasks that a task waits for, and those that wait for it.

use super::{Made, Tasks};
use crate::chain::Chain;
use ompttrace_recording::Id;

/// Tasks that others wait for at the same time, and tasks that wait for one.
const MAX_SOURCES: usize = 1 << 18;
const MAX_SINKS: usize = 1 << 10;

impl Tasks {
    /// `sink` can begin when `source` is over.
    pub(crate) fn depends(&mut self, source: Id, sink: Id) {
        if self.waiting.len() < MAX_SOURCES && self.live.contains_key(&source) {
            let sinks = self.waiting.entry(source).or_default();
            if sinks.len() < MAX_SINKS {
                sinks.push(sink);
            }
        }
    }

    /// A task that has worked is left, for now or for good.
    pub(crate) fn left(
        &mut self,
        task: Id,
        work: u64,
        chain: &Chain,
        span: u64,
    ) -> Option<&mut Chain> {
        let live = self.live.get_mut(&task)?;
        live.work += work;
        live.made.chain.clone_from(chain);
        live.made.span = live.made.span.max(span);
        Some(&mut live.made.chain)
    }

    /// A task is over: the one that made it may wait for that, and others that depend on it.
    pub(super) fn report_parent(&mut self, task: Id, made: Made) {
        let Made { parent, chain, span, .. } = made;
        for sink in self.waiting.remove(&task).unwrap_or_default() {
            if let Some(live) = self.live.get_mut(&sink) {
                live.made.chain = chain.clone();
                live.made.span = live.made.span.max(span);
            }
        }
        self.children.remove(&task);
        // One that is over already waits for nobody, and would be kept for ever.
        if !parent.is_implicit() && !self.live.contains_key(&parent) {
            return;
        }
        let last = self.children.entry(parent).or_default();
        *last = (chain, last.1.max(span));
    }

    /// The last child of a task that is over, and the longest sequence of work of any.
    pub(crate) fn children_of(&self, task: Id) -> (Option<&Chain>, u64) {
        let last = self.children.get(&task);
        last.map_or((None, 0), |(chain, span)| (Some(chain), *span))
    }

    /// The task is over and waits no more.
    pub(crate) fn forget_children_of(&mut self, task: Id) {
        self.children.remove(&task);
    }
}
