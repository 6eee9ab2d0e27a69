//! Keys of strings, and where their texts are to be had.
//!
//! Keys are global to the trace and count from zero. Low keys make small
//! packets: the number in the packet is the key plus one (zero means none).

use std::collections::HashMap;

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The number by which packets refer to the text.
            #[inline]
            pub(super) fn iid(self) -> u64 {
                u64::from(self.0) + 1
            }
        }
    )*};
}

keys! {
    /// A name of slices or instants.
    NameKey
    /// A category.
    CategoryKey
    /// A name of annotations.
    AnnotationKey
    /// A text that serves as the value of annotations again and again.
    StringKey
    /// A source location.
    SourceKey
}

/// A source location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// The path of the file.
    pub file: String,
    /// The function, where it is known.
    pub function: Option<String>,
    /// The line, where it is known.
    pub line: Option<u32>,
    /// True if `line` is only the nearest line known, not that of the code itself.
    pub is_near: bool,
}

/// The texts of keys. Each is asked for once per key and sequence.
pub trait Texts {
    /// The text of a name.
    fn name(&self, key: NameKey) -> &str;
    /// The text of a category.
    fn category(&self, key: CategoryKey) -> &str;
    /// The text of an annotation's name.
    fn annotation(&self, key: AnnotationKey) -> &str;
    /// The text of an annotation's value.
    fn string(&self, key: StringKey) -> &str;
    /// The source location.
    fn source(&self, key: SourceKey) -> &Source;
}

/// Texts that are collected while a trace is written: the same text, the same key.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    names: Table<String>,
    categories: Table<String>,
    annotations: Table<String>,
    strings: Table<String>,
    sources: Table<Source>,
}

impl Dictionary {
    /// The key of a name, new or known.
    pub fn add_name(&mut self, text: &str) -> NameKey {
        NameKey(self.names.add_text(text))
    }

    /// The key of a category, new or known.
    pub fn add_category(&mut self, text: &str) -> CategoryKey {
        CategoryKey(self.categories.add_text(text))
    }

    /// The key of an annotation's name, new or known.
    pub fn add_annotation(&mut self, text: &str) -> AnnotationKey {
        AnnotationKey(self.annotations.add_text(text))
    }

    /// The key of an annotation's value, new or known.
    pub fn add_string(&mut self, text: &str) -> StringKey {
        StringKey(self.strings.add_text(text))
    }

    /// The key of a source location, new or known.
    pub fn add_source(&mut self, source: &Source) -> SourceKey {
        let known = self.sources.keys.get(source).copied();
        SourceKey(known.unwrap_or_else(|| self.sources.add_new(source.clone())))
    }
}

impl Texts for Dictionary {
    fn name(&self, key: NameKey) -> &str {
        &self.names.items[key.0 as usize]
    }
    fn category(&self, key: CategoryKey) -> &str {
        &self.categories.items[key.0 as usize]
    }
    fn annotation(&self, key: AnnotationKey) -> &str {
        &self.annotations.items[key.0 as usize]
    }
    fn string(&self, key: StringKey) -> &str {
        &self.strings.items[key.0 as usize]
    }
    fn source(&self, key: SourceKey) -> &Source {
        &self.sources.items[key.0 as usize]
    }
}

#[derive(Clone, Debug)]
struct Table<I> {
    keys: HashMap<I, u32>,
    items: Vec<I>,
}

impl<I> Default for Table<I> {
    fn default() -> Self {
        Table { keys: HashMap::new(), items: Vec::new() }
    }
}

impl<I: Clone + Eq + std::hash::Hash> Table<I> {
    fn add_new(&mut self, item: I) -> u32 {
        let key = u32::try_from(self.items.len()).expect("fewer than 2^32 texts fit in memory");
        self.items.push(item.clone());
        self.keys.insert(item, key);
        key
    }
}

impl Table<String> {
    fn add_text(&mut self, text: &str) -> u32 {
        let known = self.keys.get(text).copied();
        known.unwrap_or_else(|| self.add_new(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_has_the_same_key() {
        let mut dictionary = Dictionary::default();
        let (a, b) = (dictionary.add_name("a"), dictionary.add_name("b"));
        assert_ne!(a, b);
        assert_eq!(dictionary.add_name("a"), a);
        assert_eq!(dictionary.name(b), "b");
        let location = Source { file: "f.c".into(), line: Some(3), ..Source::default() };
        let key = dictionary.add_source(&location);
        assert_eq!(dictionary.add_source(&location), key);
        assert_eq!(dictionary.source(key), &location);
    }
}
