//! Tables that keep to the width of a page as far as places of the program let them.

use super::FAINT;
use super::names::fitted;
use super::page::{Page, letters};

/// A table: the first column is text and takes what room is left, the others are figures.
pub(crate) struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(heads: &[&str]) -> Table {
        let heads = heads.iter().map(|head| (*head).to_owned()).collect();
        Table { heads, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Writes it; columns of figures that are all `-` are left out.
    pub(crate) fn write(mut self, page: &mut Page) {
        let shown: Vec<usize> = (0..self.heads.len())
            .filter(|at| *at == 0 || self.rows.iter().any(|row| cell(row, *at) != "-"))
            .collect();
        let figures: usize = shown.iter().skip(1).map(|at| self.width(*at) + 2).sum();
        let room = page.width().saturating_sub(figures);
        for name in self.rows.iter_mut().filter_map(|row| row.first_mut()) {
            *name = fitted(name, room);
        }
        let widths: Vec<usize> = shown.iter().map(|at| self.width(*at)).collect();
        let line = |row: &[String]| line(row, &shown, &widths);
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
        let mut table = Table::new(&["what", "one", "none", "two"]);
        table.row(vec![name.into(), "12.3 ms".into(), "-".into(), "7 %".into()]);
        let mut page = Page::new(width);
        table.write(&mut page);
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
