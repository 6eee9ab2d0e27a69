//! The tool's words to the user: one line on stderr, never anything on stdout.

use crate::begin;
use std::fmt::{self, Write};

/// Writes one line, whatever OMPTTRACE_QUIET says: for what the user must know.
pub fn say(text: &str) {
    ompttrace_recorder::message::say(format_args!("{}", OneLine(text)));
}

/// Text as it can stand in a line: names of programs and folders may hold line ends and orders to
/// the terminal.
struct OneLine<'a>(&'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter.is_control() {
            true => write!(to, "{}", letter.escape_default()),
            false => to.write_char(letter),
        })
    }
}

/// Writes one line unless OMPTTRACE_QUIET is set.
pub(crate) fn tell(text: &str) {
    if begin::config().is_none_or(|config| !config.quiet) {
        say(text);
    }
}

/// Something whose address lies in this library.
pub(crate) static ANCHOR: u8 = 0;

#[cfg(test)]
mod tests {
    use super::OneLine;

    #[test]
    fn a_line_stays_one() {
        assert_eq!(OneLine("a\nb\u{1b}[2J \u{e9}").to_string(), "a\\nb\\u{1b}[2J \u{e9}");
    }
}
