//! The tables of a report as data: what they are called, their columns and rows. `text` and `html` render them.

mod contexts;
mod devices;
mod mpi;
mod mutexes;
mod samples;
mod system;
mod tasks;
mod time;

use crate::model::Report;

pub(crate) use tasks::{path, tasks};

use contexts::contexts;
use mutexes::{holders, locks};
use samples::samples;
use system::{cores, counters, environment};
use time::{blame, constructs, regions, serial, threads};

/// A table of a report.
#[derive(Debug)]
pub(crate) struct Table {
    pub title: &'static str,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
    /// How many rows there are, of which the first ones are here.
    pub all: usize,
    /// What short names and values mean.
    pub legend: String,
    /// Whether its rows mean the same in any order.
    pub is_sortable: bool,
}

/// A column. The first one of a table is text, the others are figures.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub name: String,
    /// Its name where there is little room.
    pub short: String,
    /// Whether it is left out there.
    pub is_wide: bool,
}

/// What stands in a row under a column.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Text(String),
    /// A construct, by its position in the report.
    Construct(usize),
    /// The same of a region among regions.
    Region(usize),
    /// A name so far in.
    Indented(usize, String),
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

/// Nothing, as a figure.
const NOTHING: &str = "-";

pub(crate) fn column(name: &str) -> Column {
    Column { name: name.to_owned(), short: name.to_owned(), is_wide: false }
}

impl Column {
    fn short(self, short: &str) -> Column {
        Column { short: short.to_owned(), ..self }
    }

    fn wide(self) -> Column {
        Column { is_wide: true, ..self }
    }
}

pub(crate) fn columns<const N: usize>(names: [&str; N]) -> Vec<Column> {
    names.map(column).into()
}

impl Table {
    /// The table of these things, of which `top` are shown; none where there are none.
    pub(crate) fn of<T>(
        title: &'static str,
        columns: Vec<Column>,
        things: &[T],
        top: usize,
        row: impl FnMut(&T) -> Vec<Cell>,
    ) -> Option<Table> {
        let rows = things.iter().take(top).map(row).collect();
        let (all, legend) = (things.len(), String::new());
        let table = Table { title, columns, rows, all, legend, is_sortable: true };
        (!things.is_empty()).then_some(table)
    }

    /// The same of a list whose order says something.
    pub(crate) fn in_order(self) -> Table {
        Table { is_sortable: false, ..self }
    }

    pub(crate) fn legend(self, legend: &str) -> Table {
        Table { legend: legend.to_owned(), ..self }
    }
}

/// All of them, in the order in which a page has them.
pub(crate) fn all(report: &Report, top: usize) -> Vec<Table> {
    let rest = [tasks(report, top), path(report, top), environment(report)];
    plain(report, top).into_iter().chain(rest.into_iter().flatten()).collect()
}

/// Those that are all of their section: around the others the text has more.
pub(crate) fn plain(report: &Report, top: usize) -> Vec<Table> {
    let tables = [
        threads(report, top),
        cores(report, top),
        counters(report, top),
        regions(report, top),
        constructs(report, top),
        serial(report, top),
        contexts(report),
        blame(report, top),
        mpi::calls(report, top),
        mpi::sizes(report),
    ];
    let mutexes = [holders(report, top), locks(report, top)].into_iter().flatten();
    let tables = tables.into_iter().chain(samples(report, top)).chain(mutexes).flatten();
    tables.chain(devices::all(report, top)).collect()
}

/// Figures as cells.
pub(crate) fn cells<const N: usize>(figures: [String; N]) -> impl Iterator<Item = Cell> {
    figures.into_iter().map(Cell::Text)
}
