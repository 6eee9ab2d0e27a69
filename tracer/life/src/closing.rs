//! The tool's words to the user: one line on stderr, never anything on stdout.

use crate::{begin, started_by};
use std::fmt::{self, Write};

/// What a line ends with that says why there is no recording.
const UNTRACED: &str = "the program runs untraced";

/// Writes one line, whatever OMPTTRACE_QUIET says: for what the user must know.
pub fn say(text: &str) {
    ompttrace_recorder::message::say(format_args!("{}", OneLine(text)));
    // The reason was given: it looks for no other.
    if text.contains(UNTRACED) {
        let _ = started_by::say(UNTRACED);
    }
}

/// This process has begun a recording: `ompttrace run` watches for its end.
pub(crate) fn begun() {
    let _ = started_by::say("recording");
}

/// Text that can be in a line: names of programs and folders may contain line ends and control sequences for
/// the terminal.
struct OneLine<'a>(&'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| {
            match letter.is_control() || is_mark_of_direction(letter) {
                true => write!(to, "{}", letter.escape_default()),
                false => to.write_char(letter),
            }
        })
    }
}

/// True for what changes the order in which other letters are shown.
fn is_mark_of_direction(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes one line unless OMPTTRACE_QUIET is set.
pub(crate) fn report(text: &str) {
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
