//! The figures of all subjects: tables for people, line by line as they come, and the same rows as JSON.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::path::Path;

/// One line of a table: names and the values below them.
#[derive(Default)]
pub struct Row {
    cells: Vec<(String, String)>,
    values: Map<String, Value>,
}

impl Row {
    /// A line that begins with these words.
    pub fn new(words: &[(&str, &str)]) -> Row {
        let mut row = Row::default();
        for (name, word) in words {
            row.cells.push((name.to_string(), word.to_string()));
            row.values.insert(name.to_string(), json!(word));
        }
        row
    }

    /// The next number, with this many decimals; `None`: it was not measured.
    pub fn number(&mut self, name: &str, number: impl Into<Option<f64>>, decimals: usize) {
        let number = number.into();
        let shown = number.map_or("-".to_owned(), |number| format!("{number:.decimals$}"));
        self.cells.push((name.to_owned(), shown));
        self.values.insert(name.to_owned(), json!(number));
    }

    /// The next word, in a column of this width.
    pub fn text(&mut self, name: &str, text: &str, width: usize) {
        self.cells.push((format!("{name:>width$}"), text.to_owned()));
        self.values.insert(name.to_owned(), json!(text));
    }

    /// The median beside the minimum `of` something.
    pub fn median(&mut self, of: &str, number: f64) {
        self.cells.push(("median".to_owned(), format!("{number:.1}")));
        self.values.insert(format!("{of} median"), json!(number));
    }

    /// A value that only programs see.
    pub fn hidden(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    /// The line.
    pub fn shown(&self) -> String {
        self.line(|(_, shown)| shown)
    }

    fn line(&self, of: impl Fn(&(String, String)) -> &str) -> String {
        let width = |at: usize, name: &str| match at {
            0 => 18,
            _ => (name.len() + 2).max(9),
        };
        let mut line = String::new();
        for (at, cell) in self.cells.iter().enumerate() {
            let width = width(at, &cell.0);
            line += &match at {
                0 => format!("{:<width$}", of(cell)),
                _ => format!("{:>width$}", of(cell)),
            };
        }
        line
    }
}

/// All tables of one command.
#[derive(Default)]
pub struct Report {
    tables: Map<String, Value>,
    current: String,
    is_new: bool,
}

impl Report {
    /// Begins a table; `name` is its key for programs.
    pub fn table(&mut self, name: &str, legend: &str) {
        println!("{}{legend}\n", if self.tables.is_empty() { "" } else { "\n" });
        self.tables.insert(name.to_owned(), json!([]));
        (self.current, self.is_new) = (name.to_owned(), true);
    }

    /// Adds a line to it.
    pub fn row(&mut self, row: Row) {
        if std::mem::take(&mut self.is_new) {
            println!("{}", row.line(|cell| &cell.0));
        }
        println!("{}", row.shown());
        if let Some(Value::Array(rows)) = self.tables.get_mut(&self.current) {
            rows.push(row.values.into());
        }
    }

    /// Writes all of it for programs.
    pub fn write(mut self, path: &Path, rounds: usize) -> Result<()> {
        self.tables.insert("rounds".to_owned(), json!(rounds));
        self.tables.insert("machine".to_owned(), machine());
        let text = serde_json::to_string_pretty(&self.tables)? + "\n";
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// A warning, where something else has the machine.
pub fn busy() -> Option<String> {
    let load = load_average().filter(|load| *load > 0.7)?;
    Some(format!("the machine is busy (load average {load}): these times will mean little\n"))
}

/// Description of the machine for the JSON: model and number of its processors, architecture, load average.
fn machine() -> Value {
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    json!({ "cpu": model, "cpus": cpus, "arch": std::env::consts::ARCH, "load_average": load_average() })
}

fn load_average() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_below_their_names_and_programs_see_all() {
        let mut row = Row::new(&[("load", "task@1")]);
        row.number("ns", 1.25, 1);
        row.number("instructions", None, 1);
        row.hidden("raw", json!([1]));
        assert_eq!(row.line(|cell| &cell.0).len(), row.line(|cell| &cell.1).len());
        let words = row.line(|cell| &cell.1);
        assert_eq!(words.split_whitespace().collect::<Vec<_>>(), ["task@1", "1.2", "-"]);
        let wanted = json!({"load": "task@1", "ns": 1.25, "instructions": null, "raw": [1]});
        assert_eq!(Value::Object(row.values), wanted);
    }
}
