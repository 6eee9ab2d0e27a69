//! Names of phases, which other records refer to by a hash of the name: with the name the number is replaced.

use super::replacer::Replacer;
use ompttrace_recording::events::PhaseName;
use ompttrace_recording::phases::{LONGEST_NAME, number};
use std::collections::HashMap;

/// The replacement of a phase's name.
#[derive(Clone, Debug)]
pub struct ReplacedName {
    pub number: u64,
    pub text: String,
}

/// Names of all phases by their numbers.
#[derive(Debug, Default)]
pub struct PhaseNames {
    /// Names whose records are not all there yet.
    parts: HashMap<u64, Vec<u8>>,
    whole: HashMap<u64, Vec<u8>>,
}

impl PhaseNames {
    /// Adds a part of a name; those of one name follow each other in one stream.
    pub fn add(&mut self, part: &PhaseName) {
        let text = self.parts.entry(part.name).or_default();
        if part.at == 0 {
            text.clear();
        }
        if part.at != text.len() as u64 || part.bytes > LONGEST_NAME as u64 {
            return;
        }
        text.extend(part.text());
        if text.len() as u64 == part.bytes {
            let text = std::mem::take(text);
            self.whole.insert(part.name, text);
        }
    }

    /// The name with this number, as it is in the copy. One that no records have is replaced: its number could be compared with those
    /// of names that somebody suspects.
    pub fn replaced(&self, name: u64, by: &Replacer) -> ReplacedName {
        let known = self.whole.get(&name).map(|text| String::from_utf8_lossy(text));
        let text = match known {
            Some(text) => {
                let kept = by.name("phase", &text);
                if kept == text {
                    return ReplacedName { number: name, text: kept };
                }
                kept
            }
            None => by.numbered("phase", name),
        };
        ReplacedName { number: number(text.as_bytes()), text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Anonymise;

    #[test]
    fn numbers_go_with_their_names() {
        let (kept, private) = ("solve", "a phase on node17 and more");
        let mut names = PhaseNames::default();
        for name in [kept, private] {
            let parts = PhaseName::parts(number(name.as_bytes()), name.as_bytes());
            parts.for_each(|part| names.add(&part));
        }
        let by = Replacer::new(Anonymise::Paths);
        by.hide("node17");
        let found = names.replaced(number(kept.as_bytes()), &by);
        assert_eq!((found.number, found.text.as_str()), (number(kept.as_bytes()), kept));
        for hidden in [number(private.as_bytes()), 77] {
            let found = names.replaced(hidden, &by);
            assert_ne!(found.number, hidden);
            assert_eq!(found.number, number(found.text.as_bytes()));
            assert_eq!(names.replaced(hidden, &by).text, found.text);
        }
    }
}
