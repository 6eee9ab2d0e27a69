//! Texts of others in lines of ours: names of programs, folders and functions may hold what speaks to a terminal.

use std::fmt::{self, Write};

/// True for letters that speak to a terminal or change the order in which others are shown: control characters (ASCII's, C1,
/// DEL), and Unicode's marks, embeddings, overrides and isolates of direction.
pub fn is_harmful(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text in which harmful letters are shown as escapes: `\n`, `\u{202e}`. Does not allocate.
#[derive(Clone, Copy, Debug)]
pub struct Harmless<'t>(pub &'t str);

impl fmt::Display for Harmless<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match is_harmful(letter) {
            true => write!(to, "{}", letter.escape_default()),
            false => to.write_char(letter),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_harmful_is_shown_as_escapes() {
        let shown = Harmless("a\nb\u{1b}[2J \u{e9}\u{9b}\u{7f}\u{202e}\u{2069}").to_string();
        assert_eq!(shown, "a\\nb\\u{1b}[2J \u{e9}\\u{9b}\\u{7f}\\u{202e}\\u{2069}");
    }
}
