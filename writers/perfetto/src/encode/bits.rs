//! A growing set of small numbers: which keys a sequence has defined already.

/// One bit per key, as far as the highest key that was put in.
#[derive(Debug, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Puts a key in; true where it was not there.
    #[inline]
    pub(super) fn insert(&mut self, key: u32) -> bool {
        let (word, bit) = (key as usize / 64, 1 << (key % 64));
        match self.0.get(word) {
            Some(bits) if bits & bit != 0 => false,
            _ => self.insert_new(word, bit),
        }
    }

    /// Returns true if the set has a key.
    #[inline(always)]
    pub(super) fn has(&self, key: u32) -> bool {
        self.0.get(key as usize / 64).is_some_and(|bits| bits >> (key % 64) & 1 != 0)
    }

    #[cold]
    fn insert_new(&mut self, word: usize, bit: u64) -> bool {
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
        true
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn a_key_is_new_once() {
        let mut bits = Bits::default();
        for key in [0, 63, 64, 1000] {
            assert!(!bits.has(key) && bits.insert(key));
            assert!(bits.has(key) && !bits.insert(key));
        }
        assert!(bits.insert(1));
        bits.clear();
        assert!(bits.insert(64));
    }
}
