//! Decoding of a block's bytes into records. The bytes may be arbitrary: every length is checked first.

use crate::bytes::{Bytes, Wrong};
use crate::column::{self, Targets};
use crate::guess::{self, KNOWN, POSITIONS, TICKS};
use crate::layout::Head;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::MAX_WORDS;
use ompttrace_recording::words;

/// Decodes blocks, with memory that is reused.
#[derive(Debug)]
pub(crate) struct Decoder {
    known: Box<[u64; KNOWN]>,
    /// Differences of all words, by code, then by record: the low half by [`guess::low`], the high half unchanged.
    differences: Vec<u64>,
    codes: Box<[Code; 256]>,
}

/// Properties of the records of one code in a block.
#[derive(Clone, Copy, Debug, Default)]
struct Code {
    words: usize,
    /// Index in `differences` of the code's next record.
    at: usize,
    /// The index of the guess for each position among the known words.
    from: [u16; POSITIONS],
}

impl Decoder {
    pub(crate) fn new() -> Decoder {
        Decoder {
            known: Box::new([0; KNOWN]),
            differences: Vec::new(),
            codes: Box::new([Code::default(); 256]),
        }
    }

    /// Appends the records of the block with that head and these bytes after it to `to`.
    pub(crate) fn decode(
        &mut self,
        head: &Head,
        mut bytes: Bytes<'_>,
        to: &mut Vec<u64>,
    ) -> Result<(), Wrong> {
        let directory = bytes.u32()? as usize;
        let codes = bytes.take(head.records as usize)?;
        let mut directory = Bytes(bytes.take(directory)?);
        self.count(codes, head.words as usize)?;
        self.columns(&mut directory, &mut bytes)?;
        if !(directory.0.is_empty() && bytes.0.is_empty()) {
            return Err(Wrong("more bytes than columns"));
        }
        self.rows(codes, head, to)
    }

    /// Counts the records of each code, which gives the positions of their differences.
    fn count(&mut self, codes: &[u8], words: usize) -> Result<(), Wrong> {
        let mut counts = [0usize; 256];
        codes.iter().for_each(|code| counts[usize::from(*code)] += 1);
        let mut at = 0;
        for (number, (code, count)) in self.codes.iter_mut().zip(counts).enumerate() {
            let words = EventCode(number as u8).words();
            if count > 0 && words == 0 {
                return Err(Wrong("an unknown event"));
            }
            *code = Code { words, at, from: [0; POSITIONS] };
            at += words * count;
        }
        if at != words {
            return Err(Wrong("its records have another length"));
        }
        self.differences.resize(words, 0);
        Ok(())
    }

    fn columns(&mut self, directory: &mut Bytes<'_>, planes: &mut Bytes<'_>) -> Result<(), Wrong> {
        let ends: Vec<usize> = self.codes.iter().skip(1).map(|code| code.at).collect();
        let ends = ends.into_iter().chain([self.differences.len()]);
        for (number, end) in (0..=u8::MAX).zip(ends) {
            let code = &mut self.codes[usize::from(number)];
            let Some(to) = self.differences.get_mut(code.at..end).filter(|to| !to.is_empty())
            else {
                continue;
            };
            if directory.byte()? != number {
                return Err(Wrong("columns of another event"));
            }
            for (position, from) in code.from.iter_mut().enumerate().take(code.words - 1) {
                let source = guess::source(directory.byte()?, number, position);
                *from = source.ok_or(Wrong("an unknown guess"))? as u16;
            }
            for word in 0..code.words {
                let targets = Targets::new(to, word, code.words);
                column::read(directory, planes, targets, |to, low| {
                    *to = u64::from(guess::low(low));
                })?;
                let targets = Targets::new(to, word, code.words);
                column::read(directory, planes, targets, |to, high| {
                    *to = *to & 0xffff_ffff | u64::from(high) << 32;
                })?;
            }
        }
        Ok(())
    }

    /// Reconstructs the records in their order.
    fn rows(&mut self, codes: &[u8], head: &Head, to: &mut Vec<u64>) -> Result<(), Wrong> {
        let Decoder { known, differences, codes: table } = self;
        known.fill(0);
        known[TICKS] = words::header_ticks(head.near);
        let start = to.len();
        to.resize(start + head.words as usize, 0);
        let mut rest = &mut to[start..];
        for number in codes {
            let code = &mut table[usize::from(*number)];
            let from = differences.get(code.at..code.at + code.words);
            let out = rest.split_at_mut_checked(code.words);
            let (Some([ticks, payload @ ..]), Some((record, later))) = (from, out) else {
                return Err(Wrong("its records have another length"));
            };
            code.at += code.words;
            let ticks = words::header_ticks(guess::word(known[TICKS], *ticks));
            known[TICKS] = ticks;
            record[0] = words::header(ticks, *number);
            let own = guess::own(*number, 0);
            for (position, difference) in payload.iter().enumerate().take(MAX_WORDS - 1) {
                let word =
                    guess::word(known[usize::from(code.from[position]) % KNOWN], *difference);
                known[position] = word;
                known[own + position] = word;
                record[position + 1] = word;
            }
            rest = later;
        }
        Ok(())
    }
}
