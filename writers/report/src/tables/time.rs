//! Tables of time by thread, region, construct and serial section, and of blame.

use super::{Cell, Column, NOTHING, Table, cells, column, columns};
use crate::model::{Balance, Class, ConstructReport, Report};
use crate::state::{State, Times};
use crate::text::{count, duration, part, times as ratio};
use std::cmp::Reverse;

/// The columns in which tables split time: work, and the kinds of lost time.
fn split_columns(report: &Report) -> Vec<Column> {
    let mut columns = vec![
        column("work"),
        column("barrier").short("barr"),
        column("tasks").short("task"),
        column("mutex/ordered").short("lock"),
        column("overhead").short("ovh"),
    ];
    if report.mpi.is_some() {
        columns.push(column("MPI"));
    }
    if report.devices.is_some() {
        columns.push(column("device"));
    }
    columns
}

fn split(report: &Report, times: &Times) -> impl Iterator<Item = Cell> {
    let all = times.all();
    let tasks = times.of(State::WaitTaskwait) + times.of(State::WaitTaskgroup);
    let in_mpi = report.mpi.is_some().then(|| times.sum(State::is_mpi));
    let parts = [
        times.work(),
        times.sum(State::is_barrier),
        tasks,
        times.sum(State::is_mutex),
        times.sum(State::is_overhead),
    ];
    let for_devices = report.devices.is_some().then(|| times.of(State::WaitTarget));
    parts.into_iter().chain(in_mpi).chain(for_devices).map(move |time| part(time, all).into())
}

/// Column of the ratio between the work of the busiest thread and the mean of its team.
fn longest_column() -> Column {
    column("longest/mean").short("max")
}

fn longest(balance: &Balance) -> String {
    if balance.instances == 0 { NOTHING.into() } else { ratio(1.0 + balance.imbalance) }
}

fn time(nanoseconds: u64) -> String {
    if nanoseconds == 0 { NOTHING.into() } else { duration(nanoseconds) }
}

pub(crate) fn threads(report: &Report, top: usize) -> Option<Table> {
    let mut heads = columns(["thread", "lifetime"]);
    heads.extend(split_columns(report));
    heads.push(column("idle"));
    Table::of("Threads", heads, &report.threads, top, |thread| {
        let mut row = vec![thread.name.as_str().into(), duration(thread.lifetime_ns).into()];
        row.extend(split(report, &thread.times));
        row.push(part(thread.metrics.idle_ns, thread.lifetime_ns).into());
        row
    })
}

pub(crate) fn regions(report: &Report, top: usize) -> Option<Table> {
    let mut heads = columns(["region", "calls", "wall"]);
    heads.extend(split_columns(report));
    heads.extend([longest_column(), column("others idle").wide()]);
    let table = Table::of("Parallel regions", heads, &report.regions, top, |region| {
        let calls = format!("{}x{}", count(region.calls), region.threads);
        let mut row = vec![Cell::Region(region.construct)];
        row.extend(cells([calls, duration(region.wall_ns)]));
        row.extend(split(report, &region.times));
        row.extend(cells([longest(&region.balance), time(region.blame.idle_ns)]));
        row
    })?;
    Some(table.legend(
        "calls: times entered x threads; barr: waiting at barriers; task: in taskwait and taskgroup; \
         lock: for mutexes and turns in ordered regions; ovh: overhead; max: work of the busiest thread / mean of its team",
    ))
}

pub(crate) fn constructs(report: &Report, top: usize) -> Option<Table> {
    let is_shown = |one: &ConstructReport| {
        !matches!(one.class, Class::Serial | Class::Outside) && one.times.all() > 0
    };
    let mut shown: Vec<_> =
        report.constructs.iter().enumerate().filter(|(_, construct)| is_shown(construct)).collect();
    shown.sort_by_key(|(_, construct)| Reverse(construct.times.all()));
    let mut heads = columns(["construct", "calls", "time"]);
    heads.extend(split_columns(report));
    heads.push(longest_column());
    Table::of(
        "Constructs, without what is inside of them",
        heads,
        &shown,
        top,
        |(at, construct)| {
            let mut row = vec![Cell::Construct(*at)];
            row.extend(cells([count(construct.calls), duration(construct.times.all())]));
            row.extend(split(report, &construct.times));
            row.push(longest(&construct.balance).into());
            row
        },
    )
}

pub(crate) fn serial(report: &Report, top: usize) -> Option<Table> {
    let all = report.constructs.iter();
    let mut shown: Vec<_> =
        all.filter(|one| one.class == Class::Serial && one.times.all() > 0).collect();
    shown.sort_by_key(|one| Reverse((one.blame.unused(), one.times.all())));
    let heads = columns(["from … to", "times", "time", "others idle", "not there"]);
    Table::of("Serial sections", heads, &shown, top, |section| {
        let name = section.name.replace("serial, ", "").replace("parallel ", "");
        let (calls, lasted) = (count(section.calls), duration(section.times.all()));
        let lost = section.blame.idle_ns + section.blame.wait_ns;
        cells([name, calls, lasted, time(lost), time(section.blame.absent_ns)]).collect()
    })
}

pub(crate) fn blame(report: &Report, top: usize) -> Option<Table> {
    let all = report.constructs.iter().enumerate();
    let mut shown: Vec<_> = all.filter(|(_, construct)| construct.blame.all() > 0).collect();
    shown.sort_by_key(|(_, construct)| Reverse(construct.blame.all()));
    let heads = columns(["construct", "idle", "waiting", "mutex/ordered", "of all"]);
    let row = |name: Cell, lost: [u64; 3]| {
        let share = part(lost.iter().sum(), report.times.all());
        let mut row = vec![name];
        row.extend(cells(lost.map(time)).chain([share.into()]));
        row
    };
    let title = "Blame: what others lost while this was worked at";
    let mut table = Table::of(title, heads, &shown, top, |(at, construct)| {
        let blame = &construct.blame;
        row(Cell::Construct(*at), [blame.idle_ns, blame.wait_ns, blame.mutex_ns])
    })?;
    let sums = &report.blame;
    let uncharged = [sums.idle_uncharged_ns, sums.wait_uncharged_ns, sums.mutex_uncharged_ns];
    table.rows.push(row("(uncharged: no thread worked)".into(), uncharged));
    Some(table)
}
