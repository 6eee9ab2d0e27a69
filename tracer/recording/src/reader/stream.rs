//! One thread's records in order, a fragment at a time in memory.

use super::index::Fragment;
use crate::events::{EventCode, Record};
use crate::words;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// A cursor over one thread's records, with the next record's time at hand for merging.
#[derive(Debug)]
pub struct Stream<'a> {
    files: &'a [File],
    fragments: std::slice::Iter<'a, Fragment>,
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

    #[cold]
    fn load(&mut self) -> bool {
        self.undecoded += 8 * (self.words.len() - self.at.min(self.words.len())) as u64;
        self.words.clear();
        self.at = 0;
        let Some(fragment) = self.fragments.next() else { return false };
        self.near = fragment.ticks;
        self.bytes.resize(fragment.bytes as usize, 0);
        let whole = self
            .files
            .get(fragment.file)
            .is_some_and(|file| file.read_exact_at(&mut self.bytes, fragment.at).is_ok());
        if whole {
            let (words, _) = self.bytes.as_chunks::<8>();
            self.words.extend(words.iter().map(|word| u64::from_ne_bytes(*word)));
        } else {
            self.undecoded += u64::from(fragment.bytes);
        }
        true
    }
}
