//! The tree of calling contexts.

use super::page::Page;
use super::tables::Table;
use super::{duration, heading, part, remark};
use crate::model::{ContextReport, Report, pseudo_frames};

/// Frames with less of the time than one in so many are left out.
const LEAST: u64 = 200;

/// A line of the tree, as both the text and the page show it: how deep it stands, what it is, its time
/// and the parts of it that are Work, Wait and Idle; of a pseudo-frame only its time.
pub(crate) struct Line {
    pub(crate) depth: usize,
    pub(crate) name: String,
    pub(crate) cells: Vec<String>,
}

/// The lines worth telling, and how many were left out.
pub(crate) fn lines(report: &Report) -> (Vec<Line>, usize) {
    let least = report.times.all() / LEAST;
    let (mut lines, mut left_out) = (Vec::new(), 0);
    for context in &report.contexts {
        let metrics = context.metrics;
        let all = metrics.work_ns + metrics.wait_ns + metrics.idle_ns;
        if all <= least {
            left_out += 1;
            continue;
        }
        let parts = [metrics.work_ns, metrics.wait_ns, metrics.idle_ns];
        let mut cells = vec![duration(all)];
        cells.extend(parts.map(|time| part(time, all)));
        lines.push(Line { depth: context.depth, name: name(context), cells });
        for (name, time) in pseudo_frames(&context.times).into_iter().filter(|one| one.1 > least) {
            let cells = vec![duration(time), "-".into(), "-".into(), "-".into()];
            lines.push(Line { depth: context.depth + 1, name: name.to_owned(), cells });
        }
    }
    (lines, left_out)
}

/// A function with the line from which it calls on; a construct's line is in its name.
fn name(context: &ContextReport) -> String {
    match context.kind {
        "function" if !context.place.short.is_empty() => {
            format!("{} {}", context.name, context.place.short)
        }
        _ => context.name.clone(),
    }
}

pub(super) fn contexts(report: &Report, text: &mut Page) {
    if report.contexts.is_empty() {
        return;
    }
    heading("Calling contexts", text);
    let mut table = Table::new(&["frame", "time", "work", "wait", "idle"]);
    let (lines, left_out) = lines(report);
    for Line { depth, name, cells } in lines {
        let mut row = vec![format!("{:depth$}{name}", "")];
        row.extend(cells);
        table.row(row);
    }
    table.write(text);
    let mut words = "time of all threads in a frame and what it calls; <OMP-…>: what OpenMP does \
                     in the frame above"
        .to_owned();
    if left_out > 0 {
        words.push_str(&format!("; {left_out} frames with less than 0.5% are left out"));
    }
    remark(&words, text);
}
