//! Fragments: what one thread's records look like in an `events.<n>` file.
//!
//! The writer gives each fragment an *area* of whole blocks, which the file system takes at less than
//! half the cost of bytes that begin anywhere. The word after its records repeats the header's check
//! sum: where it is missing the writer was stopped. Area 0 stands for a fragment that has no such
//! word and ends where its records do.

/// Bytes of a fragment's header.
pub const HEADER_BYTES: usize = 64;
/// The first word of a fragment.
pub const MAGIC: u64 = u64::from_le_bytes(*b"OMPTFRAG");
/// Bytes of an area that hold no records: the header and the word after the records.
pub const AROUND: usize = HEADER_BYTES + 8;

/// Set in a header's thread if the records are the thread's core stream: the times at which it had a core, according
/// to the kernel.
pub const CORE_STREAM: u32 = 1 << 31;
/// Set in a header's thread if the records are the thread's sample stream: its activity at regular intervals.
pub const SAMPLE_STREAM: u32 = 1 << 30;

/// Size in bytes of which areas are multiples, whatever a page is on the machine: the unit in which file systems write.
pub const AREA_UNIT: usize = 4096;

/// Bytes of the area for a fragment with this many bytes of records.
pub const fn area_bytes(records: usize) -> usize {
    (AROUND + records).next_multiple_of(AREA_UNIT)
}

/// The header of a fragment: whose bytes follow, and a clock pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentHeader {
    /// The recording's session (1 for the first).
    pub session: u32,
    /// Our number of the thread, with [`CORE_STREAM`] where these are records of its cores, [`SAMPLE_STREAM`] where they
    /// are its samples.
    pub thread: u32,
    /// The thread's chunk, counted from 1.
    pub chunk: u64,
    /// Offset of these bytes in the chunk.
    pub offset: u32,
    /// Number of bytes of records that follow.
    pub bytes: u32,
    /// The kernel's id of the thread.
    pub os_thread: u32,
    /// Clock ticks when the header was made.
    pub ticks: u64,
    /// CLOCK_MONOTONIC, nanoseconds, at `ticks`.
    pub monotonic: u64,
}

impl FragmentHeader {
    /// The header as eight words, of a fragment that ends where its records do.
    pub const fn to_words(&self) -> [u64; 8] {
        self.to_words_in(0)
    }

    /// The header as eight words, of a fragment in an area of this many bytes.
    #[allow(clippy::indexing_slicing, reason = "a constant index of an array of eight")]
    pub const fn to_words_in(&self, area: u32) -> [u64; 8] {
        let mut words = [
            MAGIC,
            self.session as u64 | (self.thread as u64) << 32,
            self.chunk,
            self.offset as u64 | (self.bytes as u64) << 32,
            self.ticks,
            self.monotonic,
            self.os_thread as u64 | (area as u64) << 32,
            0,
        ];
        words[7] = check_sum(words.split_at(7).0);
        words
    }

    /// The word after the records of a fragment in an area of this many bytes.
    #[allow(clippy::indexing_slicing, reason = "a constant index of an array of eight")]
    pub const fn mark(&self, area: u32) -> u64 {
        self.to_words_in(area)[7]
    }

    /// The header at the start of `bytes`, if a whole and sound one is there, and the bytes of the
    /// fragment's area.
    pub fn parse(bytes: &[u8]) -> Option<(FragmentHeader, u32)> {
        let (chunks, _) = bytes.get(..HEADER_BYTES)?.as_chunks::<8>();
        let words: &[[u8; 8]; 8] = chunks.try_into().ok()?;
        let words = words.map(u64::from_ne_bytes);
        let [magic, who, chunk, range, ticks, monotonic, last, sum] = words;
        if magic != MAGIC || sum != check_sum(words.split_at(7).0) {
            return None;
        }
        let header = FragmentHeader {
            session: who as u32,
            thread: (who >> 32) as u32,
            chunk,
            offset: range as u32,
            bytes: (range >> 32) as u32,
            os_thread: last as u32,
            ticks,
            monotonic,
        };
        Some((header, (last >> 32) as u32))
    }
}

/// A mix of words: enough to distinguish a header from event bytes that look like one.
pub(crate) const fn check_sum(words: &[u64]) -> u64 {
    check_sum_from(0xcbf2_9ce4_8422_2325, words)
}

/// Continues a check sum with further words.
#[allow(clippy::indexing_slicing, reason = "the indices are below the slice's length")]
pub(crate) const fn check_sum_from(mut sum: u64, words: &[u64]) -> u64 {
    let mut at = 0;
    while at < words.len() {
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
        let words = header.to_words_in(area_bytes(4096) as u32);
        let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
        assert_eq!(FragmentHeader::parse(&bytes), Some((header, 8192)));
        for at in 0..HEADER_BYTES {
            bytes[at] ^= 1;
            assert_eq!(FragmentHeader::parse(&bytes), None, "byte {at} changed");
            bytes[at] ^= 1;
        }
        assert_eq!(FragmentHeader::parse(&bytes[..HEADER_BYTES - 1]), None);
    }
}
