//! Numbers as records have them: in as few bytes as they need, after a byte with their count.

/// Maximum size of an encoded number of 32 bits and, below, of 64 bits, in bytes.
pub(super) const NUMBER: usize = 5;
pub(super) const LONG: usize = 9;

/// A number of 32 bits in its encoded form, for what many events name. The largest number means "undefined".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number(u64);

/// Position in the word of the number of encoded bytes, which take the positions below.
const SIZE: u32 = 56;

impl Number {
    #[inline(always)]
    pub(crate) const fn new(value: u32) -> Number {
        if value == u32::MAX {
            return Number(u8::MAX as u64 | 1 << SIZE);
        }
        let bytes = size(value as u64);
        Number(bytes | (value as u64) << 8 | (1 + bytes) << SIZE)
    }

    /// A word that begins with the encoded bytes; its last byte is another one.
    #[inline(always)]
    pub(super) const fn word(self) -> u64 {
        self.0
    }

    /// Number of encoded bytes: at most 5.
    #[inline(always)]
    pub(super) const fn size(self) -> usize {
        (self.0 >> SIZE) as usize & 7
    }
}

impl Default for Number {
    fn default() -> Number {
        Number::new(0)
    }
}

/// Number of bytes that a number needs, without their count.
#[inline(always)]
pub(super) const fn size(value: u64) -> u64 {
    ((value | 1).ilog2() / 8) as u64 + (value != 0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_takes_as_few_bytes_as_it_needs() {
        let encoded = |value| {
            let number = Number::new(value);
            number.word().to_le_bytes()[..number.size()].to_vec()
        };
        assert_eq!(encoded(0), [0]);
        assert_eq!(encoded(255), [1, 255]);
        assert_eq!(encoded(70_000), [3, 0x70, 0x11, 0x01]);
        assert_eq!(encoded(u32::MAX - 1), [4, 254, 255, 255, 255]);
        assert_eq!(encoded(u32::MAX), [255]);
        assert_eq!(Number::default(), Number::new(0));
    }
}
