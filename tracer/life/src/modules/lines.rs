//! The lines of the `modules` file, through a small buffer.

use super::elf::build_id;
use super::maps::Mapping;
use ompttrace_recorder::AppendFile;

pub(super) struct Out<'a> {
    file: &'a AppendFile,
    bytes: [u8; 2048],
    length: usize,
    is_whole: bool,
}

impl<'a> Out<'a> {
    pub(super) fn new(file: &'a AppendFile) -> Out<'a> {
        Out { file, bytes: [0; 2048], length: 0, is_whole: true }
    }

    /// Writes `@ <ticks>`, the time to which the lines that follow refer.
    pub(super) fn time(&mut self, ticks: u64) {
        self.text(b"@ ");
        self.decimal(ticks);
        self.text(b"\n");
    }

    /// Writes `- <start>-<end>`, for a mapping that is gone.
    pub(super) fn departure(&mut self, start: u64, end: u64) {
        self.text(b"- ");
        self.range(start, end);
        self.text(b"\n");
    }

    /// Writes `<start>-<end> <file offset> <build id or -> <path>`, for a mapping.
    pub(super) fn mapping(&mut self, mapping: &Mapping<'_>, header: u64) {
        self.range(mapping.start, mapping.end);
        self.text(b" ");
        self.hexadecimal(mapping.offset);
        self.text(b" ");
        let mut id = [0; 64];
        let length = build_id(header, &mut id);
        if length == 0 {
            self.text(b"-");
        }
        for byte in id.iter().take(length) {
            self.text(&hex_pair(*byte));
        }
        self.text(b" ");
        self.text(mapping.path);
        self.text(b"\n");
    }

    /// Writes the rest of the buffer; returns true if everything was written. A failed write costs names in the trace,
    /// no event.
    pub(super) fn finish(mut self) -> bool {
        self.flush();
        self.is_whole
    }

    fn range(&mut self, start: u64, end: u64) {
        self.hexadecimal(start);
        self.text(b"-");
        self.hexadecimal(end);
    }

    fn text(&mut self, text: &[u8]) {
        for byte in text {
            if self.length == self.bytes.len() {
                self.flush();
            }
            if let Some(slot) = self.bytes.get_mut(self.length) {
                *slot = *byte;
                self.length += 1;
            }
        }
    }

    fn hexadecimal(&mut self, number: u64) {
        let digits = (64 - number.leading_zeros()).div_ceil(4).max(1);
        for digit in (0..digits).rev() {
            let [_, low] = hex_pair((number >> (4 * digit)) as u8 & 15);
            self.text(&[low]);
        }
    }

    fn decimal(&mut self, number: u64) {
        if number >= 10 {
            self.decimal(number / 10);
        }
        self.text(&[b'0' + (number % 10) as u8]);
    }

    fn flush(&mut self) {
        let Some(bytes) = self.bytes.get(..self.length).filter(|bytes| !bytes.is_empty()) else {
            return;
        };
        self.is_whole &= self.file.write(bytes).is_ok_and(|written| written == bytes.len());
        self.length = 0;
    }
}

fn hex_pair(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 15].map(|digit| if digit < 10 { b'0' + digit } else { b'a' + digit - 10 })
}
