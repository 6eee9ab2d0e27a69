//! The tree of calling contexts: the indentation of a name is its frame's depth.

use super::{Cell, NOTHING, Table, cells, columns};
use crate::model::{ContextReport, Report, pseudo_frames};
use crate::text::{duration, part};

/// Frames with less of the time than one in so many are left out.
const LEAST: u64 = 200;

pub(crate) fn contexts(report: &Report) -> Option<Table> {
    let least = report.times.all() / LEAST;
    let (shown, left_out): (Vec<_>, Vec<_>) =
        report.contexts.iter().partition(|context| all(context) > least);
    let rows: Vec<_> = shown.into_iter().flat_map(|context| rows(context, least)).collect();
    let heads = columns(["frame", "time", "work", "wait", "idle"]);
    let table = Table::of("Calling contexts", heads, &rows, usize::MAX, Clone::clone)?.in_order();
    let mut words = "time of all threads in a frame and what it calls; <OMP-…>: what OpenMP does \
                     in the frame above"
        .to_owned();
    if !left_out.is_empty() {
        words += &format!("; {} frames with less than 0.5% are left out", left_out.len());
    }
    Some(table.legend(&words))
}

fn all(context: &ContextReport) -> u64 {
    let metrics = context.metrics;
    metrics.work_ns + metrics.wait_ns + metrics.idle_ns
}

/// A frame: its time and the parts of it that are Work, Wait and Idle; of a pseudo-frame only its time.
fn rows(context: &ContextReport, least: u64) -> Vec<Vec<Cell>> {
    let (metrics, all) = (context.metrics, all(context));
    let [work, wait, idle] =
        [metrics.work_ns, metrics.wait_ns, metrics.idle_ns].map(|time| part(time, all));
    let row = |depth, name: String, figures| {
        std::iter::once(Cell::Indented(depth, name)).chain(cells::<4>(figures)).collect()
    };
    let mut rows = vec![row(context.depth, name(context), [duration(all), work, wait, idle])];
    for (name, time) in pseudo_frames(&context.times).into_iter().filter(|one| one.1 > least) {
        let figures = [duration(time), NOTHING.into(), NOTHING.into(), NOTHING.into()];
        rows.push(row(context.depth + 1, name.to_owned(), figures));
    }
    rows
}

/// A function with the line from which it calls on; a construct's line is in its name.
fn name(context: &ContextReport) -> String {
    match context.kind {
        "function" if !context.location.short.is_empty() => {
            format!("{} {}", context.name, context.location.short)
        }
        _ => context.name.clone(),
    }
}
