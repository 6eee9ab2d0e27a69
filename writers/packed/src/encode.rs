//! Encoding of one block of a thread's records into bytes that compress well.

use crate::column::Parts;
use crate::guess::{self, KNOWN, POSITIONS, TICKS};
use crate::layout::{self, Head};
use ompttrace_recording::EventCode;
use ompttrace_recording::words;

/// Number of records from which the sources are chosen.
const SAMPLE: usize = 4096;

/// Encodes blocks, with memory that is reused.
pub(crate) struct Encoder {
    known: Box<[u64; KNOWN]>,
    codes: Vec<u8>,
    /// Differences of each word, in the order of the words.
    low: Vec<u32>,
    high: Vec<u32>,
    /// Values of one column, taken from the differences.
    column: Vec<u32>,
    parts: Parts,
}

impl Encoder {
    pub(crate) fn new() -> Encoder {
        Encoder {
            known: Box::new([0; KNOWN]),
            codes: Vec::new(),
            low: Vec::new(),
            high: Vec::new(),
            column: Vec::new(),
            parts: Parts::default(),
        }
    }

    /// Appends the block of these whole records to `to`.
    pub(crate) fn encode(&mut self, head: &Head, records: &[u64], to: &mut Vec<u8>) {
        let sources = self.choose_sources(records);
        self.differences(head.near, records, &sources);
        self.columns(&sources);
        to.extend(head.to_bytes());
        to.extend((self.parts.directory.len() as u32).to_le_bytes());
        to.extend(&self.codes);
        to.extend(&self.parts.directory);
        to.extend(&self.parts.planes);
    }

    /// Chooses the source with the smallest differences, for each word position of each code.
    fn choose_sources(&mut self, records: &[u64]) -> Sources {
        let mut cost = vec![[[0u32; guess::TRIED as usize + 1]; POSITIONS]; 256];
        self.known.fill(0);
        for record in Records(records).take(SAMPLE) {
            let code = words::header_code(record[0]);
            for (position, word) in record.iter().skip(1).enumerate() {
                for source in 0..=guess::TRIED {
                    let from = guess::source(source, code, position).map_or(0, |at| self.known[at]);
                    let (low, high) = guess::difference(*word, from);
                    let bits = 64 - low.leading_zeros() - high.leading_zeros();
                    cost[usize::from(code)][position][usize::from(source)] += bits;
                }
                self.learn(code, position, *word);
            }
        }
        let mut sources = [[guess::OWN_POSITION; POSITIONS]; 256];
        for (sources, costs) in sources.iter_mut().zip(&cost) {
            for (source, costs) in sources.iter_mut().zip(costs) {
                let best = (0..=guess::TRIED).min_by_key(|one| costs[usize::from(*one)]);
                *source = best.unwrap_or(guess::OWN_POSITION);
            }
        }
        sources
    }

    fn learn(&mut self, code: u8, position: usize, word: u64) {
        self.known[position] = word;
        self.known[guess::own(code, position)] = word;
    }

    fn differences(&mut self, near: u64, records: &[u64], sources: &Sources) {
        self.codes.clear();
        self.low.clear();
        self.high.clear();
        self.known.fill(0);
        self.known[TICKS] = words::header_ticks(near);
        for record in Records(records) {
            let code = words::header_code(record[0]);
            self.codes.push(code);
            let ticks = words::header_ticks(record[0]);
            self.put(guess::difference(ticks, self.known[TICKS]));
            self.known[TICKS] = ticks;
            for (position, word) in record.iter().skip(1).enumerate() {
                let source = sources[usize::from(code)][position];
                let from = guess::source(source, code, position).map_or(0, |at| self.known[at]);
                self.put(guess::difference(*word, from));
                self.learn(code, position, *word);
            }
        }
    }

    fn put(&mut self, (low, high): (u32, u32)) {
        self.low.push(low);
        self.high.push(high);
    }

    /// Sorts the differences into columns: by code, then by position.
    fn columns(&mut self, sources: &Sources) {
        let Encoder { codes, low, high, column, parts, .. } = self;
        parts.directory.clear();
        parts.planes.clear();
        let mut starts: Vec<Vec<u32>> = vec![Vec::new(); 256];
        let mut at = 0;
        for code in codes.iter() {
            starts[usize::from(*code)].push(at);
            at += EventCode(*code).words() as u32;
        }
        for (code, starts) in starts.iter().enumerate().filter(|(_, starts)| !starts.is_empty()) {
            let count = EventCode(code as u8).words();
            parts.directory.push(code as u8);
            parts.directory.extend(&sources[code][..count - 1]);
            for word in 0..count {
                for half in [&*low, &*high] {
                    column.clear();
                    column.extend(starts.iter().map(|start| half[*start as usize + word]));
                    parts.column(column);
                }
            }
        }
    }
}

type Sources = [[u8; POSITIONS]; 256];

/// Whole records, one after the other.
struct Records<'r>(&'r [u64]);

impl<'r> Iterator for Records<'r> {
    type Item = &'r [u64];
    fn next(&mut self) -> Option<&'r [u64]> {
        let words = EventCode(words::header_code(*self.0.first()?)).words();
        let (record, rest) = self.0.split_at_checked(words).filter(|_| words > 0)?;
        self.0 = rest;
        Some(record)
    }
}

const _: () = assert!(layout::BLOCK_WORDS < u32::MAX as usize);
