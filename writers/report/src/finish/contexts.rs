//! The tree of calling contexts, from the root on.

use super::metrics::metrics;
use crate::model::{ContextReport, Site};
use crate::sink::ReportSink;
use crate::state::Times;
use ompttrace_model::{FrameKind, base_name};
use std::cmp::Reverse;

/// Every context; nothing where none was recorded. Those that only samples are in have no time, and are left out.
pub(super) fn contexts(sink: &ReportSink) -> Vec<ContextReport> {
    let is_sampled = sink.sampled.all().samples > 0;
    if !sink.contexts.are_reported() || is_sampled && !sink.contexts.have_time() {
        return Vec::new();
    }
    let frames = sink.contexts.frames();
    let mut whole: Vec<Times> = (0..=frames.len()).map(|at| sink.contexts.own(at)).collect();
    let mut inside: Vec<Vec<usize>> = vec![Vec::new(); frames.len() + 1];
    // Callers have smaller numbers: so all that is inside a frame is summed before the frame is.
    for (at, frame) in frames.iter().enumerate().rev() {
        let number = at + 1;
        let (caller, own) = (frame.caller as usize, whole.get(number).copied());
        if let (Some(sum), Some(own)) = (whole.get_mut(caller), own) {
            sum.add_all(&own);
        }
        if let Some(list) = inside.get_mut(caller) {
            list.push(number);
        }
    }
    for list in &mut inside {
        let has_time = |at: &usize| whole.get(*at).is_some_and(|times| times.all() > 0);
        list.retain(|at| !is_sampled || has_time(at));
        list.sort_by_key(|at| Reverse(whole.get(*at).map_or(0, Times::all)));
    }
    let mut reported = Vec::new();
    let mut next = vec![(0, None, 0)];
    while let Some((number, caller, depth)) = next.pop() {
        let (name, kind, location) = frame(sink, number);
        let times = sink.contexts.own(number);
        let metrics = metrics(&whole.get(number).copied().unwrap_or_default());
        let position = reported.len();
        reported.push(ContextReport { name, kind, location, caller, depth, times, metrics });
        let inner = inside.get(number).into_iter().flatten().rev();
        next.extend(inner.map(|inner| (*inner, Some(position), depth + 1)));
    }
    reported
}

fn frame(sink: &ReportSink, number: usize) -> (String, &'static str, Site) {
    let frame = number.checked_sub(1).and_then(|at| sink.contexts.frames().get(at));
    let Some(frame) = frame else {
        let program = base_name(&sink.facts.process.executable).to_owned();
        return (program, "program", Site::default());
    };
    (
        sink.construct_table.text(frame.name).to_owned(),
        kind(frame.kind),
        sink.construct_table.site(frame.source),
    )
}

/// Kind of a frame in reports.
pub(super) fn kind(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Function => "function",
        FrameKind::Region => "region",
        FrameKind::Task => "task",
        FrameKind::Unknown => "unknown",
        FrameKind::State => "state",
    }
}
