//! The bytes of `events.packed` around its blocks, as drawn in FORMAT.md.

use crate::bytes::{Bytes, Wrong, check_sum};
use ompttrace_recording::facts::ClockPair;
use ompttrace_recording::fragment::{CORE_STREAM, SAMPLE_STREAM};
use ompttrace_recording::reader::Damage;

/// The first bytes of a packed file.
pub(crate) const MAGIC: [u8; 8] = *b"OMPTPACK";
/// The last bytes of a complete packed file.
pub(crate) const END: [u8; 8] = *b"OMPTPEND";
/// Version of the format of everything that this crate writes.
pub(crate) const VERSION: u32 = 1;
/// Size of the front in bytes, before the first block: magic, version, format of the records.
pub(crate) const FRONT_BYTES: u64 = 16;
/// Size of the trailer in bytes, after the index: the index's offset, length and check sum, their own check sum,
/// [`END`].
pub(crate) const TRAILER_BYTES: u64 = 40;
/// Maximum number of words in a block's records, which a reader has in memory for each thread.
pub(crate) const BLOCK_WORDS: usize = 1 << 16;
/// Maximum number of words in a block if there are very many threads: smaller ones compress badly.
const FEWEST_WORDS: usize = 1 << 12;
/// Number of words that a reader of all threads has in memory (32 MiB), unless blocks would be too small.
const READER_WORDS: usize = 1 << 22;
/// Maximum size of a block in bytes, before compression and after: no columns of that many words are larger.
pub(crate) const BLOCK_BYTES: usize = 16 * BLOCK_WORDS;

/// Maximum number of words in a block of a recording with this many threads.
pub(crate) fn block_words(threads: usize) -> usize {
    (READER_WORDS / threads.max(1)).clamp(FEWEST_WORDS, BLOCK_WORDS)
}

/// Properties of a block, which stand in the block and in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// The tool's number of the thread.
    pub(crate) thread: u32,
    /// Number of the block among the thread's.
    pub(crate) number: u32,
    pub(crate) records: u32,
    pub(crate) words: u32,
    /// Full clock ticks, less than 2^55 away from the ticks of every record.
    pub(crate) near: u64,
}

impl Head {
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let halves = [self.thread, self.number, self.records, self.words];
        let mut bytes: Vec<u8> = halves.into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.extend(self.near.to_le_bytes());
        bytes
    }

    pub(crate) fn read(bytes: &mut Bytes<'_>) -> Result<Head, Wrong> {
        Ok(Head {
            thread: bytes.u32()?,
            number: bytes.u32()?,
            records: bytes.u32()?,
            words: bytes.u32()?,
            near: bytes.u64()?,
        })
    }

    fn is_possible(&self) -> bool {
        self.records <= self.words && self.words as usize <= BLOCK_WORDS
    }
}

/// A block in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    /// Offset of the block in the file: it begins where the block before it ends.
    pub(crate) at: u64,
    /// Size of the block in the file, in bytes.
    pub(crate) packed: u32,
    /// Size of the block before compression, in bytes.
    pub(crate) plain: u32,
    pub(crate) head: Head,
    /// First and last ticks of the block's records, for seeking by time.
    pub(crate) span: (u64, u64),
}

/// A thread in the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Thread {
    /// Number of the thread, with [`CORE_STREAM`] if the records are those of its cores, with [`SAMPLE_STREAM`] if
    /// they are its samples.
    pub(crate) number: u32,
    pub(crate) os_thread: u32,
    pub(crate) clock: Option<(ClockPair, ClockPair)>,
    /// Number of bytes that could not be decoded to known records, which are not in the file.
    pub(crate) undecoded: u64,
    pub(crate) blocks: Vec<Block>,
}

/// Content of a packed file after the blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    pub(crate) damage: Damage,
    pub(crate) threads: Vec<Thread>,
}

/// Bits of the last word of damage, and the position of the number of gaps in it.
const POOL_REFUSED: u64 = 1;
const POOL_MISSING: u64 = 2;
const SHORT: u64 = 4;
const GAPS_SHIFT: u32 = 8;

fn flags(damage: Damage) -> u64 {
    let bit = |set, bit| if set { bit } else { 0 };
    let of_pool = bit(damage.pool_refused, POOL_REFUSED) | bit(damage.pool_missing, POOL_MISSING);
    of_pool | bit(damage.short, SHORT) | damage.gaps << GAPS_SHIFT
}

impl Index {
    /// The index and the trailer, for an index that begins at `at`.
    pub(crate) fn to_bytes(&self, at: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let Damage { unreadable, torn, missing, from_pool, .. } = self.damage;
        put(&mut bytes, &[unreadable, torn, missing, from_pool, flags(self.damage)]);
        put(&mut bytes, &[self.threads.len() as u64]);
        for thread in &self.threads {
            thread.put(&mut bytes);
        }
        let mut trailer = Vec::new();
        put(&mut trailer, &[at, bytes.len() as u64, check_sum(&bytes)]);
        let sum = check_sum(&trailer);
        put(&mut trailer, &[sum]);
        bytes.extend(trailer);
        bytes.extend(END);
        bytes
    }

    /// Reads the index, which begins at offset `end`, where the blocks end.
    pub(crate) fn read(bytes: &[u8], end: u64) -> Result<Index, Wrong> {
        let mut bytes = Bytes(bytes);
        let mut damage = Damage {
            unreadable: bytes.u64()?,
            torn: bytes.u64()?,
            missing: bytes.u64()?,
            from_pool: bytes.u64()?,
            ..Damage::default()
        };
        let flags = bytes.u64()?;
        damage.pool_refused = flags & POOL_REFUSED != 0;
        damage.pool_missing = flags & POOL_MISSING != 0;
        damage.short = flags & SHORT != 0;
        damage.gaps = flags >> GAPS_SHIFT;
        let (count, mut at) = (bytes.u64()?, FRONT_BYTES);
        let mut threads = Vec::new();
        for _ in 0..count {
            threads.push(Thread::read(&mut bytes, &mut at)?);
        }
        match (bytes.0.is_empty(), at == end) {
            (true, true) => Ok(Index { damage, threads }),
            (false, _) => Err(Wrong("the index is longer than its threads")),
            (_, false) => Err(Wrong("the index's blocks are not the file's")),
        }
    }
}

impl Thread {
    /// True if this is a core stream.
    pub(crate) fn is_cores(&self) -> bool {
        self.number & CORE_STREAM != 0
    }

    /// True if this is a sample stream.
    pub(crate) fn is_samples(&self) -> bool {
        self.number & SAMPLE_STREAM != 0
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        put(bytes, &[u64::from(self.number) | u64::from(self.os_thread) << 32]);
        let (first, last) = self.clock.unwrap_or_default();
        put(bytes, &[u64::from(self.clock.is_some())]);
        put(bytes, &[first.ticks, first.monotonic, last.ticks, last.monotonic]);
        put(bytes, &[self.undecoded, self.blocks.len() as u64]);
        for Block { packed, plain, head, span, .. } in &self.blocks {
            put(bytes, &[u64::from(*packed) | u64::from(*plain) << 32]);
            put(bytes, &[u64::from(head.records) | u64::from(head.words) << 32]);
            put(bytes, &[head.near, span.0, span.1]);
        }
    }

    fn read(bytes: &mut Bytes<'_>, at: &mut u64) -> Result<Thread, Wrong> {
        let mut thread =
            Thread { number: bytes.u32()?, os_thread: bytes.u32()?, ..Thread::default() };
        let has_clock = bytes.u64()? != 0;
        let mut pair = || Ok(ClockPair { ticks: bytes.u64()?, monotonic: bytes.u64()? });
        let clock = (pair()?, pair()?);
        thread.clock = has_clock.then_some(clock);
        thread.undecoded = bytes.u64()?;
        let count = bytes.u64()?;
        for number in 0..count {
            let number = u32::try_from(number).map_err(|_| Wrong("too many blocks"))?;
            let block = Block::read(bytes, (thread.number, number), *at)?;
            *at = at.saturating_add(u64::from(block.packed));
            thread.blocks.push(block);
        }
        Ok(thread)
    }
}

impl Block {
    fn read(bytes: &mut Bytes<'_>, (thread, number): (u32, u32), at: u64) -> Result<Block, Wrong> {
        let (packed, plain) = (bytes.u32()?, bytes.u32()?);
        let (records, words) = (bytes.u32()?, bytes.u32()?);
        let head = Head { thread, number, records, words, near: bytes.u64()? };
        let block = Block { at, packed, plain, head, span: (bytes.u64()?, bytes.u64()?) };
        let fits = packed.max(plain) as usize <= BLOCK_BYTES;
        match fits && head.is_possible() {
            true => Ok(block),
            false => Err(Wrong("a block larger than any")),
        }
    }
}

fn put(bytes: &mut Vec<u8>, words: &[u64]) {
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}
