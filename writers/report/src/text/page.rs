//! The text under way, and the width that it is made for.

use super::{FAINT, HEADING};

/// Columns of tables in files and pipes: names of C++ functions would make them unreadable there.
const USUAL: usize = 120;

/// A text for a terminal of some width, or for something that takes lines of any length: sentences are one line there, to be
/// searched, and tables are not wider than usual.
pub(crate) struct Page {
    text: String,
    width: usize,
    /// Columns that a line of a sentence may have.
    sentences: usize,
}

impl Page {
    /// An empty one; `None`: it goes to a file or a pipe.
    pub(crate) fn new(width: Option<usize>) -> Page {
        let (width, sentences) = (width.unwrap_or(USUAL), width.unwrap_or(usize::MAX));
        Page { text: String::new(), width, sentences }
    }

    /// Columns that a line of a table may have.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Columns for a bar in lines that have so many others; no more than `most`.
    pub(crate) fn bar(&self, others: usize, most: usize) -> usize {
        self.width.saturating_sub(others).min(most)
    }

    /// Appends a text as it is.
    pub(crate) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// An empty line and a heading.
    pub(crate) fn heading(&mut self, words: &str) {
        self.push_str(&format!("\n{HEADING}{words}{HEADING:#}\n"));
    }

    /// A remark under a table.
    pub(crate) fn remark(&mut self, words: &str) {
        let words = self.wrapped(words, 0);
        self.push_str(&format!("{FAINT}{words}{FAINT:#}\n"));
    }

    /// A paragraph broken into lines, each indented by `indent` spaces.
    pub(crate) fn wrapped(&self, text: &str, indent: usize) -> String {
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            let used = lines.last().map_or(0, |line| letters(line));
            if used > 0 && indent + used + 1 + letters(word) > self.sentences {
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

    /// The whole text.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// Number of columns that a text takes.
pub(crate) fn letters(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_keep_to_the_width_if_there_is_one() {
        let words = "word ".repeat(60);
        assert!(Page::new(Some(70)).wrapped(&words, 4).lines().all(|line| line.len() <= 70));
        assert_eq!(Page::new(None).wrapped(&words, 4).lines().count(), 1);
    }
}
