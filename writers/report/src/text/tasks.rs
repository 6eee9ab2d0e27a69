//! Tasks and the critical path.

use super::figures::{count, part};
use super::page::Page;
use super::tables::{Table, bar};
use super::{duration, heading, more, percent, remark};
use crate::model::{Report, TaskReport};

/// Lines of a histogram.
const MAX_GRAINS: usize = 16;

pub(super) fn tasks(report: &Report, top: usize, text: &mut Page) {
    let tasks = &report.tasks;
    if tasks.created == 0 {
        return;
    }
    heading("Tasks", text);
    let heads = [
        "made at",
        "made",
        "ran",
        "work each",
        "longest",
        "queued",
        "making",
        "elsewhere",
        "moved",
    ];
    let mut table = Table::new(&heads);
    for site in tasks.sites.iter().take(top) {
        let name = report.constructs.get(site.construct).map_or("", |one| one.name.as_str());
        table.row(row(name, site));
    }
    table.write(text);
    more(tasks.sites.len(), top, text);
    if tasks.dependences > 0 {
        let dependences = count(tasks.dependences);
        text.push_str(&format!("{dependences} dependences made a task wait for another\n"));
    }
    remark("queued: mean time from creation to begin; elsewhere: begun by another thread", text);
    if let Some(site) = tasks.sites.first() {
        grains(site, text);
    }
    queue(report, text);
}

fn row(name: &str, site: &TaskReport) -> Vec<String> {
    let making = if site.made_in_a_row == 0 { "-".into() } else { duration(site.making_ns) };
    vec![
        name.to_owned(),
        count(site.created),
        count(site.executed),
        duration(site.mean_ns),
        duration(site.longest_ns),
        duration(site.queued_ns),
        making,
        part(site.begun_elsewhere, site.executed),
        if site.migrations == 0 { "-".into() } else { count(site.migrations) },
    ]
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

/// How many tasks wait to begin, over the run, as a line of blocks.
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
    let mut table = Table::new(&["construct", "time", "of it work", "share"]);
    for piece in path.parts.iter().take(top) {
        let construct = piece.construct.and_then(|at| report.constructs.get(at));
        let name = construct.map_or("outside of all constructs", |one| one.name.as_str());
        let work = part(piece.work_ns, piece.ns);
        table.row(vec![name.to_owned(), duration(piece.ns), work, percent(piece.share)]);
    }
    table.write(text);
    more(path.parts.len(), top, text);
}
