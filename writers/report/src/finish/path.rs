//! The critical path of a report: the chain of the program's first thread at its end.

use super::efficiency::share;
use crate::construct_table::OUTSIDE;
use crate::left_out::LeftOut;
use crate::model::{CriticalPath, PathPart};
use crate::sink::ReportSink;
use crate::thread::Thread as ThreadState;
use ompttrace_model::ThreadRef;
use ompttrace_model::ompt::Thread;
use std::cmp::Reverse;

/// The time of the program's first thread with a core for each thread that wanted one.
pub(super) fn replayed(sink: &ReportSink) -> u64 {
    first(sink).map_or(0, |thread| thread.busy)
}

fn first(sink: &ReportSink) -> Option<&ThreadState> {
    sink.threads.get(first_of(sink))
}

fn first_of(sink: &ReportSink) -> usize {
    sink.infos.iter().position(|info| info.kind == Thread::Initial).unwrap_or(0)
}

/// The thread whose chain is the critical path: the first one. At the end of a window that may wait: then the path is that
/// of a thread that does not.
fn last_in_window(sink: &ReportSink) -> usize {
    let first = first_of(sink);
    let is_there = |at: usize| sink.threads.get(at).map_or(0, |thread| thread.chain.at);
    if !sink.bounds.is_part || is_there(first) >= sink.end {
        return first;
    }
    (0..sink.threads.len()).rev().max_by_key(|at| is_there(*at)).unwrap_or(first)
}

impl ReportSink {
    /// The thread of the critical path, and where that ends.
    pub(crate) fn end_of_path(&self) -> (ThreadRef, u64) {
        let at = last_in_window(self);
        (at as ThreadRef, self.threads.get(at).map_or(0, |thread| thread.chain.at))
    }
}

pub(super) fn path(sink: &ReportSink, work: u64) -> CriticalPath {
    let known = sink.threads.get(last_in_window(sink)).filter(|_| !LeftOut::of(&sink.facts).waits);
    let Some(thread) = known else { return CriticalPath::default() };
    let (span, switches) = (thread.span, thread.chain.switches);
    let mut parts = thread.chain.clone().parts();
    parts.sort_by_key(|part| (Reverse(part.time), part.construct));
    let length = parts.iter().map(|part| part.time).sum();
    let reported = parts.iter().map(|part| PathPart {
        construct: (part.construct != OUTSIDE).then_some(part.construct as usize),
        ns: part.time,
        work_ns: part.work,
        recording_ns: part.recording,
        share: share(part.time, length),
    });
    CriticalPath {
        length_ns: length,
        work_ns: parts.iter().map(|part| part.work).sum(),
        switches,
        span_ns: span,
        parallelism: share(work, span),
        parts: reported.collect(),
    }
}
