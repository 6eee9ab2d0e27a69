//! Bytes of a packed file, read one after the other: missing bytes are an error, never a panic.

/// Error of reading bytes, with a description of the defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wrong(pub(crate) &'static str);

/// The rest of some bytes, which were read up to here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'b>(pub(crate) &'b [u8]);

impl<'b> Bytes<'b> {
    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'b [u8], Wrong> {
        let (now, rest) = self.0.split_at_checked(count).ok_or(Wrong("it ends too early"))?;
        self.0 = rest;
        Ok(now)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Wrong> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Wrong> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Wrong> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Wrong> {
        self.array().map(u64::from_le_bytes)
    }
}

/// Check sum of all bytes, which is sufficient to detect accidental changes.
pub(crate) fn check_sum(bytes: &[u8]) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325u64 ^ bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    for word in words.iter().chain([&last]) {
        sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum ^= sum >> 29;
    }
    sum
}
