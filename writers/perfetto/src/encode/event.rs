//! What a caller says of an event.

use std::fmt::{self, Write};

use super::texts::{AnnotationKey, CategoryKey, NameKey, SourceKey, StringKey};

/// The beginning of a slice, or an instant.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// What is shown on the slice.
    pub name: NameKey,
    /// The family it belongs to.
    pub category: Option<CategoryKey>,
    /// The track, where it is not the one of the sequence. Costs 11 bytes.
    pub track: Option<u64>,
    /// What few events have.
    pub details: Details<'a>,
}

impl Event<'_> {
    /// An event on the track of its sequence, without details.
    #[inline]
    pub fn plain(name: NameKey, category: CategoryKey) -> Self {
        Event { name, category: Some(category), track: None, details: Details::default() }
    }
}

/// What few events have. Details of a slice's end are merged into the slice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Details<'a> {
    /// Flows that begin here or pass through. A flow is a chain in order of time:
    /// to fan out, give one for each branch.
    pub flows: &'a [u64],
    /// Flows that end here. One that nobody began is ignored by the viewer.
    pub terminating_flows: &'a [u64],
    /// Named values.
    pub annotations: &'a [Annotation<'a>],
    /// Where in the source it happened.
    pub source: Option<SourceKey>,
    /// Slices with the same number are parts of one whole.
    pub correlation: Option<u64>,
}

impl Details<'_> {
    /// True where there is nothing to write.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
            && self.terminating_flows.is_empty()
            && self.annotations.is_empty()
            && self.source.is_none()
            && self.correlation.is_none()
    }
}

/// A named value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Annotation<'a> {
    /// Its name. A dot in the text makes a group of it in the viewer.
    pub name: AnnotationKey,
    /// Its value.
    pub value: Value<'a>,
}

/// The value of an annotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Yes or no.
    Bool(bool),
    /// A count or an identifier. The reader keeps signed 64-bit values: from 2^63
    /// on use [`Value::Pointer`].
    Uint(u64),
    /// A number that may be negative.
    Int(i64),
    /// A measure.
    Double(f64),
    /// An address, shown in hexadecimal.
    Pointer(u64),
    /// A text that is hardly ever seen again.
    Text(&'a str),
    /// The same, made on the spot.
    Short(Short),
    /// A text that comes again and again.
    Interned(StringKey),
}

/// A text of a few bytes that needs no owner elsewhere. What is longer is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Short {
    bytes: [u8; Short::MAX],
    length: u8,
}

impl Short {
    /// The most bytes that it holds: as many as do not make [`Value`] larger.
    pub const MAX: usize = 22;

    /// The text of a value.
    pub fn of(value: impl fmt::Display) -> Self {
        let mut short = Short::default();
        // It fails only where the text was cut.
        let _ = write!(short, "{value}");
        short
    }

    /// All bytes that it has room for, and how many of them count.
    #[inline(always)]
    pub(super) fn parts(&self) -> (&[u8; Short::MAX], usize) {
        (&self.bytes, usize::from(self.length))
    }

    /// Appends a text, as much of it as there is room for.
    #[inline]
    pub fn push(&mut self, text: &str) {
        // It fails only where the text was cut.
        let _ = self.write_str(text);
    }

    /// Its bytes, UTF-8.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let begin = usize::from(self.length);
        let mut taken = text.len().min(Self::MAX - begin);
        while !text.is_char_boundary(taken) {
            taken -= 1;
        }
        self.bytes[begin..begin + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken as u8;
        if taken == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Short, Value};

    #[test]
    fn a_short_text_is_cut_between_characters() {
        assert_eq!(Short::of("i262143.4294967295").as_bytes(), b"i262143.4294967295");
        assert_eq!(Short::of("\u{e9}".repeat(30)).as_bytes().len(), 22);
        assert_eq!(Short::of("\u{20ac}".repeat(30)).as_bytes().len(), 21);
        assert_eq!(size_of::<Value<'_>>(), 24);
    }
}
