//! A record as it is written into a buffer.

use super::number::{Number, size};

/// Size of data from which its length has the long form, in bytes.
const LONG: usize = u8::MAX as usize;

/// A record as it is written.
pub(super) struct Record<'a> {
    to: &'a mut [u8],
    used: usize,
}

impl Record<'_> {
    /// Calls `write` for the record at the begin of a buffer; returns the record's size in bytes.
    #[inline(always)]
    pub(super) fn written(to: &mut [u8], write: impl FnOnce(&mut Record<'_>)) -> usize {
        let mut record = Record { to, used: 0 };
        write(&mut record);
        record.used
    }

    /// Writes a part with data; `most` is the maximum size of the data in bytes, 0 if that is small.
    #[inline(always)]
    pub(super) fn part(&mut self, code: u8, most: usize, data: impl FnOnce(&mut Self)) {
        if most < LONG {
            self.word(u64::from(code), 2);
            let begin = self.used;
            data(self);
            self.set(begin - 1, &[(self.used - begin) as u8]);
        } else {
            self.word(u64::from(code) | u64::from(u8::MAX) << 8, 2);
            self.full(0);
            let begin = self.used;
            data(self);
            self.set(begin - 8, &((self.used - begin) as u64).to_le_bytes());
        }
    }

    /// Writes a part that is one number, without a length.
    #[inline(always)]
    pub(super) fn short_part(&mut self, code: u8, number: Number) {
        self.word(u64::from(code) | number.word() << 8, 1 + number.size());
    }

    /// Writes bytes as they are.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.set(self.used, bytes);
        self.used += bytes.len();
    }

    /// Writes the first bytes of a word.
    #[inline(always)]
    fn word(&mut self, word: u64, bytes: usize) {
        self.set(self.used, &word.to_le_bytes());
        self.used += bytes;
    }

    #[inline(always)]
    fn set(&mut self, at: usize, bytes: &[u8]) {
        if let Some(slot) = self.to.get_mut(at..at + bytes.len()) {
            slot.copy_from_slice(bytes);
        }
    }

    /// Writes a byte as it is.
    #[inline(always)]
    pub(super) fn byte(&mut self, byte: u8) {
        self.set(self.used, &[byte]);
        self.used += 1;
    }

    /// Writes eight bytes as they are.
    #[inline(always)]
    pub(super) fn full(&mut self, value: u64) {
        self.set(self.used, &value.to_le_bytes());
        self.used += 8;
    }

    /// Writes a number of 32 bits; the largest one means "undefined".
    #[inline(always)]
    pub(super) fn number(&mut self, value: u32) {
        let number = Number::new(value);
        self.word(number.word(), number.size());
    }

    /// Writes a number of 64 bits.
    #[inline(always)]
    pub(super) fn long(&mut self, value: u64) {
        let bytes = if value == u64::MAX { 0 } else { size(value) };
        self.byte(if value == u64::MAX { u8::MAX } else { bytes as u8 });
        self.word(value, bytes as usize);
    }
}
