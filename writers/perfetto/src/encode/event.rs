//! Events as callers describe them.

use std::fmt::{self, Write};

use super::texts::{AnnotationKey, CategoryKey, NameKey, SourceKey, StringKey};

/// The beginning of a slice, or an instant.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Name that is shown on the slice or instant.
    pub name: NameKey,
    /// Category of the event.
    pub category: Option<CategoryKey>,
    /// The track, where it is not the one of the sequence. Costs 11 bytes.
    pub track: Option<u64>,
    /// The look that it shares with others of its sequence: their packets begin alike, and only the first one's is put together. `None`:
    /// hardly any other event is like it.
    pub look: Option<Look>,
    /// Flows, annotations and other data that few events have.
    pub details: Details<'a>,
}

/// Four numbers that stand for all that events of one look have in common: name, category, source and common annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look(pub [u64; 4]);

impl Event<'_> {
    /// An event on the track of its sequence, without details.
    #[inline]
    pub fn plain(name: NameKey, category: CategoryKey) -> Self {
        Event {
            name,
            category: Some(category),
            track: None,
            look: None,
            details: Details::default(),
        }
    }
}

/// Data that few events have. Details of a slice's end are merged into the slice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Details<'a> {
    /// Flows that begin here or pass through. A flow is a chain in order of time:
    /// to fan out, give one for each branch.
    pub flows: &'a [u64],
    /// Flows that end here. A flow that never began is ignored by the viewer.
    pub terminating_flows: &'a [u64],
    /// A few named values that all events of one look have; none of them is a text of its own.
    pub common: &'a [Annotation<'a>],
    /// Other named values.
    pub annotations: &'a [Annotation<'a>],
    /// Several values under one name.
    pub list: Option<List<'a>>,
    /// Source location of the event.
    pub source: Option<SourceKey>,
    /// Slices with the same number are parts of one whole.
    pub correlation: Option<u64>,
}

/// A named value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Annotation<'a> {
    /// Name of the annotation. A dot in the text makes a group of it in the viewer.
    pub name: AnnotationKey,
    /// Value of the annotation.
    pub value: Value<'a>,
}

/// Values under one name: `name[0]`, `name[1]` in the viewer.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// The name of all.
    pub name: AnnotationKey,
    /// The values, in order.
    pub entries: &'a [Entry],
}

/// A value in a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A number that may be negative.
    Int(i64),
    /// A text.
    Text(String),
    /// Up to four named values: `name[0].count` in the viewer.
    Group([Option<Annotation<'static>>; 4]),
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
    /// A short text that the value itself holds, so that it need not be stored elsewhere.
    Short(Short),
    /// A text that comes again and again.
    Interned(StringKey),
}

/// A text of a few bytes that needs no owner elsewhere. What is longer is cut.
#[derive(Clone, Copy, Debug, Default)]
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
    #[inline(always)]
    pub fn push(&mut self, text: &str) {
        let length = usize::from(self.length);
        match (text.as_bytes(), self.bytes.get_mut(length)) {
            ([byte], Some(slot)) => {
                *slot = *byte;
                self.length += 1;
            }
            // It fails only where the text was cut.
            _ => drop(self.write_str(text)),
        }
    }

    /// Appends a number, which there must be room for.
    #[inline(always)]
    pub fn push_number(&mut self, number: u32) {
        if number < 10 {
            self.bytes[usize::from(self.length)] = b'0' + number as u8;
            self.length += 1;
            return;
        }
        let (high, low) = (number / 100_000_000, number % 100_000_000);
        let mut digits = eight_digits(low);
        let mut length = 8;
        if high == 0 {
            let zeros = (digits.trailing_zeros() / 8).min(7);
            (digits, length) = (digits >> (8 * zeros), 8 - zeros as usize);
        } else {
            self.push(itoa::Buffer::new().format(high));
        }
        let bytes = (digits | 0x3030_3030_3030_3030).to_le_bytes();
        let begin = usize::from(self.length);
        match self.bytes[begin..].first_chunk_mut() {
            // What is after the number is overwritten by what comes next.
            Some(room) => *room = bytes,
            None => self.bytes[begin..begin + length].copy_from_slice(&bytes[..length]),
        }
        self.length += length as u8;
    }

    /// The text's bytes, in UTF-8.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl PartialEq for Short {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Short {}

/// The digits of a number below 10^8, the first one in the lowest byte.
#[inline(always)]
fn eight_digits(number: u32) -> u64 {
    let (high, low) = (u64::from(number / 10_000), u64::from(number % 10_000));
    let fours = high | low << 32;
    let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let twos = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((twos * 103) >> 10) & 0xf_000f_000f_000f;
    tens | (twos - 10 * tens) << 8
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
    fn numbers_are_put_as_they_are_written() {
        let edges = (0..10).flat_map(|digits| {
            let power = 10u32.pow(digits);
            [power - 1, power, power + 1, 7 * (power / 2)]
        });
        for number in edges.chain((0..100_000).map(|n| n * 42_949)).chain([u32::MAX]) {
            let mut text = Short::default();
            text.push("262143.");
            text.push_number(number);
            assert_eq!(text, Short::of(format!("262143.{number}")), "{number}");
        }
    }

    #[test]
    fn a_short_text_is_cut_between_characters() {
        assert_eq!(Short::of("i262143.4294967295").as_bytes(), b"i262143.4294967295");
        assert_eq!(Short::of("\u{e9}".repeat(30)).as_bytes().len(), 22);
        assert_eq!(Short::of("\u{20ac}".repeat(30)).as_bytes().len(), 21);
        assert_eq!(size_of::<Value<'_>>(), 24);
    }
}
