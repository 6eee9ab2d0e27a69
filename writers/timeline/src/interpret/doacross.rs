//! Iterations of doacross loops (`ordered` with `depend(source)` and `depend(sink)`), and the arrows from
//! each that is done to those that waited for it.
//!
//! A source is to be reported before its signal, a sink after it came (OpenMP 5.2), but LLVM's
//! runtime reports sources after the signal: the sink may have the earlier stamp. Then it is kept until
//! the source's record comes, if its thread does nothing else meanwhile, and gets that record's time.

use super::Interpreter;
use crate::hash::iteration_key;
use crate::state::pending::{Gather, Pending, Step};
use ompttrace_model::{Item, Mark, SliceKind};

/// Iterations that a thread may have waited for consecutively.
const MAX_SINKS: usize = 16;

impl Interpreter<'_> {
    /// A thread says something of an iteration.
    pub(super) fn iteration(&mut self, t: u32, mut gather: Gather, step: Step) {
        let word = if step == Step::Source { "depend(source)" } else { "depend(sink)" };
        gather.named = self.plain(word);
        match (step, self.key(t, &gather.items)) {
            (Step::Source, Some(key)) => self.posted(t, gather, key),
            (Step::Sink(_), Some(key)) => self.passed(t, gather, key),
            (_, None) => self.emit_gathered(t, gather),
        }
    }

    /// The iteration that is meant, where its loop is known.
    fn key(&mut self, t: u32, items: &[Item]) -> Option<u64> {
        let thread = self.thread(t);
        let in_loop = |kind| matches!(kind, SliceKind::Work(work) if work.is_loop());
        let known =
            thread.top.own.iter().any(|open| in_loop(open.kind)) && !thread.top.region.is_none();
        let (region, ordinal) = (thread.top.region, thread.top.loops);
        let numbers = items.iter().map(|item| match item {
            Item::Iteration(number) => *number,
            _ => 0,
        });
        known.then(|| iteration_key(region, ordinal, numbers))
    }

    /// An iteration is done.
    fn posted(&mut self, t: u32, mut gather: Gather, key: u64) {
        let (at, dimensions) = (gather.at, gather.items.len());
        let sinks = std::mem::take(&mut self.thread(t).top.sinks);
        gather.flows = self.doacross.post(key, sinks, dimensions);
        self.emit_gathered(t, gather);
        for waiting in self.doacross.caught_up(key) {
            self.tie_sink(waiting, key, at);
        }
    }

    /// A thread need not wait for an iteration any more.
    fn passed(&mut self, t: u32, mut gather: Gather, key: u64) {
        self.thread(t).top.sinks += 1;
        if self.doacross.is_done(key) {
            gather.flow_end = self.doacross.flow_from(key);
            if gather.sinks.is_empty() {
                return self.emit_gathered(t, gather);
            }
        } else {
            gather.step = Some(Step::Sink(Some(key)));
            self.doacross.is_ahead(key, t);
        }
        let mut sinks = std::mem::take(&mut gather.sinks);
        sinks.push(gather);
        if sinks.len() > MAX_SINKS {
            self.report_sinks(t, sinks);
        } else {
            self.thread(t).pending = Pending::Sinks(sinks);
        }
    }

    /// The iteration that a thread was ahead of is done at `at`.
    fn tie_sink(&mut self, t: u32, key: u64, at: u64) {
        let sinks = match &mut self.threads[t as usize].pending {
            Pending::Sinks(sinks) => sinks,
            Pending::Gather(gather) => &mut gather.sinks,
            _ => return,
        };
        let wanted = Some(Step::Sink(Some(key)));
        let Some(sink) = sinks.iter_mut().find(|sink| sink.step == wanted) else { return };
        (sink.step, sink.flow_end) = (Some(Step::Sink(None)), self.doacross.flow_from(key));
        (sink.at, sink.mark) = (sink.at.max(at), Mark::Inferred);
        let waits = |sink: &Gather| matches!(sink.step, Some(Step::Sink(Some(_))));
        if !sinks.iter().any(waits) {
            let sinks = std::mem::take(sinks);
            self.report_sinks(t, sinks);
            if matches!(self.thread(t).pending, Pending::Sinks(_)) {
                self.thread(t).pending = Pending::None;
            }
        }
    }

    /// Reports the iterations that a thread waited for: those without a source have no arrow.
    pub(super) fn report_sinks(&mut self, t: u32, sinks: Vec<Gather>) {
        for sink in sinks {
            if let Some(Step::Sink(Some(key))) = sink.step {
                self.doacross.goes_on(key, t);
            }
            self.emit_gathered(t, sink);
        }
    }

    /// A team thread reaches a loop: all do so in the same order.
    #[inline(always)]
    pub(super) fn loop_begins(&mut self, t: u32) {
        let task_frame = &mut self.thread(t).top;
        (task_frame.loops, task_frame.sinks) = (task_frame.loops.wrapping_add(1), 0);
    }
}
