//! One thread's records in order, a part of a fragment at a time in memory.
//!
//! A record may begin in one fragment and continue in the next: a write that fell short leaves that.

use super::elsewhere::RecordBlocks;
use super::index::{Fragment, ThreadIndex, Unreported};
use crate::events::{EventCode, Lost, Record, Scope, loss};
use crate::words;
use std::fs::File;
use std::os::unix::fs::FileExt;
use zerocopy::IntoBytes;

/// Bytes of a fragment that are in memory at a time: a multiple of a word.
pub(super) const PART: usize = 256 * 1024;
/// Bytes of a fragment that are in memory at a time in a stream that [`Stream::again`] or [`Stream::moved_to`] returned.
const SMALL_PART: u32 = 32 * 1024;

/// A cursor over one thread's records, with the next record's time at hand for merging.
#[derive(Debug)]
pub struct Stream<'a> {
    files: &'a [File],
    all: &'a [Fragment],
    fragments: std::slice::Iter<'a, Fragment>,
    /// Losses that come after the last fragment.
    unreported: Option<&'a Unreported>,
    /// The source of the words if they are in no fragments.
    elsewhere: Option<Box<dyn RecordBlocks + 'a>>,
    /// The part of the current fragment that was not in memory yet.
    rest: Option<Fragment>,
    /// Chunk and offset after the words in memory.
    end: Option<(u64, u32)>,
    /// Words in memory, of which `count` are valid: the others are only kept to be read into again.
    words: Vec<u64>,
    count: usize,
    /// Index in `words` at which the next record begins; `next` is the index at which it ends.
    at: usize,
    next: usize,
    near: u64,
    next_ticks: Option<u64>,
    undecoded: u64,
    taken: u64,
    /// Bytes of the fragments that have been in memory so far.
    loaded: u64,
    /// Bytes of a fragment that are in memory at a time: a multiple of a word.
    part: u32,
}

/// The position up to which a stream has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Number of bytes of the stream's fragments before the next record.
    pub bytes: u64,
    /// Number of records before the next record.
    pub taken: u64,
}

impl<'a> Stream<'a> {
    pub(super) fn new(files: &'a [File], thread: Option<&'a ThreadIndex>) -> Self {
        let fragments = thread.map_or(&[][..], |thread| &thread.fragments);
        Stream::of(files, (fragments, thread), None)
    }

    /// A stream that begins with the last fragment that begins with a whole record.
    pub(super) fn tail(files: &'a [File], thread: &'a ThreadIndex) -> Self {
        Stream::of(files, (thread.last_whole(), Some(thread)), None)
    }

    /// A stream of records that come in blocks.
    pub fn of_blocks(blocks: Box<dyn RecordBlocks + 'a>) -> Stream<'a> {
        Stream::elsewhere(blocks, 0)
    }

    /// A stream of records that come in blocks; `undecoded` bytes were skipped before.
    pub(super) fn elsewhere(blocks: Box<dyn RecordBlocks + 'a>, undecoded: u64) -> Self {
        let mut stream = Stream::of(&[], (&[], None), Some(blocks));
        stream.undecoded = stream.undecoded.saturating_add(undecoded);
        stream
    }

    fn of(
        files: &'a [File],
        (fragments, thread): (&'a [Fragment], Option<&'a ThreadIndex>),
        elsewhere: Option<Box<dyn RecordBlocks + 'a>>,
    ) -> Self {
        let mut stream = Stream {
            files,
            all: fragments,
            fragments: fragments.iter(),
            unreported: thread.map(|thread| &thread.unreported),
            elsewhere,
            rest: None,
            end: None,
            words: Vec::new(),
            count: 0,
            at: 0,
            next: 0,
            near: 0,
            next_ticks: None,
            undecoded: 0,
            taken: 0,
            loaded: 0,
            part: PART as u32,
        };
        stream.peek();
        stream
    }

    /// A copy of the stream from the next record on, with less of it in memory at a time: for reading many streams at
    /// once. `None` if the records are in no fragments.
    pub fn again(&self) -> Option<Stream<'a>> {
        if self.elsewhere.is_some() {
            return None;
        }
        let words = self.words.get(self.at..self.count)?.to_vec();
        Some(Stream {
            files: self.files,
            all: self.all,
            fragments: self.fragments.clone(),
            unreported: self.unreported,
            elsewhere: None,
            rest: self.rest,
            end: self.end,
            count: words.len(),
            words,
            at: 0,
            next: self.next.saturating_sub(self.at),
            near: self.near,
            next_ticks: self.next_ticks,
            undecoded: self.undecoded,
            taken: self.taken,
            loaded: self.loaded,
            part: SMALL_PART,
        })
    }

    /// The position up to which the stream has been read, if its records are in fragments.
    pub fn position(&self) -> Position {
        let in_memory = 8 * self.count.saturating_sub(self.at) as u64;
        Position { bytes: self.loaded.saturating_sub(in_memory), taken: self.taken }
    }

    /// The stream from a position on that a stream of the same records has returned. `None` if it has no such
    /// position, or its records are in no fragments.
    pub fn moved_to(&self, position: Position) -> Option<Stream<'a>> {
        if self.elsewhere.is_some() || !position.bytes.is_multiple_of(8) {
            return None;
        }
        let (mut fragments, mut before) = (self.all.iter(), position.bytes);
        let mut rest = None;
        while rest.is_none() && before > 0 {
            let fragment = fragments.next()?;
            // Less than the fragment's bytes, which are 32 bits.
            match u64::from(fragment.bytes).checked_sub(before).filter(|left| *left > 0) {
                Some(left) => {
                    let (at, offset) = (fragment.at + before, fragment.offset + before as u32);
                    rest = Some(Fragment { at, offset, bytes: left as u32, ..*fragment });
                }
                None => before -= u64::from(fragment.bytes),
            }
        }
        let mut stream = Stream::of(self.files, (&[], None), None);
        (stream.all, stream.fragments, stream.rest) = (self.all, fragments, rest);
        (stream.unreported, stream.part) = (self.unreported, SMALL_PART);
        (stream.loaded, stream.taken) = (position.bytes, position.taken);
        stream.peek();
        Some(stream)
    }

    /// The time of the next record, in ticks; `None` at the end.
    #[inline(always)]
    pub fn next_ticks(&self) -> Option<u64> {
        self.next_ticks
    }

    /// Bytes passed over because they decode to no known record.
    pub fn undecoded(&self) -> u64 {
        self.undecoded
    }

    /// Records taken so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Bytes of memory held for records.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        8 * self.words.capacity()
    }

    /// Takes the next record as it is stored: events that have a short form may be in it. For storing records again.
    #[inline(always)]
    pub fn take_stored<T>(&mut self, use_record: impl FnOnce(Record<'_>) -> T) -> Option<T> {
        let ticks = self.next_ticks?;
        let [header, words @ ..] = self.words.get(self.at..self.next)? else { return None };
        let code = EventCode(words::header_code(*header));
        let result = use_record(Record { ticks, code, words });
        self.at = self.next;
        self.taken += 1;
        self.peek();
        Some(result)
    }

    /// Takes all records up to a time, in ticks, as long as `use_record` says that it goes on; returns whether it did to the end.
    #[inline(always)]
    pub fn take_through(
        &mut self,
        last: u64,
        mut use_record: impl FnMut(Record<'_>) -> bool,
    ) -> bool {
        self.take_stored_through(last, |record| record.at_length(&mut use_record))
    }

    /// Takes records as [`Stream::take_through`] does, as they are stored: for those who only decode them. In one loop over those that
    /// are in memory.
    #[inline(always)]
    pub fn take_stored_through(
        &mut self,
        last: u64,
        mut use_record: impl FnMut(Record<'_>) -> bool,
    ) -> bool {
        while self.next_ticks.is_some_and(|next| next <= last) {
            let (near, mut at, mut taken, mut goes_on) = (self.near, self.at, 0, true);
            let words = self.words.get(..self.count).unwrap_or_default();
            while goes_on && let Some(header) = words.get(at) {
                let code = EventCode(words::header_code(*header));
                let time = words::unwrap_ticks(words::header_ticks(*header), near);
                let next = at + code.words();
                // An unknown code has no words, and so no payload.
                let Some(payload) = words.get(at + 1..next).filter(|_| time <= last) else { break };
                goes_on = use_record(Record { ticks: time, code, words: payload });
                (at, taken) = (next, taken + 1);
            }
            (self.at, self.taken) = (at, self.taken + taken);
            self.peek();
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// Takes the next record and gives it to `use_record`.
    #[inline(always)]
    pub fn take<T>(&mut self, use_record: impl FnOnce(Record<'_>) -> T) -> Option<T> {
        self.take_stored(|record| record.at_length(use_record))
    }

    /// Finds the next whole record, in the next fragment if need be.
    #[inline(always)]
    fn peek(&mut self) {
        loop {
            if let Some(header) = self.header() {
                let words = EventCode(words::header_code(header)).words();
                self.next = self.at + words;
                if words > 0 && self.next <= self.count {
                    let low = words::header_ticks(header);
                    self.next_ticks = Some(words::unwrap_ticks(low, self.near));
                    return;
                }
            }
            if !self.load() {
                self.next_ticks = None;
                return;
            }
        }
    }

    /// The first word that was not taken.
    #[inline(always)]
    fn header(&self) -> Option<u64> {
        if self.at < self.count { self.words.get(self.at).copied() } else { None }
    }

    /// Brings the next part into memory, after an unfinished record if that continues there.
    #[cold]
    fn load(&mut self) -> bool {
        if self.elsewhere.is_some() {
            return self.load_elsewhere();
        }
        if !self.waits_for_more() {
            self.give_up_fragment();
        }
        let next = self.next_part();
        if next.is_none_or(|part| self.end != Some((part.chunk, part.offset))) {
            self.give_up_words();
        }
        self.words.copy_within(self.at..self.count, 0);
        (self.at, self.count) = (0, self.count - self.at);
        let Some(part) = next else { return self.load_unreported() };
        self.near = part.ticks;
        self.end = Some((part.chunk, part.offset.saturating_add(part.bytes)));
        if !self.read(&part) {
            self.undecoded += u64::from(part.bytes);
            self.give_up_fragment();
        }
        true
    }

    /// Brings the next block of whole records into memory.
    fn load_elsewhere(&mut self) -> bool {
        self.give_up_words();
        self.words.clear();
        self.at = 0;
        let near = self.elsewhere.as_mut().and_then(|blocks| blocks.next(&mut self.words));
        self.count = self.words.len();
        self.near = near.unwrap_or(0);
        near.is_some()
    }

    /// Puts the losses that the thread did not report after its last record.
    fn load_unreported(&mut self) -> bool {
        let Some(unreported) =
            self.unreported.take().filter(|unreported| !unreported.lost.is_empty())
        else {
            return false;
        };
        self.near = self.next_ticks.unwrap_or(0).max(unreported.ticks);
        let code = EventCode::new(Lost::NUMBER, Scope::None).0;
        self.words.truncate(self.count);
        for (event, count) in &unreported.lost {
            let lost = Lost { event: event.0.into(), reason: loss::UNREPORTED, count: *count };
            self.words.push(words::header(self.near, code));
            self.words.extend(lost.words());
        }
        self.count = self.words.len();
        true
    }

    /// Returns true if more words can complete the record in memory: its code is known, or there is none.
    fn waits_for_more(&self) -> bool {
        self.header().is_none_or(|header| EventCode(words::header_code(header)).words() > 0)
    }

    fn next_part(&mut self) -> Option<Fragment> {
        let mut part = self.rest.take().or_else(|| self.fragments.next().copied())?;
        if let Some(more) = part.bytes.checked_sub(self.part).filter(|more| *more > 0) {
            part.bytes = self.part;
            self.rest = Some(Fragment {
                at: part.at + u64::from(self.part),
                offset: part.offset.saturating_add(part.bytes),
                bytes: more,
                ..part
            });
        }
        Some(part)
    }

    /// Appends the words of a part of a fragment; returns false if they cannot be read.
    fn read(&mut self, part: &Fragment) -> bool {
        let until = self.count + part.bytes as usize / 8;
        if self.words.len() < until {
            self.words.resize(until, 0);
        }
        let bytes = self.words.get_mut(self.count..until).unwrap_or_default().as_mut_bytes();
        let file = self.files.get(part.file);
        let whole = file.is_some_and(|file| file.read_exact_at(bytes, part.at).is_ok());
        if whole {
            self.count = until;
            self.loaded += u64::from(part.bytes);
        }
        whole
    }

    /// Counts the words in memory as undecoded.
    fn give_up_words(&mut self) {
        self.undecoded += 8 * (self.count - self.at) as u64;
        self.at = self.count;
    }

    /// Counts the words in memory, and the part of the fragment that is not in memory, as undecoded.
    fn give_up_fragment(&mut self) {
        self.give_up_words();
        self.undecoded += self.rest.take().map_or(0, |rest| u64::from(rest.bytes));
        self.end = None;
    }
}
