//! Fragments: what one thread's records look like in an `events.<n>` file.

/// Bytes of a fragment's header.
pub const HEADER_BYTES: usize = 64;
/// The first word of a fragment.
pub const MAGIC: u64 = u64::from_le_bytes(*b"OMPTFRAG");

/// The header of a fragment: whose bytes follow, and a clock pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentHeader {
    /// The recording's session (1 for the first).
    pub session: u32,
    /// Our number of the thread.
    pub thread: u32,
    /// The thread's chunk, counted from 1.
    pub chunk: u64,
    /// Where in the chunk these bytes begin.
    pub offset: u32,
    /// How many bytes of records follow.
    pub bytes: u32,
    /// The kernel's id of the thread.
    pub os_thread: u32,
    /// Clock ticks when the header was made.
    pub ticks: u64,
    /// CLOCK_MONOTONIC, nanoseconds, at `ticks`.
    pub monotonic: u64,
}

impl FragmentHeader {
    /// The header as eight words.
    #[allow(clippy::indexing_slicing, reason = "a constant index of an array of eight")]
    pub const fn to_words(&self) -> [u64; 8] {
        let mut words = [
            MAGIC,
            self.session as u64 | (self.thread as u64) << 32,
            self.chunk,
            self.offset as u64 | (self.bytes as u64) << 32,
            self.ticks,
            self.monotonic,
            self.os_thread as u64,
            0,
        ];
        words[7] = check_sum(&words);
        words
    }

    /// The header at the start of `bytes`, if a whole and sound one is there.
    pub fn parse(bytes: &[u8]) -> Option<FragmentHeader> {
        let (chunks, _) = bytes.get(..HEADER_BYTES)?.as_chunks::<8>();
        let words: &[[u8; 8]; 8] = chunks.try_into().ok()?;
        let words = words.map(u64::from_ne_bytes);
        let [magic, who, chunk, range, ticks, monotonic, os_thread, sum] = words;
        if magic != MAGIC || sum != check_sum(&words) {
            return None;
        }
        Some(FragmentHeader {
            session: who as u32,
            thread: (who >> 32) as u32,
            chunk,
            offset: range as u32,
            bytes: (range >> 32) as u32,
            os_thread: os_thread as u32,
            ticks,
            monotonic,
        })
    }
}

/// A mix of the first seven words: enough to tell a header from event bytes that look like one.
#[allow(clippy::indexing_slicing, reason = "the indices are below the array's length")]
const fn check_sum(words: &[u64; 8]) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325u64;
    let mut at = 0;
    while at < 7 {
        sum = (sum ^ words[at]).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum ^= sum >> 29;
        at += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_a_changed_one_does_not() {
        let header = FragmentHeader {
            session: 1,
            thread: 4,
            chunk: 77,
            offset: 128,
            bytes: 4096,
            os_thread: 4711,
            ticks: u64::MAX - 3,
            monotonic: 12,
        };
        let mut bytes: Vec<u8> = header.to_words().iter().flat_map(|w| w.to_ne_bytes()).collect();
        assert_eq!(FragmentHeader::parse(&bytes), Some(header));
        for at in 0..HEADER_BYTES {
            bytes[at] ^= 1;
            assert_eq!(FragmentHeader::parse(&bytes), None, "byte {at} changed");
            bytes[at] ^= 1;
        }
        assert_eq!(FragmentHeader::parse(&bytes[..HEADER_BYTES - 1]), None);
    }
}
