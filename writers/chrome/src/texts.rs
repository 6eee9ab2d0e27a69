//! The texts of a trace, escaped once each.

use ompttrace_model::{ContextRef, Definitions, NameRef, SourceLocation, SourceRef};
use ompttrace_tracks::Summary;

/// Names and source locations by the timeline's numbers.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    titles: Vec<Box<[u8]>>,
    names: Vec<Box<[u8]>>,
    locations: Vec<LocationText>,
    /// Names with the texts of calling contexts, by the contexts' numbers.
    contexts: Vec<NameRef>,
}

/// A source location, as arguments of an event.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocationText {
    /// `"location":"heat.c:42",`; empty for an unknown location.
    pub(crate) short: Box<[u8]>,
    /// Arguments with the location, the function and the whole path.
    pub(crate) full: Box<[u8]>,
}

impl Texts {
    /// Adds the texts that were defined since the last call.
    pub(crate) fn define(&mut self, definitions: &Definitions) {
        let known = self.names.len();
        self.names.extend(definitions.strings().iter().skip(known).map(|text| quoted(text)));
        // Number 0 is none.
        let known = self.locations.len().max(1);
        for (location, source) in definitions.source_locations().iter().zip(1..).skip(known - 1) {
            put(&mut self.locations, source, location_text(location));
        }
        let known = self.contexts.len().max(1);
        for (frame, context) in definitions.contexts().iter().zip(1..).skip(known - 1) {
            put(&mut self.contexts, context, frame.path);
        }
    }

    /// Adds the next title.
    pub(crate) fn add_title(&mut self, title: &str) {
        self.titles.push(quoted(title));
    }

    /// A title in quotes.
    #[inline]
    pub(crate) fn title(&self, title: NameRef) -> &[u8] {
        self.titles.get(title as usize).map_or(b"\"?\"", |text| text)
    }

    /// A name in quotes; a question mark for a name that was not defined, since a trace with one defect is better than
    /// none.
    #[inline]
    pub(crate) fn name(&self, name: NameRef) -> &[u8] {
        match self.names.get(name as usize) {
            Some(text) if !text.is_empty() => text,
            _ => b"\"?\"",
        }
    }

    /// A name as written between the quotes.
    pub(crate) fn inside(&self, name: NameRef) -> &str {
        inside(self.name(name))
    }

    /// The title of a summary in quotes: the names in it are escaped already.
    pub(crate) fn summary(&self, summary: &Summary<'_>) -> Vec<u8> {
        format!("\"{}\"", summary.title(|title| inside(self.title(title)))).into_bytes()
    }

    /// A calling context in quotes.
    pub(crate) fn context(&self, context: ContextRef) -> &[u8] {
        self.contexts.get(context as usize).map_or(b"\"?\"", |path| self.name(*path))
    }

    /// The arguments of a location, if it was defined.
    #[inline]
    pub(crate) fn location(&self, location: SourceRef) -> Option<&LocationText> {
        self.locations.get(location as usize)
    }
}

/// A text as written between its quotes.
fn inside(quoted: &[u8]) -> &str {
    let quoted = std::str::from_utf8(quoted).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default()
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> Box<[u8]> {
    let mut out = Vec::with_capacity(text.len() + 2);
    put_quoted(&mut out, text);
    out.into()
}

/// Appends a text in quotes.
pub(crate) fn put_quoted(out: &mut Vec<u8>, text: &str) {
    // It fails only where the writer does, and a vector does not.
    let _ = serde_json::to_writer(out, text);
}

/// Appends a pair and its comma. The key needs no escaping.
pub(crate) fn put_pair(out: &mut Vec<u8>, key: &str, text: &str) {
    put_key(out, key);
    put_quoted(out, text);
    out.push(b',');
}

/// Appends a key that needs no escaping.
#[inline]
pub(crate) fn put_key(out: &mut Vec<u8>, key: &str) {
    out.push(b'"');
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
}

fn location_text(what: &SourceLocation) -> LocationText {
    let Some(file) = what.file.as_deref().or(what.module.as_deref()) else {
        return LocationText::default();
    };
    let mut out = Vec::new();
    let near = if what.is_near { "near " } else { "" };
    put_pair(&mut out, "location", &format!("{near}{}", short_location(file, what.line)));
    let short = out.clone().into();
    if let Some(function) = &what.function {
        put_pair(&mut out, "function", function);
    }
    if let Some(path) = &what.file {
        put_pair(&mut out, "path", path);
    }
    LocationText { short, full: out.into() }
}

fn short_location(file: &str, line: Option<u32>) -> String {
    match line {
        Some(line) => format!("{}:{line}", file.rsplit('/').next().unwrap_or_default()),
        None => file.to_owned(),
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
    fn texts_are_escaped_and_unknown_ones_marked() {
        let (mut texts, mut definitions) = (Texts::default(), Definitions::default());
        let odd = definitions.add_string("a \"b\" \\ \n \u{1}");
        let empty = definitions.add_string("");
        texts.define(&definitions);
        assert_eq!(texts.name(odd), br#""a \"b\" \\ \n \u0001""#);
        assert_eq!([texts.name(empty), texts.name(9)], [&b"\"\""[..], b"\"?\""]);
    }

    #[test]
    fn a_location_is_short_or_full() {
        let (mut texts, mut definitions) = (Texts::default(), Definitions::default());
        let what = SourceLocation {
            function: Some("step".into()),
            file: Some("/home/me/heat.c".into()),
            line: Some(42),
            ..SourceLocation::default()
        };
        let [nowhere, known] =
            [SourceLocation::default(), what].map(|what| definitions.add_source_location(what));
        texts.define(&definitions);
        let location = texts.location(known).unwrap();
        assert_eq!(&*location.short, br#""location":"heat.c:42","#);
        let full = br#""location":"heat.c:42","function":"step","path":"/home/me/heat.c","#;
        assert_eq!(&*location.full, full);
        assert!(texts.location(nowhere).unwrap().short.is_empty() && texts.location(3).is_none());
    }
}
