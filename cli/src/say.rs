//! All output for the user: results on stdout, the rest on stderr.
//!
//! Names come from elsewhere: what could end a line or speak to the terminal is shown escaped.
//!
//! A closed pipe (`ompttrace info | head`) ends the command quietly.

use anyhow::{Context, Result};
pub use ompttrace_model::harmless;
use ompttrace_recording::harmless::is_harmful;
use serde::Serialize;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::Path;

/// Writes a result and a line end to stdout.
pub fn out(text: &str) -> Result<()> {
    match line(io::stdout().lock(), text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        reported => reported.context("stdout"),
    }
}

/// Writes a result to stdout with its colours, where that is a terminal and NO_COLOR is not set.
pub fn coloured(text: &str) -> Result<()> {
    match write!(anstream::stdout().lock(), "{text}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        reported => reported.context("stdout"),
    }
}

/// Writes a text to stderr with its colours, where that is a terminal and NO_COLOR is not set; errors are ignored.
fn coloured_remark(text: &str) -> Result<()> {
    let _ = write!(anstream::stderr().lock(), "{text}");
    Ok(())
}

/// Writes a text that fits the stream's width, in columns, to stderr or else to stdout.
///
/// # Errors
/// Those of [`coloured`].
pub fn fitted(to_stderr: bool, text: impl FnOnce(Option<usize>) -> String) -> Result<()> {
    match to_stderr {
        true => coloured_remark(&text(width_of(&io::stderr()))),
        false => coloured(&text(width())),
    }
}

/// Columns for stdout: see [`width_of`].
pub fn width() -> Option<usize> {
    width_of(&io::stdout())
}

/// Columns for a stream: as COLUMNS says, or of the terminal that shows it; `None` where neither does.
pub fn width_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    /// Of a terminal that does not know its own size, such as one at the end of a serial line.
    const USUAL: u16 = 80;
    let wanted = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    if let Some(columns) = wanted.filter(|columns| *columns > 0) {
        return Some(columns);
    }
    if !stream.is_terminal() {
        return None;
    }
    let columns = rustix::termios::tcgetwinsize(stream).map_or(0, |size| size.ws_col);
    Some(usize::from(if columns == 0 { USUAL } else { columns }))
}

/// Writes a line to stderr; errors are ignored.
pub fn remark(text: &str) {
    let _ = line(io::stderr().lock(), &format!("ompttrace: {}", harmless(text)));
}

/// A path as short as it can be written from here.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let short = here.and_then(|here| path.strip_prefix(here).ok());
    harmless(&short.unwrap_or(path).display().to_string())
}

/// Writes a value as JSON to stdout. Of letters that speak to a terminal JSON's own rules escape only some: the others are
/// escaped as well.
pub fn json(value: &impl Serialize) -> Result<()> {
    out(&json_text(&serde_json::to_string_pretty(value)?))
}

fn json_text(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for letter in json.chars() {
        // Between strings there is nothing of the kind but line ends.
        match letter != '\n' && is_harmful(letter) {
            true => shown.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => shown.push(letter),
        }
    }
    shown
}

fn line(mut to: impl Write, text: &str) -> io::Result<()> {
    to.write_all(format!("{text}\n").as_bytes())?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_speaks_to_no_terminal_and_says_the_same() {
        let text = "a\u{1b}[2J\u{9b}2J\u{7f}\u{202e}b\u{2066}\u{e9}\n";
        let json = json_text(&serde_json::to_string(text).expect("JSON"));
        assert!(!json.chars().any(is_harmful), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
        assert_eq!(harmless("a\u{202e}b\tc"), "a\\u{202e}b\\tc");
    }
}
