//! Writes the table of settings in docs/settings.md: `cargo run --package ompttrace-cli --example settings`.
//!
//! The table is made of the rows in tracer/recording/src/settings/table.rs. A test compares.

use ompttrace_recording::settings::{RunOption, Setting};
use std::path::Path;

const HEADING: &str =
    "| variable, option of `run` | purpose | values | default |\n|---|---|---|---|\n";

fn main() -> std::io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/settings.md");
    let text = std::fs::read_to_string(&path)?;
    std::fs::write(path, with_table(&text))
}

/// The page with the table as it must be.
pub fn with_table(page: &str) -> String {
    let (before, rest) = page.split_once(HEADING).expect("a table of settings");
    let (_, after) = rest.split_once("\n\n").expect("an end of the table");
    let rows: Vec<_> = Setting::for_users().map(row).collect();
    format!("{before}{HEADING}{}\n\n{after}", rows.join("\n"))
}

fn row(setting: &Setting) -> String {
    let option = match setting.option {
        RunOption::None => String::new(),
        RunOption::Takes(value) | RunOption::TakesMinus(value) => {
            format!(", `--{} {value}`", setting.name)
        }
    };
    let (variable, help, allowed) = (setting.variable(), (setting.help)(), (setting.allowed)());
    let details = match setting.details {
        "" => String::new(),
        details => format!(". {details}"),
    };
    format!("| `{variable}`{option} | {help}{details} | {allowed} | {} |", setting.default)
}
