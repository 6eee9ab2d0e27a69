//! Tasks and the critical path.

use super::figures::count;
use super::page::Page;
use super::tables::{bar, body, table};
use super::{duration, heading, more, percent};
use crate::model::{Report, TaskReport};
use crate::tables;

/// Lines of a histogram.
const MAX_GRAINS: usize = 16;

pub(super) fn tasks(report: &Report, top: usize, text: &mut Page) {
    if report.tasks.created == 0 {
        return;
    }
    if let Some(tasks) = tables::tasks(report, top) {
        table(&tasks, report, top, text);
    }
    if report.tasks.dependences > 0 {
        let dependences = count(report.tasks.dependences);
        text.push_str(&format!("{dependences} dependences made a task wait for another\n"));
    }
    if let Some(site) = report.tasks.sites.first() {
        grains(site, text);
    }
    queue(report, text);
}

fn grains(site: &TaskReport, text: &mut Page) {
    text.push_str("work of the tasks in the first line:\n");
    let most = site.grains.iter().map(|grain| grain.tasks).max().unwrap_or(1);
    for grain in site.grains.iter().take(MAX_GRAINS) {
        let bar = bar(grain.tasks as f64 / most as f64, text.bar(28, 40));
        let from = duration(grain.from_ns);
        let line = format!("  from {from:>8}  {:>8}  {bar}", count(grain.tasks));
        text.push_str(&format!("{}\n", line.trim_end()));
    }
    more(site.grains.len(), MAX_GRAINS, text);
}

/// Writes the number of tasks that wait to begin, over the run, as a line of blocks.
fn queue(report: &Report, text: &mut Page) {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let points = &report.tasks.queue;
    let longest = points.iter().map(|point| point.longest).max().unwrap_or(0).max(1);
    let pairs = points.chunks(2);
    let line: String = pairs
        .map(|pair| pair.iter().map(|point| point.longest).max().unwrap_or(0))
        .map(|length| if length == 0 { ' ' } else { BLOCKS[(7 * length / longest) as usize % 8] })
        .collect();
    text.push_str(&format!(
        "queue over time, at most {}:\n  {}\n",
        count(longest),
        line.trim_end()
    ));
}

pub(super) fn path(report: &Report, top: usize, text: &mut Page) {
    let path = &report.critical_path;
    if path.length_ns == 0 {
        return;
    }
    heading("Critical path", text);
    let words = format!(
        "{} long, {} of it work, {} switches between threads. Cut as it was, the work keeps {:.1} \
         threads busy (longest chain of work: {}).",
        duration(path.length_ns),
        percent(path.work_ns as f64 / path.length_ns as f64),
        path.switches,
        path.parallelism,
        duration(path.span_ns),
    );
    let words = text.wrapped(&words, 0);
    text.push_str(&format!("{words}\n"));
    if let Some(table) = tables::path(report, top) {
        body(&table, report, text);
        more(table.all, top, text);
    }
}
