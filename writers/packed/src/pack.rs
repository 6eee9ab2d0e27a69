//! Packing on several cores: a free thread takes the next block of records, and blocks are written to the file in
//! their order, so that the same recording gives the same bytes.
//!
//! Every block is read back and compared before it is written: what it stands for will be removed.

use crate::encode::Encoder;
use crate::in_folder::Options;
use crate::layout::{self, Block, Head, Index, Thread};
use crate::open::Unpacker;
use ompttrace_recording::events::{MAX_WORDS, Record};
use ompttrace_recording::reader::Stream;
use ompttrace_recording::{FORMAT_VERSION, Recording, short, words};
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, panicking, scope};
use zstd::bulk::Compressor;

/// Writes `recording` to `to`; now and then `watch` is given how many of how many bytes of records are
/// done.
pub(crate) fn pack(
    recording: &Recording,
    to: &mut (impl Write + Send),
    Options { level, jobs, .. }: Options,
    watch: impl FnMut(u64, u64) + Send,
) -> io::Result<Sums> {
    to.write_all(&layout::MAGIC)?;
    to.write_all(&layout::VERSION.to_le_bytes())?;
    to.write_all(&FORMAT_VERSION.to_le_bytes())?;
    let known = (0..recording.streams()).filter_map(|position| recording.known(position));
    let all = known.map(|(known, _)| known.bytes()).sum();
    let feed = Mutex::new(Feed::new(recording));
    let out = Out { state: Mutex::new(Written::new(to, watch, all)), turn: Condvar::new() };
    let work = || match Worker::new(level).and_then(|mut worker| worker.work(&feed, &out)) {
        Ok(()) => {}
        Err(error) => out.fail(error),
    };
    scope(|scope| {
        for _ in 1..jobs.get() {
            // Where a thread cannot be made the others do its part.
            let _ = Builder::new().name("pack".into()).spawn_scoped(scope, work);
        }
        work();
    });
    let Feed { threads, .. } = feed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let written = out.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    finish(recording, threads, written)
}

fn finish<W: Write, F>(
    recording: &Recording,
    mut threads: Vec<Thread>,
    written: Written<'_, W, F>,
) -> io::Result<Sums> {
    if let Some(error) = written.error {
        return Err(error);
    }
    for (thread, block) in written.blocks {
        if let Some(thread) = threads.get_mut(thread) {
            thread.blocks.push(block);
        }
    }
    let index = Index { damage: recording.damage, threads }.to_bytes(written.at);
    written.to.write_all(&index)?;
    Ok(Sums { bytes: written.at + index.len() as u64, ..written.sums })
}

/// What was packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) records: u64,
    /// Records of the interface's own events.
    pub(crate) events: u64,
    pub(crate) bytes: u64,
}

/// Hands out the records of all threads, a block at a time, in order.
struct Feed<'r> {
    recording: &'r Recording,
    stream: Option<Stream<'r>>,
    threads: Vec<Thread>,
    /// Blocks handed out, and those of the thread that is being read.
    blocks: u64,
    of_thread: u32,
}

/// Which block it is.
struct Job {
    /// Among all.
    number: u64,
    /// Position of its thread.
    thread: usize,
    head: Head,
    span: (u64, u64),
    /// Records of the interface's own events.
    events: u64,
}

impl<'r> Feed<'r> {
    fn new(recording: &'r Recording) -> Feed<'r> {
        Feed { recording, stream: None, threads: Vec::new(), blocks: 0, of_thread: 0 }
    }

    /// Fills `records`, which is empty; `None` when there are no more.
    fn next(&mut self, records: &mut Vec<u64>) -> Option<Job> {
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
                number: self.blocks,
                thread: position,
                head: Head { thread: number, number: self.of_thread, near, ..Head::default() },
                span: (near, near),
                events: 0,
            };
            let words = layout::block_words(self.recording.streams());
            fill(stream, &mut job, records, words);
            self.blocks += 1;
            self.of_thread += 1;
            return Some(job);
        }
    }
}

/// Takes records while there is room, and while their full ticks follow from `near`.
fn fill(stream: &mut Stream<'_>, job: &mut Job, records: &mut Vec<u64>, most: usize) {
    let near = job.head.near;
    while let Some(ticks) = stream.next_ticks() {
        let unwrapped = words::unwrap_ticks(words::header_ticks(ticks), near);
        if records.len() + MAX_WORDS > most || unwrapped != ticks {
            break;
        }
        job.span = (job.span.0.min(ticks), job.span.1.max(ticks));
        job.head.records += 1;
        stream.take_stored(|Record { ticks, code, words }| {
            job.events += u64::from(short::event_code(code).is_ompts());
            records.push(words::header(ticks, code.0));
            records.extend_from_slice(words);
        });
    }
    job.head.words = records.len() as u32;
}

/// What one thread packs with.
struct Worker {
    encoder: Encoder,
    compressor: Compressor<'static>,
    unpacker: Unpacker,
    records: Vec<u64>,
    again: Vec<u64>,
    plain: Vec<u8>,
}

impl Worker {
    fn new(level: i32) -> io::Result<Worker> {
        let mut compressor = Compressor::new(level)?;
        compressor.include_checksum(true)?;
        Ok(Worker {
            encoder: Encoder::new(),
            compressor,
            unpacker: Unpacker::new()?,
            records: Vec::new(),
            again: Vec::new(),
            plain: Vec::new(),
        })
    }

    fn work<W: Write, F: FnMut(u64, u64)>(
        &mut self,
        feed: &Mutex<Feed<'_>>,
        out: &Out<'_, W, F>,
    ) -> io::Result<()> {
        let _guard = ReportPanic(out);
        loop {
            self.records.clear();
            let Some(job) = lock(feed).next(&mut self.records) else { return Ok(()) };
            let block = self.block(&job)?;
            if !out.write(&job, block, &self.unpacker.packed) {
                return Ok(());
            }
        }
    }

    /// Packs `records`, and makes sure that they come back.
    fn block(&mut self, job: &Job) -> io::Result<Block> {
        self.plain.clear();
        self.encoder.encode(&job.head, &self.records, &mut self.plain);
        let packed = &mut self.unpacker.packed;
        packed.resize(zstd::zstd_safe::compress_bound(self.plain.len()), 0);
        let length = self.compressor.compress_to_buffer(&self.plain, &mut packed[..])?;
        packed.truncate(length);
        let (packed, plain) = (length as u32, self.plain.len() as u32);
        let block = Block { at: 0, packed, plain, head: job.head, span: job.span };
        self.again.clear();
        let read = self.unpacker.unpack(&block, &mut self.again);
        if read.is_err() || self.again != self.records {
            return Err(io::Error::other("a packed block does not read as what it was made of"));
        }
        Ok(block)
    }
}

/// The file, and whose turn it is.
struct Out<'o, W, F> {
    state: Mutex<Written<'o, W, F>>,
    turn: Condvar,
}

struct Written<'o, W, F> {
    to: &'o mut W,
    at: u64,
    /// The block that comes next.
    next: u64,
    /// With the position of the thread.
    blocks: Vec<(usize, Block)>,
    sums: Sums,
    watch: F,
    done: u64,
    all: u64,
    error: Option<io::Error>,
}

impl<'o, W: Write, F> Written<'o, W, F> {
    fn new(to: &'o mut W, watch: F, all: u64) -> Self {
        let at = layout::FRONT_BYTES;
        let (blocks, sums) = (Vec::new(), Sums::default());
        Written { to, at, next: 0, blocks, sums, watch, done: 0, all, error: None }
    }
}

impl<W: Write, F: FnMut(u64, u64)> Out<'_, W, F> {
    /// Writes a block when all before it are written; returns whether to continue.
    fn write(&self, job: &Job, block: Block, bytes: &[u8]) -> bool {
        let waiting =
            |state: &mut Written<'_, W, F>| state.next != job.number && state.error.is_none();
        let state = self.turn.wait_while(lock(&self.state), waiting);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.error.is_some() {
            return false;
        }
        state.error = state.to.write_all(bytes).err();
        let block = Block { at: state.at, ..block };
        state.at += u64::from(block.packed);
        state.blocks.push((job.thread, block));
        state.next += 1;
        state.sums.records += u64::from(block.head.records);
        state.sums.events += job.events;
        state.done += 8 * u64::from(block.head.words);
        let (done, all) = (state.done, state.all);
        (state.watch)(done, all);
        self.turn.notify_all();
        state.error.is_none()
    }
}

impl<W, F> Out<'_, W, F> {
    fn fail(&self, error: io::Error) {
        lock(&self.state).error.get_or_insert(error);
        self.turn.notify_all();
    }
}

/// No thread waits for the turn of one that panicked.
struct ReportPanic<'t, 'o, W, F>(&'t Out<'o, W, F>);

impl<W, F> Drop for ReportPanic<'_, '_, W, F> {
    fn drop(&mut self) {
        if panicking() {
            self.0.fail(io::Error::other("a thread panicked"));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
