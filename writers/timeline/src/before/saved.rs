//! A record that is kept beyond its stream.

use ompttrace_recording::events::{EventCode, Group, Record, Wait};
use std::slice::Iter;

/// Words of a payload that are kept; what has more is not.
const MOST: usize = 6;

/// True for records that say nothing of what a thread does: definitions, parts of others, and waits for the tool.
#[inline]
pub(super) fn says_nothing(code: EventCode) -> bool {
    matches!(code.group(), Some(Group::Definition | Group::Part)) || code.number() == Wait::NUMBER
}

/// A copy of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Saved {
    pub ticks: u64,
    /// Index of the record among those of its thread.
    pub number: u64,
    code: EventCode,
    count: u8,
    words: [u64; MOST],
}

impl Saved {
    /// A copy of a record; `None` if the record is too long.
    #[inline]
    pub(super) fn of(record: &Record<'_>, number: u64) -> Option<Saved> {
        // Word by word: a call for some forty bytes would take longer, as would a question before each.
        let words = match *record.words {
            [] => [0; MOST],
            [a] => [a, 0, 0, 0, 0, 0],
            [a, b] => [a, b, 0, 0, 0, 0],
            [a, b, c] => [a, b, c, 0, 0, 0],
            [a, b, c, d] => [a, b, c, d, 0, 0],
            [a, b, c, d, e] => [a, b, c, d, e, 0],
            [a, b, c, d, e, f] => [a, b, c, d, e, f],
            _ => return None,
        };
        let (ticks, code, count) = (record.ticks, record.code, record.words.len() as u8);
        Some(Saved { ticks, number, code, count, words })
    }

    /// A copy of a record whose payload has a known length, which must fit; the pair is its ticks and its index.
    #[inline]
    pub(super) fn new<const N: usize>(
        (ticks, number): (u64, u64),
        code: EventCode,
        payload: [u64; N],
    ) -> Saved {
        const { assert!(N <= MOST) };
        let words = std::array::from_fn(|at| payload.get(at).copied().unwrap_or(0));
        Saved { ticks, number, code, count: N as u8, words }
    }

    /// Appends the record as words.
    pub(crate) fn add_to(&self, words: &mut Vec<u64>) {
        let kind = u64::from(self.code.0) | u64::from(self.count) << 16;
        words.extend([self.ticks, self.number, kind]);
        words.extend(self.record().words);
    }

    /// Reads a record from such words; `None` if they are not valid.
    pub(crate) fn from_words(from: &mut Iter<'_, u64>) -> Option<Saved> {
        let mut next = || from.next().copied();
        let (ticks, number, kind) = (next()?, next()?, next()?);
        let (code, count) = (EventCode(kind as u8), (kind >> 16) as u8);
        let mut words = [0; MOST];
        for word in words.get_mut(..usize::from(count))? {
            *word = next()?;
        }
        let is_whole =
            code.words() == 1 + usize::from(count) && (kind >> 8 & 0xff, kind >> 24) == (0, 0);
        is_whole.then_some(Saved { ticks, number, code, count, words })
    }

    /// The record.
    pub(crate) fn record(&self) -> Record<'_> {
        let words = self.words.get(..usize::from(self.count)).unwrap_or_default();
        Record { ticks: self.ticks, code: self.code, words }
    }
}
