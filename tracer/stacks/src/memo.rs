//! Remembered walks, each with every word of the stack that it read.
//!
//! A walk is determined by the registers with which it begins, the tables, and the words that it reads. If all of
//! these are unchanged, so are its frames, and to compare them costs a tenth of unwinding.

use crate::memory::Bounds;
use crate::registers::Start;
use crate::walk::{End, Walked};

/// Number of walks that are kept, found by their start.
const SLOTS: usize = 32;
/// Maximum number of words and of frames of a walk that is kept.
const WORDS: usize = 96;
const FRAMES: usize = 48;

/// Parameters that determine a walk, besides the content of the stack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) start: Start,
    pub(crate) code: u64,
    pub(crate) exit: u64,
    pub(crate) wanted: usize,
    /// Value of [`crate::known::changes`] at the walk.
    pub(crate) changes: usize,
}

/// A remembered walk.
#[derive(Clone)]
pub(crate) struct Memo {
    /// Parameters and result of the walk; `None` in a slot without one.
    of: Option<(Key, Walked)>,
    words: [(u64, u64); WORDS],
    read: usize,
    frames: [u64; FRAMES],
}

/// Slots for remembered walks, as many as one thread's regions and tasks may need.
pub(crate) struct Memos(Vec<Memo>);

impl Memos {
    pub(crate) fn new() -> Memos {
        let none = Memo { of: None, words: [(0, 0); WORDS], read: 0, frames: [0; FRAMES] };
        Memos(vec![none; SLOTS])
    }

    /// The slot for walks with these parameters.
    pub(crate) fn slot(&mut self, key: &Key) -> Option<&mut Memo> {
        let (pc, sp) = (key.start.pc, key.start.registers.sp());
        let mixed = (pc ^ sp.rotate_left(16)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The upper bits depend on all others.
        self.0.get_mut((mixed >> 48) as usize % SLOTS)
    }
}

impl Memo {
    /// Returns the result of the walk for the same parameters, if no word that it would read has changed.
    pub(crate) fn again(&self, key: &Key, bounds: Bounds, frames: &mut [u64]) -> Option<Walked> {
        let (_, walked) = self.of.filter(|(of, _)| of == key)?;
        let mut words = self.words.get(..self.read)?.iter();
        if !words.all(|(address, word)| bounds.word(*address) == Some(*word)) {
            return None;
        }
        let kept = self.frames.get(..walked.frames)?;
        frames.get_mut(..walked.frames)?.copy_from_slice(kept);
        Some(walked)
    }

    /// Clears the slot for another walk.
    pub(crate) fn forget(&mut self) {
        (self.of, self.read) = (None, 0);
    }

    /// Remembers a word that the walk has read.
    pub(crate) fn note(&mut self, address: u64, word: u64) {
        if let Some(slot) = self.words.get_mut(self.read) {
            *slot = (address, word);
        }
        self.read += 1;
    }

    /// Keeps the walk, which has ended. One whose caller was not found is not kept: a module may be known the next
    /// time.
    pub(crate) fn keep(&mut self, key: &Key, walked: Walked, found: &[u64]) {
        let room = self.frames.get_mut(..walked.frames);
        let (Some(room), Some(found)) = (room, found.get(..walked.frames)) else { return };
        if self.read <= WORDS && walked.end != End::Broken {
            room.copy_from_slice(found);
            self.of = Some((*key, walked));
        }
    }
}
