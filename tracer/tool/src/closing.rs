//! The tool's words to the user: one line on stderr, never anything on stdout.

use crate::life;

/// Writes one line, whatever OMPTTRACE_QUIET says: for what the user must know.
pub(crate) fn say(text: &str) {
    ompttrace_recorder::message::say(format_args!("{text}"));
}

/// Writes one line unless OMPTTRACE_QUIET is set.
pub(crate) fn tell(text: &str) {
    if life::config().is_none_or(|config| !config.quiet) {
        say(text);
    }
}

/// Something whose address lies in this library.
pub(crate) static ANCHOR: u8 = 0;
