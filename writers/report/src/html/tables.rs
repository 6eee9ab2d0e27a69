//! The tables of the page.

use super::label;
use crate::model::Report;
use crate::tables::{Cell, Table};
use maud::{Markup, html};

pub(super) fn all(report: &Report, top: usize) -> Markup {
    html! { @for table in crate::tables::all(report, top) { (one(&table, report)) } }
}

/// A table that scrolls by itself where it is too wide.
pub(crate) fn one(table: &Table, report: &Report) -> Markup {
    html! {
        section {
            h2 { (table.title) }
            div.wide { table.sortable[table.is_sortable] {
                thead { tr { @for column in &table.columns { th { (column.name) } } } }
                tbody { @for row in &table.rows {
                    tr { @for cell in row { td { (in_words(cell, report)) } } }
                } }
            } }
        }
    }
}

fn in_words(cell: &Cell, report: &Report) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Construct(at) | Cell::Region(at) => label(report, *at),
        Cell::Indented(depth, name) => format!("{}{name}", "\u{2003}".repeat(*depth)),
    }
}
