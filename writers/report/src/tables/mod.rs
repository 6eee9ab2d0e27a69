//! The tables of a report as data: their titles, columns and rows. `text` and `html` render them.

mod contexts;
mod devices;
mod mpi;
mod mutexes;
mod phases;
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
    /// Number of all rows, of which `rows` has the first ones.
    pub all: usize,
    /// Definitions of short names and values.
    pub legend: String,
    /// True if the rows may be sorted, as their order has no meaning.
    pub is_sortable: bool,
}

/// A column. The first one of a table is text, the others are figures.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub name: String,
    /// Short name, for where there is little room.
    pub short: String,
    /// True if the column is left out where there is little room.
    pub is_wide: bool,
}

/// Content of a row in one column.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Text(String),
    /// A construct, by its position in the report.
    Construct(usize),
    /// A parallel region, by its position among the constructs; text leaves out the word `parallel`.
    Region(usize),
    /// A name with the depth of its indentation.
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

/// Text of a figure that is zero or unknown.
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

    /// The table with rows that may not be sorted, as their order has a meaning.
    pub(crate) fn in_order(self) -> Table {
        Table { is_sortable: false, ..self }
    }

    pub(crate) fn legend(self, legend: &str) -> Table {
        Table { legend: legend.to_owned(), ..self }
    }
}

/// All tables, in the order in which a page has them.
pub(crate) fn all(report: &Report, top: usize) -> Vec<Table> {
    let rest = [tasks(report, top), path(report, top), environment(report)];
    plain(report, top).into_iter().chain(rest.into_iter().flatten()).collect()
}

/// Tables that are the whole of their section: to the others the text adds more.
pub(crate) fn plain(report: &Report, top: usize) -> Vec<Table> {
    let tables = [
        phases::phases(report, top),
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
