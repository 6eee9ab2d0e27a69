//! Strings of a session or of an archive: each once, the empty one first.

use rustc_hash::FxHashMap;

use crate::ids::StringId;

/// Words of which the number is found by their address.
const RECENT: usize = 16;

/// All strings so far.
#[derive(Debug)]
pub(crate) struct Strings {
    numbers: FxHashMap<Box<str>, StringId>,
    texts: Vec<Box<str>>,
    /// Recent words of events, each at an index computed from its address; at first the empty one.
    recent: [(&'static str, StringId); RECENT],
}

impl Default for Strings {
    fn default() -> Self {
        let (numbers, texts, recent) = (FxHashMap::default(), Vec::new(), [("", 0); RECENT]);
        let mut strings = Strings { numbers, texts, recent };
        strings.number("");
        strings
    }
}

impl Strings {
    /// The number of a string.
    pub(crate) fn number(&mut self, text: &str) -> StringId {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as StringId;
        self.numbers.insert(text.into(), number);
        self.texts.push(text.into());
        number
    }

    /// The number of a word that events have again and again.
    #[inline]
    pub(crate) fn word(&mut self, word: &'static str) -> StringId {
        let index = word.as_ptr().addr() / 8 % RECENT;
        match self.recent[index] {
            (known, number) if std::ptr::eq(known, word) => number,
            _ => {
                let number = self.number(word);
                self.recent[index] = (word, number);
                number
            }
        }
    }

    /// All strings, in the order of their numbers.
    pub(crate) fn into_texts(self) -> Vec<Box<str>> {
        self.texts
    }

    /// Number of strings.
    pub(crate) fn count(&self) -> usize {
        self.texts.len()
    }

    /// The string with a number; the empty one where there is none.
    pub(crate) fn text(&self, number: StringId) -> &str {
        self.texts.get(number as usize).map_or("", AsRef::as_ref)
    }

    /// Each string with its number, in their order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (StringId, &str)> {
        (0..).zip(self.texts.iter().map(AsRef::as_ref))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_has_one_number_and_none_is_nothing() {
        let mut strings = Strings::default();
        assert_eq!(strings.number(""), 0);
        assert_eq!([strings.number("a"), strings.number("b"), strings.number("a")], [1, 2, 1]);
        let words = ["b", "c", "c", "b", ""].map(|word| strings.word(word));
        assert_eq!(words, [2, 3, 3, 2, 0]);
        assert_eq!(strings.all().collect::<Vec<_>>(), [(0, ""), (1, "a"), (2, "b"), (3, "c")]);
    }
}
