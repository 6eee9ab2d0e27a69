//! The guess from which a word is stored as a difference: a word that encoder and decoder know when they reach it.
//!
//! The known words are the last word at the same position in a record of the same code, and the last word at each
//! position in a record of any code. A task's id, for example, is in the records around it.

/// Maximum number of payload words of a record.
pub(crate) const POSITIONS: usize = ompttrace_recording::events::MAX_WORDS - 1;
/// Index of the last ticks among the known words.
pub(crate) const TICKS: usize = POSITIONS;
/// Index at which the words of single codes begin, and the number of words for each code.
const OWN: usize = 16;
/// Number of all known words.
pub(crate) const KNOWN: usize = OWN + 256 * OWN;

/// The source of a guess in a file: the word's own position, or the last word at position `n - 1`.
pub(crate) const OWN_POSITION: u8 = 0;
/// Number of sources that an encoder tries.
pub(crate) const TRIED: u8 = 4;

/// The index of the last word at that position of a code among the known words.
#[inline(always)]
pub(crate) fn own(code: u8, position: usize) -> usize {
    OWN + usize::from(code) * OWN + position
}

/// Index among the known words of a guess from this source; `None` if there is no such source.
pub(crate) fn source(source: u8, code: u8, position: usize) -> Option<usize> {
    match usize::from(source) {
        0 => Some(own(code, position)),
        other => (other <= POSITIONS).then_some(other - 1),
    }
}

/// The difference of a word from a guess. Its halves are independent, so that flags in the highest bits do not change
/// the lower ones; the sign of the low half is in its lowest bit.
#[inline(always)]
pub(crate) fn difference(word: u64, guess: u64) -> (u32, u32) {
    let low = (word as u32).wrapping_sub(guess as u32);
    let high = ((word ^ guess) >> 32) as u32;
    (low << 1 ^ ((low as i32) >> 31) as u32, high)
}

/// The low half of a difference as two's complement, from the form with the sign in the lowest bit.
#[inline(always)]
pub(crate) fn low(difference: u32) -> u32 {
    difference >> 1 ^ (difference & 1).wrapping_neg()
}

/// The word from a guess and its difference, the low half by [`low`].
#[inline(always)]
pub(crate) fn word(guess: u64, difference: u64) -> u64 {
    let low = (guess as u32).wrapping_add(difference as u32);
    (guess ^ difference) & 0xffff_ffff_0000_0000 | u64::from(low)
}
