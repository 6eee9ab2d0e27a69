//! Packing on several cores: the calling thread reads the next block of records, a free thread packs it, and blocks
//! are written to the file in their order, so that the same recording gives the same bytes.
//!
//! Every block is read back and compared before it is written, because the original will be removed.

use crate::encode::Encoder;
use crate::in_folder::Options;
use crate::layout::{self, Block, Head, Index, Thread};
use crate::open::Unpacker;
use ompttrace_recording::events::{MAX_WORDS, Record};
use ompttrace_recording::reader::Stream;
use ompttrace_recording::{FORMAT_VERSION, Recording, short, words};
use ompttrace_workers::{InOrder, Workers};
use std::io::{self, Write};
use zstd::bulk::Compressor;

/// Number of blocks for each thread that packs: one in work, and one that waits.
const EACH: usize = 2;

/// Writes `recording` to `to`; now and then `watch` is called with the bytes of records that are written, and of all
/// records.
pub(crate) fn pack(
    recording: &Recording,
    to: &mut impl Write,
    Options { level, jobs, .. }: Options,
    watch: impl FnMut(u64, u64),
) -> io::Result<Sums> {
    to.write_all(&layout::MAGIC)?;
    to.write_all(&layout::VERSION.to_le_bytes())?;
    to.write_all(&FORMAT_VERSION.to_le_bytes())?;
    let known = (0..recording.streams()).filter_map(|position| recording.known(position));
    let all = known.map(|(known, _)| known.bytes()).sum();
    // While others pack, the calling thread reads and writes.
    let packers = if jobs.get() == 1 { 0 } else { jobs.get() };
    let packers = Workers::new("pack", packers, move || {
        let mut packer = None;
        move |job| match &mut packer {
            Some(packer) => Packer::pack(packer, job),
            none => none.insert(Packer::new(level)?).pack(job),
        }
    });
    let mut packed = InOrder::new(&packers, EACH);
    let mut written = Written::new(to, watch, all);
    let mut feed = Feed::new(recording);
    while let Some(job) = feed.next(std::mem::take(&mut written.spent)) {
        packed.put(job).map_or(Ok(()), |block| written.put(block?))?;
    }
    packed.try_for_each(|block| written.put(block?))?;
    finish(recording, feed.threads, written)
}

fn finish<W: Write, F>(
    recording: &Recording,
    mut threads: Vec<Thread>,
    written: Written<'_, W, F>,
) -> io::Result<Sums> {
    for (thread, block) in written.blocks {
        if let Some(thread) = threads.get_mut(thread) {
            thread.blocks.push(block);
        }
    }
    let index = Index { damage: recording.damage, threads }.to_bytes(written.at);
    written.to.write_all(&index)?;
    Ok(Sums { bytes: written.at + index.len() as u64, ..written.sums })
}

/// Numbers of records, events and bytes that were packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) records: u64,
    /// Number of records that are the interface's own events.
    pub(crate) events: u64,
    pub(crate) bytes: u64,
}

/// Iterates over the records of all threads, a block at a time, in order.
struct Feed<'r> {
    recording: &'r Recording,
    stream: Option<Stream<'r>>,
    threads: Vec<Thread>,
    /// Number of blocks so far of the thread that is being read.
    of_thread: u32,
}

/// A block that must be packed.
struct Job {
    records: Vec<u64>,
    /// Position of the block's thread.
    thread: usize,
    head: Head,
    span: (u64, u64),
    /// Number of records that are the interface's own events.
    events: u64,
}

impl<'r> Feed<'r> {
    fn new(recording: &'r Recording) -> Feed<'r> {
        Feed { recording, stream: None, threads: Vec::new(), of_thread: 0 }
    }

    /// The next block, which uses the empty vector `records`; `None` if there are no more.
    fn next(&mut self, records: Vec<u64>) -> Option<Job> {
        loop {
            let position = self.threads.len();
            let (known, number) = self.recording.known(position)?;
            let stream = self.stream.get_or_insert_with(|| self.recording.stream_at(position));
            let Some(near) = stream.next_ticks() else {
                self.threads.push(Thread {
                    number,
                    os_thread: known.os_thread,
                    clock: known.clock,
                    undecoded: stream.undecoded(),
                    blocks: Vec::new(),
                });
                (self.stream, self.of_thread) = (None, 0);
                continue;
            };
            let mut job = Job {
                records,
                thread: position,
                head: Head { thread: number, number: self.of_thread, near, ..Head::default() },
                span: (near, near),
                events: 0,
            };
            let words = layout::block_words(self.recording.streams());
            fill(stream, &mut job, words);
            self.of_thread += 1;
            return Some(job);
        }
    }
}

/// Takes records while they fit into the block, and while their full ticks follow from `near`.
fn fill(stream: &mut Stream<'_>, job: &mut Job, most: usize) {
    let near = job.head.near;
    while let Some(ticks) = stream.next_ticks() {
        let unwrapped = words::unwrap_ticks(words::header_ticks(ticks), near);
        if job.records.len() + MAX_WORDS > most || unwrapped != ticks {
            break;
        }
        job.span = (job.span.0.min(ticks), job.span.1.max(ticks));
        job.head.records += 1;
        stream.take_stored(|Record { ticks, code, words }| {
            job.events += u64::from(short::event_code(code).is_of_program());
            job.records.push(words::header(ticks, code.0));
            job.records.extend_from_slice(words);
        });
    }
    job.head.words = job.records.len() as u32;
}

/// Memory and state with which one thread packs.
struct Packer {
    encoder: Encoder,
    compressor: Compressor<'static>,
    unpacker: Unpacker,
    again: Vec<u64>,
    plain: Vec<u8>,
}

/// A block as it is written to the file, with the records that it contains.
struct PackedBlock {
    job: Job,
    block: Block,
    bytes: Vec<u8>,
}

impl Packer {
    fn new(level: i32) -> io::Result<Packer> {
        let mut compressor = Compressor::new(level)?;
        compressor.include_checksum(true)?;
        Ok(Packer {
            encoder: Encoder::new(),
            compressor,
            unpacker: Unpacker::new()?,
            again: Vec::new(),
            plain: Vec::new(),
        })
    }

    /// Packs records, and verifies that they are read back unchanged.
    fn pack(&mut self, job: Job) -> io::Result<PackedBlock> {
        self.plain.clear();
        self.encoder.encode(&job.head, &job.records, &mut self.plain);
        let packed = &mut self.unpacker.packed;
        packed.resize(zstd::zstd_safe::compress_bound(self.plain.len()), 0);
        let length = self.compressor.compress_to_buffer(&self.plain, &mut packed[..])?;
        packed.truncate(length);
        let (packed, plain) = (length as u32, self.plain.len() as u32);
        let block = Block { at: 0, packed, plain, head: job.head, span: job.span };
        self.again.clear();
        let read = self.unpacker.unpack(&block, &mut self.again);
        if read.is_err() || self.again != job.records {
            return Err(io::Error::other("a packed block does not read as what it was made of"));
        }
        Ok(PackedBlock { job, block, bytes: self.unpacker.packed.clone() })
    }
}

/// The file that is written, with its index and its sums.
struct Written<'o, W, F> {
    to: &'o mut W,
    at: u64,
    /// Blocks that were written, each with the position of its thread.
    blocks: Vec<(usize, Block)>,
    sums: Sums,
    watch: F,
    done: u64,
    all: u64,
    /// Memory of the last block's records, empty, for the next block.
    spent: Vec<u64>,
}

impl<'o, W: Write, F: FnMut(u64, u64)> Written<'o, W, F> {
    fn new(to: &'o mut W, watch: F, all: u64) -> Self {
        let (at, sums) = (layout::FRONT_BYTES, Sums::default());
        Written { to, at, blocks: Vec::new(), sums, watch, done: 0, all, spent: Vec::new() }
    }

    /// Writes the next block.
    fn put(&mut self, PackedBlock { job, block, bytes }: PackedBlock) -> io::Result<()> {
        self.to.write_all(&bytes)?;
        self.blocks.push((job.thread, Block { at: self.at, ..block }));
        self.at += u64::from(block.packed);
        self.sums.records += u64::from(block.head.records);
        self.sums.events += job.events;
        self.done += 8 * u64::from(block.head.words);
        (self.watch)(self.done, self.all);
        self.spent = job.records;
        self.spent.clear();
        Ok(())
    }
}
