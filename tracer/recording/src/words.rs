//! The three shapes of a payload word and the header word of a record, as packing functions.
//!
//! Each shape is a module with `pack` and `unpack`, so that the table of events can name it.

/// Low bits of a code word that hold the kind of an event.
pub const KIND_BITS: u32 = 14;
/// Set in a kind when the code address is the start of an outlined function, not a return address.
pub const KIND_FUNCTION: u64 = 1 << 14;
/// Set in a kind when the source inferred the event instead of observing it.
pub const KIND_INFERRED: u64 = 1 << 15;
/// Set in the flags of an implicit task that the source inferred: above OMPT's 32 bits.
pub const FLAG_INFERRED: u64 = 1 << 32;
/// Mask of the enumerator within a kind.
pub const KIND_MASK: u64 = (1 << KIND_BITS) - 1;

/// A whole 64-bit value.
#[allow(non_snake_case)]
pub mod Word {
    /// The value itself.
    #[inline(always)]
    pub const fn pack(value: u64) -> u64 {
        value
    }
    /// The value itself.
    #[inline(always)]
    pub const fn unpack(word: u64) -> u64 {
        word
    }
    /// Stores the value.
    #[inline(always)]
    pub fn store(slot: &mut impl super::Store, index: usize, value: u64) {
        slot.word(index, value);
    }
}

/// Two 32-bit values: the first in the low half.
#[allow(non_snake_case)]
pub mod Halves {
    /// Higher bits of either value are cut.
    #[inline(always)]
    pub const fn pack(low: u64, high: u64) -> u64 {
        (low & 0xffff_ffff) | (high << 32)
    }
    /// Both values, zero-extended.
    #[inline(always)]
    pub const fn unpack(word: u64) -> (u64, u64) {
        (word & 0xffff_ffff, word >> 32)
    }
    /// Stores what [`pack`] gives.
    #[inline(always)]
    pub fn store(slot: &mut impl super::Store, index: usize, low: u64, high: u64) {
        slot.halves(index, low, high);
    }
}

/// A 48-bit code address and above it a 16-bit kind with its two marks.
#[allow(non_snake_case)]
pub mod At {
    use super::Store;

    const CODE_MASK: u64 = (1 << 48) - 1;

    /// Address bits above 47 and kind bits above 15 are cut.
    #[inline(always)]
    pub const fn pack(code: u64, kind: u64) -> u64 {
        (code & CODE_MASK) | (kind << 48)
    }
    /// The address and the kind.
    #[inline(always)]
    pub const fn unpack(word: u64) -> (u64, u64) {
        (word & CODE_MASK, word >> 48)
    }
    /// Stores what [`pack`] gives.
    #[inline(always)]
    pub fn store(slot: &mut impl Store, index: usize, code: u64, kind: u64) {
        slot.at(index, code, kind);
    }
}

/// The destination of a record's words, for writers that are faster with parts of words than with whole ones: each
/// method stores one word, by its number in the payload, as its shape packs it.
pub trait Store {
    /// Stores a word of the shape [`Word`].
    fn word(&mut self, index: usize, value: u64);
    /// Stores a word of the shape [`Halves`].
    fn halves(&mut self, index: usize, low: u64, high: u64);
    /// Stores a word of the shape [`At`].
    fn at(&mut self, index: usize, code: u64, kind: u64);
}

/// A record's payload.
pub trait Payload {
    /// Number of the payload's words.
    const WORDS: usize;
    /// Stores all words of the payload.
    fn store(&self, slot: &mut impl Store);
}

impl<const N: usize> Payload for [u64; N] {
    const WORDS: usize = N;
    #[inline(always)]
    fn store(&self, slot: &mut impl Store) {
        for (index, word) in self.iter().enumerate() {
            slot.word(index, *word);
        }
    }
}

/// Bits of the clock that a header word keeps.
const TICKS_MASK: u64 = (1 << 56) - 1;

/// The header word: clock ticks and, in its top byte, the event's code.
#[inline(always)]
pub const fn header(ticks: u64, code: u8) -> u64 {
    (ticks & TICKS_MASK) | (code as u64) << 56
}

/// The low 56 bits of the clock, from a header word.
#[inline(always)]
pub const fn header_ticks(word: u64) -> u64 {
    word & TICKS_MASK
}

/// The event's code, from a header word.
#[inline(always)]
pub const fn header_code(word: u64) -> u8 {
    (word >> 56) as u8
}

/// Full clock ticks from their low 56 bits and any full stamp less than 2^55 ticks away.
#[inline(always)]
pub const fn unwrap_ticks(low56: u64, near: u64) -> u64 {
    let distance = low56.wrapping_sub(near) << 8;
    near.wrapping_add(((distance as i64) >> 8) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_return_what_went_in() {
        assert_eq!(Halves::unpack(Halves::pack(0xffff_ffff, 7)), (0xffff_ffff, 7));
        assert_eq!(At::unpack(At::pack(0x7fff_1234_5678, 0x8003)), (0x7fff_1234_5678, 0x8003));
    }

    #[test]
    fn ticks_unwrap_on_both_sides_of_a_wrap() {
        let near = (1 << 56) - 10;
        for full in [near - 5, near, near + 9, near + 10, near + 1_000_000] {
            assert_eq!(unwrap_ticks(header_ticks(header(full, 3)), near), full);
        }
        assert_eq!(unwrap_ticks(header_ticks(header(near - 5, 3)), near + 100), near - 5);
    }
}
