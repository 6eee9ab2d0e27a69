//! Tables that keep to the width of a page as far as locations of the program let them.

use super::names::fitted;
use super::page::{Page, letters};
use super::{FAINT, heading, more, remark};
use crate::model::Report;
use crate::tables::{Cell, Table};

/// A table under its heading, with its legend and the number of rows that are left out after the first `top`.
pub(crate) fn table(table: &Table, report: &Report, top: usize, page: &mut Page) {
    heading(table.title, page);
    body(table, report, page);
    if !table.legend.is_empty() {
        remark(&table.legend, page);
    }
    more(table.all, top, page);
}

/// The columns and rows of a table. Wide columns, and those of figures that are all `-`, are left out.
pub(super) fn body(table: &Table, report: &Report, page: &mut Page) {
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| in_words(cell, report)).collect())
        .collect();
    let heads: Vec<String> = table.columns.iter().map(|column| column.short.clone()).collect();
    let is_shown = |at: usize| {
        let is_wide = table.columns.get(at).is_some_and(|column| column.is_wide);
        at == 0 || !is_wide && rows.iter().any(|row| cell(row, at) != "-")
    };
    let shown = (0..heads.len()).filter(|at| is_shown(*at)).collect();
    Grid { heads, rows, shown }.write(page);
}

fn in_words(cell: &Cell, report: &Report) -> String {
    let name = |at: &usize| report.constructs.get(*at).map_or("", |one| one.name.as_str());
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Construct(at) => shortest(name(at)),
        Cell::Region(at) => name(at).strip_prefix("parallel ").unwrap_or(name(at)).to_owned(),
        Cell::Indented(depth, name) => format!("{:depth$}{name}", ""),
    }
}

/// A name, without the word for regions where a serial section has it on both sides.
fn shortest(name: &str) -> String {
    match name.strip_prefix("serial, ") {
        Some(section) => format!("serial, {}", section.replace("parallel ", "")),
        None => name.to_owned(),
    }
}

/// Text of a table: the first column takes the room that remains, the others are figures.
struct Grid {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The columns that are written.
    shown: Vec<usize>,
}

impl Grid {
    fn write(mut self, page: &mut Page) {
        let figures: usize = self.shown.iter().skip(1).map(|at| self.width(*at) + 2).sum();
        let room = page.width().saturating_sub(figures);
        for name in self.rows.iter_mut().filter_map(|row| row.first_mut()) {
            *name = fitted(name, room);
        }
        let widths: Vec<usize> = self.shown.iter().map(|at| self.width(*at)).collect();
        let line = |row: &[String]| line(row, &self.shown, &widths);
        page.push_str(&format!("{FAINT}{}{FAINT:#}\n", line(&self.heads)));
        for row in &self.rows {
            page.push_str(&format!("{}\n", line(row)));
        }
    }

    fn width(&self, at: usize) -> usize {
        let cells = self.rows.iter().map(|row| letters(cell(row, at)));
        cells.chain(self.heads.get(at).map(|head| letters(head))).max().unwrap_or(0)
    }
}

fn cell(row: &[String], at: usize) -> &str {
    row.get(at).map_or("-", String::as_str)
}

fn line(row: &[String], shown: &[usize], widths: &[usize]) -> String {
    let mut line = String::new();
    for (at, width) in shown.iter().zip(widths) {
        if *at == 0 {
            line.push_str(&format!("{:<width$}", cell(row, 0)));
        } else {
            line.push_str(&format!("  {:>width$}", cell(row, *at)));
        }
    }
    line.trim_end().to_owned()
}

/// A bar for a share.
pub(crate) fn bar(share: f64, width: usize) -> String {
    let full = (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    "█".repeat(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table with one name, as a terminal of this width shows it.
    fn written(name: &str, width: Option<usize>) -> String {
        let words = |words: [&str; 4]| words.map(str::to_owned).to_vec();
        let heads = words(["what", "one", "none", "two"]);
        let rows = vec![words([name, "12.3 ms", "-", "7 %"])];
        let mut page = Page::new(width);
        Grid { heads, rows, shown: vec![0, 1, 3] }.write(&mut page);
        anstream::adapter::strip_str(&page.into_text()).to_string()
    }

    #[test]
    fn a_table_is_as_wide_as_the_terminal_and_whole_elsewhere() {
        let name = "parallel stencil.cpp:1234 (a_function_with_a_name_that_goes_on_for_very_long)";
        for width in [60, 70, 80] {
            let table = written(name, Some(width));
            assert!(table.lines().all(|line| letters(line) <= width), "{table}");
            assert!(table.contains("parallel stencil.cpp:1234 (a_"), "{table}");
            assert!(table.contains(")  12.3 ms  7 %"), "{table}");
        }
        assert!(written(name, None).contains(&format!("{name}  12.3 ms  7 %")));
        let narrow = written(name, Some(20));
        assert!(narrow.contains("stencil.cpp:1234"), "{narrow}");
    }
}
