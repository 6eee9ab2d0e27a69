//! One thread's records in order, a piece of a fragment at a time in memory.
//!
//! A record may begin in one fragment and go on in the next: a write that fell short leaves that.

use super::index::Fragment;
use crate::events::{EventCode, Record};
use crate::words;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Bytes of a fragment that are in memory at a time: a multiple of a word.
pub(super) const PIECE: usize = 256 * 1024;

/// A cursor over one thread's records, with the next record's time at hand for merging.
#[derive(Debug)]
pub struct Stream<'a> {
    files: &'a [File],
    fragments: std::slice::Iter<'a, Fragment>,
    /// What of the current fragment was not in memory yet.
    rest: Option<Fragment>,
    /// Chunk and offset behind the words in memory.
    end: Option<(u64, u32)>,
    bytes: Vec<u8>,
    words: Vec<u64>,
    at: usize,
    near: u64,
    next_ticks: Option<u64>,
    undecoded: u64,
}

impl<'a> Stream<'a> {
    pub(super) fn new(files: &'a [File], fragments: &'a [Fragment]) -> Self {
        let mut stream = Stream {
            files,
            fragments: fragments.iter(),
            rest: None,
            end: None,
            bytes: Vec::new(),
            words: Vec::new(),
            at: 0,
            near: 0,
            next_ticks: None,
            undecoded: 0,
        };
        stream.peek();
        stream
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

    /// Bytes of memory held for records.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + 8 * self.words.capacity()
    }

    /// Takes the next record and gives it to `use_record`.
    #[inline(always)]
    pub fn take<T>(&mut self, use_record: impl FnOnce(Record<'_>) -> T) -> Option<T> {
        let ticks = self.next_ticks?;
        let header = *self.words.get(self.at)?;
        let code = EventCode(header as u8);
        let payload = self.words.get(self.at + 1..self.at + code.words())?;
        let result = use_record(Record { ticks, code, words: payload });
        self.at += code.words();
        self.peek();
        Some(result)
    }

    /// Finds the next whole record, in the next fragment if need be.
    #[inline(always)]
    fn peek(&mut self) {
        loop {
            if let Some(&header) = self.words.get(self.at) {
                let length = EventCode(header as u8).words();
                if length > 0 && self.at + length <= self.words.len() {
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

    /// Brings the next piece into memory, behind the begun record if that goes on there.
    #[cold]
    fn load(&mut self) -> bool {
        if !self.waits_for_more() {
            self.give_up_fragment();
        }
        let next = self.next_piece();
        if next.is_none_or(|piece| self.end != Some((piece.chunk, piece.offset))) {
            self.give_up_words();
        }
        self.words.drain(..self.at);
        self.at = 0;
        let Some(piece) = next else { return false };
        self.near = piece.ticks;
        self.end = Some((piece.chunk, piece.offset.saturating_add(piece.bytes)));
        if !self.read(&piece) {
            self.undecoded += u64::from(piece.bytes);
            self.give_up_fragment();
        }
        true
    }

    /// Whether more words can make sense of what is in memory: not behind an unknown code.
    fn waits_for_more(&self) -> bool {
        self.words.get(self.at).is_none_or(|&header| EventCode(header as u8).words() > 0)
    }

    fn next_piece(&mut self) -> Option<Fragment> {
        let mut piece = self.rest.take().or_else(|| self.fragments.next().copied())?;
        if let Some(more) = piece.bytes.checked_sub(PIECE as u32).filter(|more| *more > 0) {
            piece.bytes = PIECE as u32;
            self.rest = Some(Fragment {
                at: piece.at + PIECE as u64,
                offset: piece.offset.saturating_add(piece.bytes),
                bytes: more,
                ..piece
            });
        }
        Some(piece)
    }

    /// Appends the words of a piece.
    fn read(&mut self, piece: &Fragment) -> bool {
        self.bytes.resize(piece.bytes as usize, 0);
        let file = self.files.get(piece.file);
        let whole = file.is_some_and(|file| file.read_exact_at(&mut self.bytes, piece.at).is_ok());
        if whole {
            let (words, _) = self.bytes.as_chunks::<8>();
            self.words.extend(words.iter().map(|word| u64::from_ne_bytes(*word)));
        }
        whole
    }

    /// Counts the words in memory as undecoded.
    fn give_up_words(&mut self) {
        self.undecoded += 8 * (self.words.len() - self.at) as u64;
        self.at = self.words.len();
    }

    /// The same with what of the fragment is not in memory.
    fn give_up_fragment(&mut self) {
        self.give_up_words();
        self.undecoded += self.rest.take().map_or(0, |rest| u64::from(rest.bytes));
        self.end = None;
    }
}
