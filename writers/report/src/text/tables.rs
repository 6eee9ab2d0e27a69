//! Tables and paragraphs that keep to the width of a terminal.

use super::{FAINT, WIDTH};

/// A table: the first column is text and takes what room is left, the others are figures.
pub(crate) struct Table {
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(heads: &[&'static str]) -> Table {
        Table { heads: heads.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Writes it; columns of figures that are all `-` are left out.
    pub(crate) fn write(self, text: &mut String) {
        let shown: Vec<usize> = (0..self.heads.len())
            .filter(|at| *at == 0 || self.rows.iter().any(|row| cell(row, *at) != "-"))
            .collect();
        let widths: Vec<usize> = shown.iter().map(|at| self.width(*at)).collect();
        let figures: usize = widths.iter().skip(1).map(|width| width + 2).sum();
        let widest = widths.first().copied().unwrap_or(0);
        let first = widest.min(WIDTH.saturating_sub(figures)).max(8);
        let heads: Vec<String> = self.heads.iter().map(|head| (*head).to_owned()).collect();
        let line = line(&heads, &shown, &widths, first);
        text.push_str(&format!("{FAINT}{line}{FAINT:#}\n"));
        for row in &self.rows {
            text.push_str(&self::line(row, &shown, &widths, first));
            text.push('\n');
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

fn letters(text: &str) -> usize {
    text.chars().count()
}

fn line(row: &[String], shown: &[usize], widths: &[usize], first: usize) -> String {
    let mut line = String::new();
    for (at, width) in shown.iter().zip(widths) {
        if *at == 0 {
            line.push_str(&format!("{:<first$}", fitted(cell(row, 0), first)));
        } else {
            line.push_str(&format!("  {:>width$}", cell(row, *at)));
        }
    }
    line.trim_end().to_owned()
}

/// A text cut to so many letters: the end of a place tells more than its middle.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    let text = super::harmless(text);
    let long = letters(&text);
    if long <= width {
        return text;
    }
    let kept = width.saturating_sub(1);
    let head = kept / 2;
    let tail = kept - head;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(long - tail).collect();
    format!("{start}…{end}")
}

/// A paragraph broken into lines, each behind `indent` spaces.
pub(crate) fn wrapped(text: &str, indent: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let used = lines.last().map_or(0, |line| letters(line));
        if used > 0 && indent + used + 1 + letters(word) > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("{:indent$}{line}", "")).collect();
    lines.join("\n")
}

/// A bar for a share.
pub(crate) fn bar(share: f64, width: usize) -> String {
    let full = (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    "█".repeat(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let mut table = Table::new(&["what", "one", "none", "two"]);
        let long = "parallel a_rather_long_file_name_for_a_stencil.cpp:1234 (with_a_function_too)";
        table.row(vec![long.into(), "12.3 ms".into(), "-".into(), "7 %".into()]);
        let mut text = String::new();
        table.write(&mut text);
        let plain = anstream::adapter::strip_str(&text).to_string();
        assert!(plain.lines().all(|line| letters(line) <= WIDTH), "{plain}");
        assert!(plain.contains("with_a_function_too)  12.3 ms  7 %"), "{plain}");
        assert!(wrapped(&"word ".repeat(60), 4).lines().all(|line| line.len() <= WIDTH));
    }
}
