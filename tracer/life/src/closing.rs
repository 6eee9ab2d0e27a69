//! Messages to the user: one line on stderr, never anything on stdout.

use crate::{config, started_by};
use ompttrace_recording::harmless::Harmless;

/// End of a line that gives the reason why there is no recording.
const UNTRACED: &str = "the program runs untraced";

/// Writes one line, also if OMPTTRACE_QUIET is set: for messages that the user must see.
pub fn say(text: &str) {
    ompttrace_recorder::message::say(format_args!("{}", Harmless(text)));
    // The reason was given: it looks for no other.
    if text.contains(UNTRACED) {
        let _ = started_by::say(UNTRACED);
    }
}

/// Reports to `ompttrace run`, which watches for its end, that this process has begun a recording.
pub(crate) fn begun() {
    let _ = started_by::say("recording");
}

/// Writes one line unless OMPTTRACE_QUIET is set.
pub(crate) fn report(text: &str) {
    if config::known().is_none_or(|config| !config.quiet) {
        say(text);
    }
}

/// Has one line written when the program is over, by the `ompttrace run` that it was started under; without one it is written
/// at once, unless OMPTTRACE_QUIET is set.
pub fn conclude(text: &str) {
    if started_by::say(&format!("line: {text}")).is_none() {
        report(text);
    }
}

/// Something whose address lies in this library.
pub(crate) static ANCHOR: u8 = 0;
