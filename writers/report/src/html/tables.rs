//! The tables of the page.

use super::label;
use crate::model::{Balance, Class, Report};
use crate::state::{State, Times};
use crate::text::contexts::{Line, lines};
use crate::text::cores::{HEADS, figures};
use crate::text::counters;
use crate::text::locks::ORDERED;
use crate::text::{count, duration, part, times};
use maud::{Markup, html};
use std::cmp::Reverse;

pub(super) fn all(report: &Report, top: usize) -> Markup {
    html! {
        (threads(report, top))
        (cores(report, top))
        (counters(report, top))
        (regions(report, top))
        (constructs(report, top))
        (serial(report, top))
        (contexts(report))
        @for ordered in [false, true] { (holders(report, ordered, top)) }
        @for ordered in [false, true] { (locks(report, ordered, top)) }
        (tasks(report, top))
    }
}

/// A table that scrolls by itself where it is too wide; nothing where it is empty.
fn table(title: &str, heads: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        @if !rows.is_empty() {
            section {
                h2 { (title) }
                div.wide { table {
                    thead { tr { @for head in heads { th { (head) } } } }
                    tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
                } }
            }
        }
    }
}

const SPLIT: [&str; 5] = ["work", "barrier", "tasks", "mutex/ordered", "overhead"];

fn split(of: &Times) -> [String; 5] {
    let all = of.all();
    let tasks = of.of(State::WaitTaskwait) + of.of(State::WaitTaskgroup);
    [
        part(of.work(), all),
        part(of.sum(State::is_barrier), all),
        part(tasks, all),
        part(of.sum(State::is_mutex), all),
        part(of.sum(State::is_overhead), all),
    ]
}

fn longest(balance: &Balance) -> String {
    if balance.instances == 0 { "-".into() } else { times(1.0 + balance.imbalance) }
}

fn threads(report: &Report, top: usize) -> Markup {
    let rows: Vec<_> = report
        .threads
        .iter()
        .take(top)
        .map(|thread| {
            let mut row = vec![thread.name.clone(), duration(thread.lifetime_ns)];
            row.extend(split(&thread.times));
            row.push(part(thread.metrics.idle_ns, thread.lifetime_ns));
            row
        })
        .collect();
    let [work, barrier, tasks, mutex, overhead] = SPLIT;
    table("Threads", &["thread", "lifetime", work, barrier, tasks, mutex, overhead, "idle"], &rows)
}

fn cores(report: &Report, top: usize) -> Markup {
    let all = report.cores.iter().map(|cores| ("(all threads)", cores));
    let threads = report.threads.iter();
    let known = threads.filter_map(|thread| Some((thread.name.as_str(), thread.cores.as_ref()?)));
    let row = |(name, cores): (&str, _)| [vec![name.to_owned()], figures(cores).to_vec()].concat();
    let rows: Vec<_> = known.take(top).chain(all).map(row).collect();
    table("Cores", &HEADS, &rows)
}

fn counters(report: &Report, top: usize) -> Markup {
    let rows = if report.counters.is_empty() { Vec::new() } else { counters::rows(report, top) };
    table("Counters", &counters::heads(report), &rows)
}

fn regions(report: &Report, top: usize) -> Markup {
    let rows: Vec<_> = report
        .regions
        .iter()
        .take(top)
        .map(|region| {
            let mut row = vec![label(report, region.construct), count(region.calls)];
            row.extend([region.threads.to_string(), duration(region.wall_ns)]);
            row.extend(split(&region.times));
            row.extend([longest(&region.balance), duration(region.blame.idle_ns)]);
            row
        })
        .collect();
    let [work, barrier, tasks, mutex, overhead] = SPLIT;
    let heads = ["region", "calls", "threads", "wall", work, barrier, tasks, mutex, overhead];
    table("Parallel regions", &[&heads[..], &["longest/mean", "others idle"]].concat(), &rows)
}

fn constructs(report: &Report, top: usize) -> Markup {
    let mut told: Vec<_> = report.constructs.iter().enumerate().collect();
    told.retain(|(_, one)| !matches!(one.class, Class::Serial | Class::Outside));
    told.sort_by_key(|(_, construct)| Reverse(construct.times.all()));
    let rows: Vec<_> = told
        .into_iter()
        .take(top)
        .map(|(at, construct)| {
            let time = duration(construct.times.all());
            let mut row = vec![label(report, at), count(construct.calls), time];
            row.extend(split(&construct.times));
            row.push(longest(&construct.balance));
            row
        })
        .collect();
    let [work, barrier, tasks, mutex, overhead] = SPLIT;
    let heads = ["construct", "calls", "time", work, barrier, tasks, mutex, overhead];
    table("Constructs", &[&heads[..], &["longest/mean"]].concat(), &rows)
}

fn serial(report: &Report, top: usize) -> Markup {
    let mut told: Vec<_> = report.constructs.iter().collect();
    told.retain(|construct| construct.class == Class::Serial);
    told.sort_by_key(|one| Reverse((one.blame.unused(), one.times.all())));
    let rows: Vec<_> = told
        .into_iter()
        .take(top)
        .map(|stretch| {
            let [from, to] = crate::findings::ends(report, stretch).map(|end| end.replace('`', ""));
            let lost = duration(stretch.blame.idle_ns + stretch.blame.wait_ns);
            let absent = duration(stretch.blame.absent_ns);
            vec![from, to, count(stretch.calls), duration(stretch.times.all()), lost, absent]
        })
        .collect();
    let heads = ["from", "to", "times", "time", "others idle", "not there"];
    table("Serial sections", &heads, &rows)
}

/// The tree of calling contexts; a name stands as far in as its frame does.
fn contexts(report: &Report) -> Markup {
    let indented = |line: Line| {
        let mut row = vec![format!("{}{}", "\u{2003}".repeat(line.depth), line.name)];
        row.extend(line.cells);
        row
    };
    let told = if report.contexts.is_empty() { Vec::new() } else { lines(report).0 };
    let rows: Vec<_> = told.into_iter().map(indented).collect();
    table("Calling contexts", &["frame", "time", "work", "wait", "idle"], &rows)
}

/// Of mutexes, or of ordered regions, which are none.
fn holders(report: &Report, ordered: bool, top: usize) -> Markup {
    let rows: Vec<_> = report
        .holders
        .iter()
        .filter(|holder| (holder.kind == ORDERED) == ordered)
        .take(top)
        .map(|holder| {
            let what = crate::findings::holder_name(holder).replace('`', "");
            vec![
                format!("{what} at {}", holder.place.short),
                label(report, holder.construct),
                count(holder.holds),
                duration(holder.held_ns),
                duration(holder.longest_ns),
                duration(holder.blame_ns),
            ]
        })
        .collect();
    if ordered {
        let heads = ["executed at", "in", "times", "inside", "longest", "others wait"];
        return table("Where ordered regions are executed", &heads, &rows);
    }
    let heads = ["held at", "in", "times", "held", "longest", "others wait"];
    table("Where mutexes are held", &heads, &rows)
}

fn locks(report: &Report, ordered: bool, top: usize) -> Markup {
    let rows: Vec<_> = report
        .locks
        .iter()
        .filter(|lock| (lock.kind == ORDERED) == ordered)
        .take(top)
        .map(|lock| {
            vec![
                lock.name.clone(),
                count(lock.acquired),
                count(lock.contended),
                duration(lock.wait_ns),
                duration(lock.longest_wait_ns),
                duration(lock.held_ns),
                duration(lock.longest_hold_ns),
            ]
        })
        .collect();
    if ordered {
        let heads = ["region", "executed", "waited for", "wait", "longest", "inside", "longest"];
        return table("Ordered regions", &heads, &rows);
    }
    let heads = ["mutex", "acquired", "contended", "wait", "longest", "held", "longest"];
    table("Mutexes", &heads, &rows)
}

fn tasks(report: &Report, top: usize) -> Markup {
    let rows: Vec<_> = report
        .tasks
        .sites
        .iter()
        .take(top)
        .map(|site| {
            vec![
                label(report, site.construct),
                count(site.created),
                count(site.executed),
                duration(site.mean_ns),
                duration(site.longest_ns),
                duration(site.queued_ns),
                duration(site.making_ns),
                part(site.begun_elsewhere, site.executed),
                count(site.migrations),
            ]
        })
        .collect();
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
    table("Tasks", &heads, &rows)
}
