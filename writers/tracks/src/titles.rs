//! The titles of slices and instants: source location and kind, such as
//! `heat.c:47 for dynamic`; and the names of activities.
//!
//! Never here: a look-up by text for a plain event.

use crate::format::Format;
use ompttrace_model::{Activity, Definitions, NameRef, SourceRef};
use std::collections::HashMap;

/// Entries of the direct-mapped table; a power of two.
const RECENT: usize = 1 << 10;
/// A recording full of nonsense has no more of them; what is beyond is shown without its source location.
const MOST: usize = 1 << 18;

/// All titles so far, by their numbers: those of activities, and after them those of what was drawn.
#[derive(Debug)]
pub(crate) struct Titles {
    by_text: HashMap<Box<str>, NameRef>,
    known: HashMap<u64, NameRef>,
    recent: Box<[(u64, NameRef)]>,
}

impl Default for Titles {
    fn default() -> Self {
        let recent = vec![(u64::MAX, 0); RECENT].into();
        Titles { by_text: HashMap::new(), known: HashMap::new(), recent }
    }
}

impl Titles {
    /// The titles of activities, which are numbered as they are.
    pub(crate) fn start<F: Format>(&mut self, format: &mut F) {
        for activity in Activity::ALL {
            self.add(format, activity.name());
        }
    }

    /// The title of a string as name and a source location.
    #[inline(always)]
    pub(crate) fn of<F: Format>(
        &mut self,
        format: &mut F,
        definitions: &Definitions,
        (name, source): (NameRef, SourceRef),
    ) -> NameRef {
        let key = u64::from(name) << 32 | u64::from(source);
        match self.recent.get(slot(key)) {
            Some((known, title)) if *known == key => *title,
            _ => self.look_up(format, definitions, key),
        }
    }

    #[cold]
    fn look_up<F: Format>(
        &mut self,
        format: &mut F,
        definitions: &Definitions,
        key: u64,
    ) -> NameRef {
        let title = match self.known.get(&key) {
            Some(title) => *title,
            None => self.make(format, definitions, key),
        };
        if let Some(recent) = self.recent.get_mut(slot(key)) {
            *recent = (key, title);
        }
        title
    }

    fn make<F: Format>(&mut self, format: &mut F, definitions: &Definitions, key: u64) -> NameRef {
        let (name, source) = ((key >> 32) as usize, key as u32 as usize);
        let name = definitions.strings().get(name).map_or("?", |name| name);
        let is_room = self.known.len() < MOST;
        let source = source.checked_sub(1).filter(|_| is_room);
        let source = source.and_then(|at| definitions.source_locations().get(at)?.program_line());
        let title = match source {
            Some(source) => self.add(format, &with_source(name, &source)),
            None => self.add(format, name),
        };
        if is_room {
            self.known.insert(key, title);
        }
        title
    }

    /// The number of a text, new or known.
    pub(crate) fn add<F: Format>(&mut self, format: &mut F, text: &str) -> NameRef {
        if let Some(known) = self.by_text.get(text) {
            return *known;
        }
        format.title(text);
        let title = self.by_text.len() as NameRef;
        self.by_text.insert(text.into(), title);
        title
    }
}

#[inline(always)]
fn slot(key: u64) -> usize {
    // Multiplied by 2^64 over the golden ratio; the upper bits depend on all others.
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % RECENT
}

/// A name with its source location in front, and nowhere else.
fn with_source(name: &str, source: &str) -> String {
    let words = name.find(source).and_then(|at| {
        let (before, after) = (&name[..at], &name[at + source.len()..]);
        let is_whole = before.is_empty() || before.ends_with(' ');
        let is_whole = is_whole && (after.is_empty() || after.starts_with(' '));
        is_whole.then(|| [before.trim_end(), after.trim_start()])
    });
    let words = words.unwrap_or([name, ""]);
    let all = [&[source][..], &words].concat();
    all.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::with_source;

    #[test]
    fn the_source_location_comes_first_and_once() {
        let title = |name| with_source(name, "heat.c:47");
        assert_eq!(title("for dynamic heat.c:47"), "heat.c:47 for dynamic");
        assert_eq!(title("parallel heat.c:47 (step)"), "heat.c:47 parallel (step)");
        assert_eq!(title("barrier (implicit)"), "heat.c:47 barrier (implicit)");
        assert_eq!(title("wait: lock heat.c:4 (0x50)"), "heat.c:47 wait: lock heat.c:4 (0x50)");
        assert_eq!(title("task heat.c:470"), "heat.c:47 task heat.c:470");
        assert_eq!(title("task preheat.c:47"), "heat.c:47 task preheat.c:47");
        assert_eq!((title(""), title("heat.c:47")), ("heat.c:47".into(), "heat.c:47".into()));
    }
}
