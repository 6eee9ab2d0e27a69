//! What a caller says of an event.

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
    /// A text that comes again and again.
    Interned(StringKey),
}
