//! The critical path of a report: the chain of the program's first thread at its end.

use super::efficiency::share;
use crate::construct_table::OUTSIDE;
use crate::left_out::LeftOut;
use crate::model::{CriticalPath, PathPart};
use crate::sink::ReportSink;
use ompttrace_model::ompt::Thread;
use std::cmp::Reverse;

pub(super) fn path(sink: &ReportSink, work: u64) -> CriticalPath {
    let first = sink.infos.iter().position(|info| info.kind == Thread::Initial).unwrap_or(0);
    let known = sink.threads.get(first).filter(|_| !LeftOut::of(&sink.facts).waits);
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
