//! Tables of time: by state, thread, region, construct, serial section, and by blame.

use super::figures::{count, part, times as ratio};
use super::page::Page;
use super::tables::{Table, bar};
use super::{duration, heading, more, percent, remark};
use crate::model::{Class, ConstructReport, Report};
use crate::state::{Metric, State, Times};
use std::cmp::Reverse;

pub(super) fn states(report: &Report, text: &mut Page) {
    heading("Time of all threads", text);
    let all = report.times.all();
    let metrics = [
        ("OpenMP Work", Metric::Work),
        ("OpenMP Wait", Metric::Wait),
        ("Idle", Metric::Idle),
        ("Off core, amid work", Metric::OffCore),
    ];
    for (name, metric) in metrics {
        let time = report.times.metric(metric);
        if metric == Metric::OffCore && time == 0 {
            continue;
        }
        line(name, time, all, text);
        let states = State::ALL.iter().filter(|state| state.metric() == metric);
        for state in states.filter(|_| metric != Metric::Idle) {
            let time = report.times.of(*state);
            if time > 0 {
                line(&format!("  {}", state.name()), time, all, text);
            }
        }
    }
}

fn line(name: &str, time: u64, all: u64, text: &mut Page) {
    let share = time as f64 / all.max(1) as f64;
    let (figures, bar) = (percent(share), bar(share, text.bar(46, 34)));
    let line = format!("{name:<26}{:>9}{figures:>8}  {bar}", duration(time));
    text.push_str(&format!("{}\n", line.trim_end()));
}

/// The columns in which tables split time: work, and what is lost.
const SPLIT: [&str; 5] = ["work", "barr", "task", "lock", "ovh"];

fn split(times: &Times) -> [String; 5] {
    let all = times.all();
    let tasks = times.of(State::WaitTaskwait) + times.of(State::WaitTaskgroup);
    [
        part(times.work(), all),
        part(times.sum(State::is_barrier), all),
        part(tasks, all),
        part(times.sum(State::is_mutex), all),
        part(times.sum(State::is_overhead), all),
    ]
}

pub(super) fn threads(report: &Report, top: usize, text: &mut Page) {
    heading("Threads", text);
    let [work, barrier, tasks, locks, overhead] = SPLIT;
    let heads = ["thread", "lifetime", work, barrier, tasks, locks, overhead, "idle"];
    let mut table = Table::new(&heads);
    for thread in report.threads.iter().take(top) {
        let mut row = vec![thread.name.clone(), duration(thread.lifetime_ns)];
        row.extend(split(&thread.times));
        row.push(part(thread.metrics.idle_ns, thread.lifetime_ns));
        table.row(row);
    }
    table.write(text);
    more(report.threads.len(), top, text);
}

pub(super) fn regions(report: &Report, top: usize, text: &mut Page) {
    if report.regions.is_empty() {
        return;
    }
    heading("Parallel regions", text);
    let [work, barrier, tasks, locks, overhead] = SPLIT;
    let heads = ["region", "calls", "wall", work, barrier, tasks, locks, overhead, "max"];
    let mut table = Table::new(&heads);
    for region in report.regions.iter().take(top) {
        let Some(construct) = report.constructs.get(region.construct) else { continue };
        let name = construct.name.strip_prefix("parallel ").unwrap_or(&construct.name);
        let calls = format!("{}x{}", count(region.calls), region.threads);
        let mut row = vec![name.to_owned(), calls, duration(region.wall_ns)];
        row.extend(split(&region.times));
        row.push(longest(region.balance.instances, region.balance.imbalance));
        table.row(row);
    }
    table.write(text);
    remark(
        "calls: times entered x threads; barr: waiting at barriers; task: in taskwait and taskgroup; \
         lock: for mutexes and turns in ordered regions; ovh: overhead; max: work of the busiest thread / mean of its team",
        text,
    );
    more(report.regions.len(), top, text);
}

fn longest(instances: u64, imbalance: f64) -> String {
    if instances == 0 { "-".into() } else { ratio(1.0 + imbalance) }
}

fn is_told(construct: &ConstructReport) -> bool {
    !matches!(construct.class, Class::Serial | Class::Outside) && construct.times.all() > 0
}

pub(super) fn constructs(report: &Report, top: usize, text: &mut Page) {
    let mut told: Vec<_> =
        report.constructs.iter().filter(|construct| is_told(construct)).collect();
    if told.is_empty() {
        return;
    }
    told.sort_by_key(|construct| Reverse(construct.times.all()));
    heading("Constructs, without what is inside of them", text);
    let [work, barrier, tasks, locks, overhead] = SPLIT;
    let heads = ["construct", "calls", "time", work, barrier, tasks, locks, overhead, "max"];
    let mut table = Table::new(&heads);
    for construct in told.iter().take(top) {
        let time = duration(construct.times.all());
        let mut row = vec![construct.name.clone(), count(construct.calls), time];
        row.extend(split(&construct.times));
        row.push(longest(construct.balance.instances, construct.balance.imbalance));
        table.row(row);
    }
    table.write(text);
    more(told.len(), top, text);
}

pub(super) fn serial(report: &Report, top: usize, text: &mut Page) {
    let all = report.constructs.iter();
    let mut told: Vec<_> = all
        .filter(|construct| construct.class == Class::Serial && construct.times.all() > 0)
        .collect();
    told.sort_by_key(|construct| Reverse((construct.blame.unused(), construct.times.all())));
    if told.is_empty() {
        return;
    }
    heading("Serial sections", text);
    let mut table = Table::new(&["from … to", "times", "time", "others idle", "not there"]);
    for stretch in told.iter().take(top) {
        let lost = stretch.blame.idle_ns + stretch.blame.wait_ns;
        let name = stretch.name.replace("serial, ", "").replace("parallel ", "");
        let time = duration(stretch.times.all());
        let [lost, absent] = [lost, stretch.blame.absent_ns].map(|lost| match lost {
            0 => "-".into(),
            lost => duration(lost),
        });
        table.row(vec![name, count(stretch.calls), time, lost, absent]);
    }
    table.write(text);
    more(told.len(), top, text);
}

pub(super) fn blame(report: &Report, top: usize, text: &mut Page) {
    let mut told: Vec<_> = report.constructs.iter().filter(|one| one.blame.all() > 0).collect();
    if told.is_empty() {
        return;
    }
    told.sort_by_key(|construct| Reverse(construct.blame.all()));
    heading("Blame: what others lost while this was worked at", text);
    let mut table = Table::new(&["construct", "idle", "waiting", "mutex/ordered", "of all"]);
    let time = |time: u64| if time == 0 { "-".into() } else { duration(time) };
    for construct in told.iter().take(top) {
        let blame = &construct.blame;
        let share = part(blame.all(), report.times.all());
        let name = construct.name.clone();
        table.row(vec![
            name,
            time(blame.idle_ns),
            time(blame.wait_ns),
            time(blame.mutex_ns),
            share,
        ]);
    }
    let sums = &report.blame;
    table.row(vec![
        "(nobody: no thread worked)".into(),
        time(sums.idle_uncharged_ns),
        time(sums.wait_uncharged_ns),
        time(sums.mutex_uncharged_ns),
        part(
            sums.idle_uncharged_ns + sums.wait_uncharged_ns + sums.mutex_uncharged_ns,
            report.times.all(),
        ),
    ]);
    table.write(text);
    more(told.len(), top, text);
}
