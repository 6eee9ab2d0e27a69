//! Reading a packed recording: its index when it is opened, its blocks when they are needed.
//!
//! Memory is used for the index, 56 bytes for each block, and for one block of each thread that is being read.

use crate::bytes::{Bytes, Wrong, check_sum};
use crate::decode::Decoder;
use crate::layout::{self, BLOCK_BYTES, Block, Head, Index, Thread};
use ompttrace_recording::facts::Facts;
use ompttrace_recording::fragment::{CORE_STREAM, SAMPLE_STREAM};
use ompttrace_recording::reader::{
    Elsewhere, RecordBlocks, Source, Streams, ThreadIndex, check_devices, data, read_facts, regular,
};
use ompttrace_recording::{FORMAT_VERSION, OLDEST_VERSION, Recording, RecordingError, folder};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use zstd::bulk::Decompressor;

/// Opens the run folder at `path`, packed or not.
pub fn open(path: &Path) -> Result<Recording, RecordingError> {
    let packed = path.join(folder::PACKED);
    if packed.symlink_metadata().is_err() {
        return Recording::open(path);
    }
    let facts = read_facts(path)?;
    check_devices(path)?;
    open_packed(path, packed, facts)
}

/// Size of the packed file in a run folder, in bytes; `None` if there is none.
pub fn packed_bytes(run: &Path) -> Option<u64> {
    run.join(folder::PACKED).symlink_metadata().ok().map(|metadata| metadata.len())
}

fn open_packed(run: &Path, path: PathBuf, facts: Facts) -> Result<Recording, RecordingError> {
    let file = regular(&path).map_err(|error| RecordingError::io(&path, error))?;
    let index = read_index(&path, &file)?;
    let (cores, others): (Vec<_>, Vec<_>) = index.threads.into_iter().partition(Thread::is_cores);
    let (samples, threads): (Vec<_>, Vec<_>) = others.into_iter().partition(Thread::is_samples);
    let streams = Streams {
        threads: threads.iter().map(described).collect(),
        cores: cores.iter().map(described).collect(),
        samples: samples.iter().map(described).collect(),
    };
    let all = threads.into_iter().chain(cores).chain(samples);
    let blocks = all.map(|thread| thread.blocks).collect();
    let source = Packed { path, file, blocks, spare: Mutex::default(), fault: Mutex::default() };
    Ok(Recording::elsewhere(run, facts, (streams, index.damage), Box::new(source)))
}

fn described(thread: &Thread) -> ThreadIndex {
    let words: u64 = thread.blocks.iter().map(|block| u64::from(block.head.words)).sum();
    let elsewhere = Elsewhere { bytes: 8 * words, undecoded: thread.undecoded };
    ThreadIndex::elsewhere(
        (thread.number & !(CORE_STREAM | SAMPLE_STREAM), thread.os_thread),
        thread.clock,
        elsewhere,
    )
}

/// Reads front, trailer and index. No length is trusted that the file's own length contradicts.
pub(crate) fn read_index(path: &Path, file: &File) -> Result<Index, RecordingError> {
    let damaged = |offset, what: &str| damaged(path, offset, what);
    let io = |error| RecordingError::io(path, error);
    let length = file.metadata().map_err(io)?.len();
    let Some(end) = length.checked_sub(layout::TRAILER_BYTES).filter(|end| *end >= 16) else {
        return Err(damaged(length, "it ends too early"));
    };
    let mut front = [0; layout::FRONT_BYTES as usize];
    file.read_exact_at(&mut front, 0).map_err(io)?;
    check_front(path, &front)?;
    let mut trailer = [0; layout::TRAILER_BYTES as usize];
    file.read_exact_at(&mut trailer, end).map_err(io)?;
    let ([numbers @ .., sum, last], _) = trailer.as_chunks::<8>() else {
        return Err(damaged(end, "no trailer"));
    };
    if *last != layout::END || u64::from_le_bytes(*sum) != check_sum(numbers.as_flattened()) {
        return Err(damaged(end, "no trailer: the file is not whole"));
    }
    let number = |at: usize| numbers.get(at).map_or(0, |number| u64::from_le_bytes(*number));
    let (at, bytes, sum) = (number(0), number(1), number(2));
    if at.checked_add(bytes) != Some(end) || at < layout::FRONT_BYTES {
        return Err(damaged(end, "a trailer of another file"));
    }
    // The length of a hole bears out nothing.
    if data(file, at, end).is_none_or(|found| found != (at..end)) {
        return Err(damaged(at, "the index is not whole"));
    }
    let mut index = vec![0; bytes as usize];
    file.read_exact_at(&mut index, at).map_err(io)?;
    if check_sum(&index) != sum {
        return Err(damaged(at, "the index's check sum is wrong"));
    }
    Index::read(&index, at).map_err(|Wrong(what)| damaged(at, what))
}

fn check_front(path: &Path, front: &[u8]) -> Result<(), RecordingError> {
    let mut front = Bytes(front);
    let wrong = |Wrong(what)| damaged(path, 0, what);
    if front.take(8).map_err(wrong)? != layout::MAGIC {
        return Err(damaged(path, 0, "not a packed recording"));
    }
    for known in [1..=layout::VERSION, OLDEST_VERSION..=FORMAT_VERSION] {
        let found = front.u32().map_err(wrong)?;
        if !known.contains(&found) {
            return Err(RecordingError::Version { path: path.to_owned(), found, known });
        }
    }
    Ok(())
}

fn damaged(path: &Path, offset: u64, what: &str) -> RecordingError {
    RecordingError::Damaged { path: path.to_owned(), offset, what: what.to_owned() }
}

/// An opened packed file.
#[derive(Debug)]
struct Packed {
    path: PathBuf,
    file: File,
    /// Blocks by the position of the thread; those of core and sample streams are after the others.
    blocks: Vec<Vec<Block>>,
    /// Unpackers that are not in use: as many as there were readers at a time.
    spare: Mutex<Vec<Unpacker>>,
    fault: Mutex<Option<RecordingError>>,
}

impl Source for Packed {
    fn blocks(&self, thread: usize) -> Box<dyn RecordBlocks + '_> {
        let blocks = self.blocks.get(thread).map_or(&[][..], Vec::as_slice);
        Box::new(Blocks { packed: self, blocks: blocks.iter() })
    }

    fn last_blocks(&self, thread: usize) -> Box<dyn RecordBlocks + '_> {
        let blocks = self.blocks.get(thread).map_or(&[][..], Vec::as_slice);
        let last = blocks.split_at(blocks.len().saturating_sub(1)).1;
        Box::new(Blocks { packed: self, blocks: last.iter() })
    }

    fn check(&self) -> Result<(), RecordingError> {
        lock(&self.fault).take().map_or(Ok(()), Err)
    }
}

#[derive(Debug)]
struct Blocks<'p> {
    packed: &'p Packed,
    blocks: std::slice::Iter<'p, Block>,
}

impl RecordBlocks for Blocks<'_> {
    fn next(&mut self, words: &mut Vec<u64>) -> Option<u64> {
        let block = self.blocks.next()?;
        match self.packed.read(block, words) {
            Ok(()) => Some(block.head.near),
            Err(error) => {
                lock(&self.packed.fault).get_or_insert(error);
                self.blocks = [].iter();
                words.clear();
                None
            }
        }
    }
}

impl Packed {
    fn read(&self, block: &Block, words: &mut Vec<u64>) -> Result<(), RecordingError> {
        let io = |error| RecordingError::io(&self.path, error);
        let spare = lock(&self.spare).pop();
        let mut unpacker = spare.map_or_else(Unpacker::new, Ok).map_err(io)?;
        unpacker.packed.resize(block.packed as usize, 0);
        self.file.read_exact_at(&mut unpacker.packed, block.at).map_err(io)?;
        let read = unpacker.unpack(block, words);
        lock(&self.spare).push(unpacker);
        read.map_err(|what| damaged(&self.path, block.at, &what))
    }
}

/// Locks a mutex also after a panic: the data behind these locks are never left inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Decodes a block's bytes into records.
pub(crate) struct Unpacker {
    pub(crate) packed: Vec<u8>,
    plain: Vec<u8>,
    decompressor: Decompressor<'static>,
    decoder: Decoder,
}

impl std::fmt::Debug for Unpacker {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Unpacker")
    }
}

impl Unpacker {
    pub(crate) fn new() -> std::io::Result<Unpacker> {
        let decompressor = Decompressor::new()?;
        let (packed, plain) = (Vec::new(), Vec::new());
        Ok(Unpacker { packed, plain, decompressor, decoder: Decoder::new() })
    }

    #[cfg(test)]
    pub(crate) fn plain_capacity(&self) -> usize {
        self.plain.capacity()
    }

    /// Appends the records of the block whose bytes are in `packed` to `words`.
    pub(crate) fn unpack(&mut self, block: &Block, words: &mut Vec<u64>) -> Result<(), String> {
        let length = (block.plain as usize).min(BLOCK_BYTES);
        self.plain.resize(length, 0);
        // zstd writes no more than that, and compares its own check sum.
        let written = self.decompressor.decompress_to_buffer(&self.packed, &mut self.plain[..]);
        if written.map_err(|error| error.to_string())? != length {
            return Err("a block of another length".to_owned());
        }
        let mut bytes = Bytes(&self.plain);
        let head = Head::read(&mut bytes).map_err(|Wrong(what)| what.to_owned())?;
        if head != block.head {
            return Err("a block that the index does not know".to_owned());
        }
        self.decoder.decode(&head, bytes, words).map_err(|Wrong(what)| what.to_owned())
    }
}
