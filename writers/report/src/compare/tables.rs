//! The tables of a comparison.

use super::{Comparison, Line, Match, Spread};
use crate::tables::{Cell, Table, column};
use crate::text::{count, duration, percent};

const LEGEND: &str = "change: of the medians; of all: that as a share of the whole before";
const CLEAR: &str = "; clear: whether all runs of one side took longer than all of the other";

/// Regions and serial sections by elapsed time, and constructs by thread time.
pub(crate) fn tables(comparison: &Comparison, top: usize) -> Vec<Table> {
    let elapsed = table("Elapsed time of regions and serial sections", &comparison.elapsed, top);
    let title = "Thread time of constructs, without what is inside of them";
    let constructs = table(title, &comparison.constructs, top);
    let several = comparison.wall.is_clear.is_some();
    let legend = format!("{LEGEND}{}", if several { CLEAR } else { "" });
    elapsed.into_iter().chain(constructs.map(|table| table.legend(&legend))).collect()
}

fn table(title: &'static str, lines: &[Line], top: usize) -> Option<Table> {
    let names =
        ["construct", "before", "after", "change", "of all", "clear", "spread", "executions"];
    let mut columns: Vec<_> = names.map(column).into();
    columns.iter_mut().skip(6).for_each(|column| column.is_wide = true);
    let changed: Vec<_> = lines.iter().filter(|line| line.time.change_ns != 0).collect();
    Table::of(title, columns, &changed, top, |line| row(line))
}

fn row(line: &Line) -> Vec<Cell> {
    let median = |spread: Option<Spread>| spread.map_or("-".into(), |one| duration(one.median_ns));
    let change = line.time;
    let name = match (&line.name_after, line.found) {
        (Some(after), _) => format!("{} → {after}", line.name),
        (None, Match::None) if change.before.is_none() => format!("{} (new)", line.name),
        (None, Match::None) => format!("{} (gone)", line.name),
        _ => line.name.clone(),
    };
    let [calls, calls_after] = line.calls.map(count);
    let figures = [
        name,
        median(change.before),
        median(change.after),
        signed(change.change_ns),
        signed_percent(change.share),
        change.is_clear.map_or("-", |clear| if clear { "yes" } else { "no" }).to_owned(),
        format!("{}; {}", spread(change.before), spread(change.after)),
        if calls == calls_after { calls } else { format!("{calls} → {calls_after}") },
    ];
    figures.into_iter().map(Cell::from).collect()
}

/// `+12.3 ms`.
pub(crate) fn signed(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { '-' } else { '+' };
    format!("{sign}{}", duration(nanoseconds.unsigned_abs()))
}

/// `-14%`; `0%` where it rounds to that.
pub(crate) fn signed_percent(share: f64) -> String {
    let sign = if share < 0.0 { '-' } else { '+' };
    match percent(share.abs()).as_str() {
        "0%" | "0.0%" => "0%".to_owned(),
        percent => format!("{sign}{percent}"),
    }
}

/// `12.1 to 12.9 ms`.
pub(crate) fn spread(spread: Option<Spread>) -> String {
    let Some(spread) = spread else { return "-".into() };
    match spread.least_ns == spread.most_ns {
        true => duration(spread.most_ns),
        false => format!("{} to {}", duration(spread.least_ns), duration(spread.most_ns)),
    }
}
