//! The texts of a trace: what the timeline defined, and the fixed words of this writer.
//!
//! Titles keep their numbers as keys. A source location or a text that serves as a value is put among
//! the strings when it is first used so.

use std::collections::HashMap;

use ompttrace_model::{
    Activity, ArgKey, ContextRef, Definitions, NameRef, SourceLocation, SourceRef,
};

use crate::encode::{AnnotationKey, CategoryKey, NameKey, Source, SourceKey, StringKey, Texts};
use ompttrace_model::Category;
use ompttrace_tracks::{Partner, Remark};

/// Annotations that are ours, after those of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Note {
    /// Certainty of a slice's end, as a [`Word`].
    End,
    /// The annotation of [`Partner::Thread`].
    Thread,
    /// The annotation of [`Partner::LogicalThread`].
    LogicalThread,
    /// The sums of a summary: a list of names, each with numbers.
    Sums,
    Name,
    Count,
    Total,
    Own,
    /// Part of a summary's time that belongs to the slice around it alone, in nanoseconds.
    Around,
    /// The [`Remark`]s, in their order.
    Remarks,
}

const NOTES: [&str; 14] = [
    "end",
    Partner::Thread.key(),
    Partner::LogicalThread.key(),
    "sums",
    "name",
    "count",
    "total_ns",
    "own_ns",
    "around_ns",
    Remark::ALL[0].key(),
    Remark::ALL[1].key(),
    Remark::ALL[2].key(),
    Remark::ALL[3].key(),
    Remark::ALL[4].key(),
];

impl Note {
    #[inline(always)]
    pub(super) fn of(partner: Partner) -> Note {
        match partner {
            Partner::Thread => Note::Thread,
            Partner::LogicalThread => Note::LogicalThread,
        }
    }

    /// That of a text about a slice.
    pub(super) fn of_remark(remark: Remark) -> AnnotationKey {
        AnnotationKey(Note::Remarks.key().0 + remark as u32)
    }

    pub(super) fn key(self) -> AnnotationKey {
        AnnotationKey(ArgKey::ALL.len() as u32 + self as u32)
    }
}

/// The key of one of the timeline's annotations.
#[inline(always)]
pub(super) fn arg_key(key: ArgKey) -> AnnotationKey {
    AnnotationKey(key as u32)
}

/// Strings that every trace has, under fixed keys: many ends of slices bear one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Word {
    Inferred,
    Cut,
    Resumed,
}

const WORDS: [&str; 3] = ["inferred", "cut", "resumed"];

impl Word {
    #[inline(always)]
    pub(super) fn key(self) -> StringKey {
        StringKey(self as u32)
    }
}

/// All texts.
#[derive(Debug)]
pub(super) struct TraceTexts {
    /// Titles of events, by their numbers.
    titles: Vec<String>,
    /// The timeline's strings.
    names: Vec<String>,
    sources: Vec<Source>,
    strings: Vec<String>,
    string_keys: HashMap<String, StringKey>,
    /// Strings of titles, by their numbers, and of names and locations, by the timeline's.
    title_strings: Vec<Option<StringKey>>,
    name_strings: Vec<Option<StringKey>>,
    locations: Vec<Option<StringKey>>,
    /// The texts of calling contexts, by their numbers.
    contexts: Vec<NameRef>,
    /// Strings of activities.
    activities: [Option<StringKey>; Activity::ALL.len()],
    /// Strings of fixed words, found by where they lie in memory.
    words: Vec<(&'static str, StringKey)>,
}

impl TraceTexts {
    /// The fixed words only.
    pub(super) fn new() -> Self {
        let mut texts = TraceTexts {
            titles: Vec::new(),
            names: Vec::new(),
            sources: Vec::new(),
            strings: Vec::new(),
            string_keys: HashMap::new(),
            title_strings: Vec::new(),
            name_strings: Vec::new(),
            locations: Vec::new(),
            contexts: Vec::new(),
            activities: [None; Activity::ALL.len()],
            words: Vec::new(),
        };
        for word in WORDS {
            texts.intern(word);
        }
        texts
    }

    /// Takes in what was defined since the last call.
    pub(super) fn define(&mut self, definitions: &Definitions) {
        let known = self.names.len();
        self.names.extend(definitions.strings().iter().skip(known).map(|text| text.to_string()));
        // Number 0 is none.
        let known = self.sources.len().max(1);
        for (location, source) in definitions.source_locations().iter().zip(1..).skip(known - 1) {
            self.set_source(source, location);
        }
        let known = self.contexts.len().max(1);
        for (frame, context) in definitions.contexts().iter().zip(1..).skip(known - 1) {
            put(&mut self.contexts, context, frame.path);
        }
    }

    /// The number of the next title.
    pub(super) fn add_title(&mut self, title: &str) -> NameRef {
        self.titles.push(title.to_owned());
        self.titles.len() as NameRef - 1
    }

    /// A string of the timeline, by its number.
    pub(super) fn timelines(&self, name: NameRef) -> &str {
        self.names.get(name as usize).map_or("?", String::as_str)
    }

    /// A title as an annotation's value.
    pub(super) fn title_string(&mut self, title: NameRef) -> StringKey {
        if let Some(Some(known)) = self.title_strings.get(title as usize) {
            return *known;
        }
        let text = self.name(NameKey(title)).to_owned();
        let key = self.intern(&text);
        put(&mut self.title_strings, title as usize, Some(key));
        key
    }

    /// Defines a source location: the file, or the module where there is no debug information.
    fn set_source(&mut self, source: SourceRef, location: &SourceLocation) {
        let file = location.file.as_ref().or(location.module.as_ref());
        let known = Source {
            file: file.cloned().unwrap_or_default(),
            function: location.function.clone(),
            line: location.line,
            is_near: location.is_near,
        };
        put(&mut self.sources, source as usize, known);
    }

    /// A calling context as an annotation's value.
    pub(super) fn context(&mut self, context: ContextRef) -> Option<StringKey> {
        let path = *self.contexts.get(context as usize)?;
        Some(self.name_string(path))
    }

    /// The key of a source location, if there is one.
    #[inline(always)]
    pub(super) fn source_key(&self, source: SourceRef) -> Option<SourceKey> {
        let known = self.sources.get(source as usize).filter(|known| !known.file.is_empty());
        known.map(|_| SourceKey(source))
    }

    /// `file.c:12` of a source location, as an annotation's value.
    pub(super) fn location(&mut self, source: SourceRef) -> Option<StringKey> {
        self.source_key(source)?;
        if let Some(Some(known)) = self.locations.get(source as usize) {
            return Some(*known);
        }
        let text = short_location(&self.sources[source as usize]);
        let key = self.intern(&text);
        put(&mut self.locations, source as usize, Some(key));
        Some(key)
    }

    /// A name as an annotation's value.
    pub(super) fn name_string(&mut self, name: NameRef) -> StringKey {
        if let Some(Some(known)) = self.name_strings.get(name as usize) {
            return *known;
        }
        let text = self.timelines(name).to_owned();
        let key = self.intern(&text);
        put(&mut self.name_strings, name as usize, Some(key));
        key
    }

    /// The name of an activity as an annotation's value.
    pub(super) fn activity(&mut self, activity: Activity) -> StringKey {
        let known = self.activities.get(activity as usize).copied().flatten();
        known.unwrap_or_else(|| {
            let key = self.intern(activity.name());
            self.activities[activity as usize] = Some(key);
            key
        })
    }

    /// A fixed word as an annotation's value. There are few, so they are looked through; one that
    /// lies in memory twice is in the list twice, with one key.
    #[inline(always)]
    pub(super) fn word(&mut self, word: &'static str) -> StringKey {
        match self.words.iter().find(|(known, _)| std::ptr::eq(*known, word)) {
            Some(&(_, key)) => key,
            None => self.new_word(word),
        }
    }

    #[cold]
    fn new_word(&mut self, word: &'static str) -> StringKey {
        let key = self.intern(word);
        self.words.push((word, key));
        key
    }

    /// The key of a text that serves as an annotation's value, new or known.
    pub(super) fn intern(&mut self, text: &str) -> StringKey {
        if let Some(&key) = self.string_keys.get(text) {
            return key;
        }
        let key = StringKey(self.strings.len() as u32);
        self.strings.push(text.to_owned());
        self.string_keys.insert(text.to_owned(), key);
        key
    }
}

/// A name that was not defined is shown as a question mark: a trace with one flaw is better than none.
impl Texts for TraceTexts {
    fn name(&self, key: NameKey) -> &str {
        self.titles.get(key.0 as usize).map_or("?", String::as_str)
    }
    fn category(&self, key: CategoryKey) -> &str {
        Category::ALL[key.0 as usize].name()
    }
    fn annotation(&self, key: AnnotationKey) -> &str {
        let key = key.0 as usize;
        let ours = || NOTES[key - ArgKey::ALL.len()];
        ArgKey::ALL.get(key).map_or_else(ours, |key| key.name())
    }
    fn string(&self, key: StringKey) -> &str {
        &self.strings[key.0 as usize]
    }
    fn source(&self, key: SourceKey) -> &Source {
        &self.sources[key.0 as usize]
    }
}

fn short_location(source: &Source) -> String {
    match source.line {
        Some(line) => {
            let file = source.file.rsplit('/').next().unwrap_or_default();
            let near = if source.is_near { "near " } else { "" };
            format!("{near}{file}:{line}")
        }
        None => source.file.clone(),
    }
}

/// Sets an element of a vector that grows as needed.
fn put<T: Clone + Default>(vector: &mut Vec<T>, index: usize, value: T) {
    if index >= vector.len() {
        vector.resize(index + 1, T::default());
    }
    vector[index] = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_short_and_made_once() {
        let (mut texts, mut definitions) = (TraceTexts::new(), Definitions::default());
        let location = |file: &str, line| SourceLocation {
            file: Some(file.into()),
            line,
            ..SourceLocation::default()
        };
        let module =
            SourceLocation { module: Some("heat+0x12".into()), ..SourceLocation::default() };
        let [nowhere, line, module] =
            [SourceLocation::default(), location("/home/me/heat.c", Some(42)), module]
                .map(|what| definitions.add_source_location(what));
        texts.define(&definitions);
        let key = texts.location(line).unwrap();
        assert_eq!(Texts::string(&texts, key), "heat.c:42");
        assert_eq!(texts.location(line), Some(key));
        let key = texts.location(module).unwrap();
        assert_eq!(Texts::string(&texts, key), "heat+0x12");
        assert_eq!([texts.location(0), texts.location(nowhere), texts.location(9)], [None; 3]);
    }

    #[test]
    fn annotations_have_names() {
        let texts = TraceTexts::new();
        assert_eq!(Texts::annotation(&texts, arg_key(ArgKey::ALL[0])), ArgKey::ALL[0].name());
        assert_eq!(Texts::annotation(&texts, Note::LogicalThread.key()), "logical thread");
        assert!(ArgKey::ALL.iter().zip(0..).all(|(&key, number)| arg_key(key).0 == number));
    }
}
