//! Samples: what each thread does at regular intervals of its CPU time, in a stream of its own.
//!
//! A thread gets its signal from the kernel ([`event`]) and puts a sample into memory of its own ([`signal`],
//! [`region`]), which is written where a flush comes by, behind an event that finds a good part of it full, and at the
//! thread's end. The path of an event does nothing for it.
//!
//! Everything that a thread has for this hangs on the private page of its block, which a forked child finds empty.

mod event;
mod hooks;
mod own;
mod region;
mod settings;
mod signal;

pub use hooks::{Found, Interrupted, Walker, forget_thread_state, set_thread_state, set_walker};
pub(crate) use own::{Own, WORDS};
pub use settings::{SampleClock, Sampling};

use crate::block::Block;
use crate::fragments::{self, locked};
use crate::recorder::{self, Recorder};
use crate::sync::Ordering;
use crate::{clock, host};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{ImplicitTask, SamplesBegin, ThreadBegin};
use ompttrace_recording::fragment::SAMPLE_STREAM;
use ompttrace_recording::pool::control;
use own::State;
use region::Region;
use std::sync::atomic::{AtomicU64, Ordering as Plain};

/// What a recording knows of its samples.
#[derive(Debug)]
pub(crate) struct Samples {
    asked: Option<Sampling>,
    /// The system refuses perf events, with this error number.
    refused: Option<i32>,
    /// Whether the signal is ours: [`Signal`].
    signal: AtomicU64,
    threads: AtomicU64,
    /// Threads that are not sampled, or were not to their end.
    without: AtomicU64,
    lost: AtomicU64,
}

/// Why a process is not sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplingRefused {
    /// The program, or another library in it, has a handler for the signal.
    SignalTaken(i32),
    /// The system refuses perf events, with this error number.
    Refused(i32),
}

/// Whose the signal is.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
enum Signal {
    /// Nobody has asked yet.
    Unknown = 0,
    Ours = 1,
    /// The program, or another library in it, has a handler for it.
    Taken = 2,
}

impl Samples {
    /// Makes ready for what is asked for.
    pub(crate) fn new(asked: Option<Sampling>) -> Samples {
        let refused = asked.and_then(|_| event::probe().err());
        let zero = || AtomicU64::new(0);
        let signal = AtomicU64::new(Signal::Unknown as u64);
        Samples { asked, refused, signal, threads: zero(), without: zero(), lost: zero() }
    }

    /// What threads are sampled by; `None`: they are not.
    pub(crate) fn sampling(&self) -> Option<Sampling> {
        let is_taken = self.signal.load(Plain::Relaxed) == Signal::Taken as u64;
        self.asked.filter(|_| self.refused.is_none() && !is_taken)
    }

    /// Takes the signal when the first thread begins: the program's own handlers are there by then. Says once that it
    /// could not.
    fn take(&self, signal: libc::c_int) -> bool {
        if self.signal.load(Plain::Relaxed) == Signal::Ours as u64 {
            return true;
        }
        if signal::take(signal) {
            self.signal.store(Signal::Ours as u64, Plain::Relaxed);
            return true;
        }
        if self.signal.swap(Signal::Taken as u64, Plain::Relaxed) != Signal::Taken as u64 {
            crate::message::say(format_args!(
                "no samples: the program has a handler for signal {signal}; choose another one \
                 (OMPTTRACE_SAMPLE=RATE,signal=N)"
            ));
        }
        false
    }

    fn why(&self) -> Option<SamplingRefused> {
        let is_taken = self.signal.load(Plain::Relaxed) == Signal::Taken as u64;
        let signal = self.asked.filter(|_| is_taken).map(Sampling::signal);
        let refused = self.refused.map(SamplingRefused::Refused);
        refused.or(signal.map(SamplingRefused::SignalTaken))
    }
}

/// Behind an event of the calling thread: begins, or writes what waits when that is much. Where the program took or
/// blocked the signal meanwhile the thread is sampled no more.
pub(crate) fn look(recorder: &Recorder, block: &Block, code: EventCode) {
    let (own, Some(sampling)) = (&block.private.samples, recorder.samples.sampling()) else {
        return;
    };
    match (own.state(), own.region()) {
        (State::New, _) if may_begin(code) => locked(block, || begin(recorder, block, sampling)),
        (State::On, Some(_)) if !signal::arrives(sampling.signal()) => {
            locked(block, || {
                recorder.samples.without.fetch_add(1, Plain::Relaxed);
                end(recorder, block);
            });
        }
        (State::On, Some(region)) => {
            let unknown = region.take_unknown();
            if unknown != 0 {
                hooks::prepare(unknown);
            }
            if region.fills() {
                locked(block, || write(recorder, block, region));
            }
        }
        _ => {}
    }
}

/// The first events of the thread that the process began with may come before `main` has chosen its own handlers and
/// what signals it blocks.
fn may_begin(code: EventCode) -> bool {
    // SAFETY: system calls without arguments that cannot fail.
    let is_first = || unsafe { libc::gettid() == libc::getpid() };
    !matches!(code.number(), ThreadBegin::NUMBER | ImplicitTask::NUMBER) || !is_first()
}

/// Begins to sample the calling thread.
fn begin(recorder: &Recorder, block: &Block, sampling: Sampling) {
    let (own, samples) = (&block.private.samples, &recorder.samples);
    own.set_state(State::Off);
    let signal = sampling.signal();
    let thread = block.control.word(control::THREAD).load(Ordering::Relaxed);
    let period = sampling.period(thread);
    let is_filtered = recorder.cores.is_filtered();
    let is_ours = !is_filtered && samples.take(signal) && signal::arrives(signal);
    let region = if is_ours { map() } else { None };
    let Some(region) = region else {
        samples.without.fetch_add(1, Plain::Relaxed);
        return;
    };
    hooks::prepare(0);
    let (clock, number) = (sampling.clock.number(), signal as u64);
    region.begin(clock::ticks(), &SamplesBegin { period, clock, signal: number });
    match event::open(period, signal) {
        Ok(event) => {
            region.event.store(event, Plain::Relaxed);
            own.set_region(Some(region));
            own.set_state(State::On);
            samples.threads.fetch_add(1, Plain::Relaxed);
        }
        Err(_) => {
            unmap(region);
            samples.without.fetch_add(1, Plain::Relaxed);
        }
    }
}

/// Writes what waits. The caller, any thread, holds the block's lock.
pub(crate) fn flush(recorder: &Recorder, block: &Block) {
    if let Some(region) = block.private.samples.region() {
        write(recorder, block, region);
    }
}

/// The calling thread ends, and holds its block's lock.
pub(crate) fn finish(recorder: &Recorder, block: &Block) {
    end(recorder, block);
}

/// The calling thread is sampled no more.
fn end(recorder: &Recorder, block: &Block) {
    let own = &block.private.samples;
    own.set_state(State::Off);
    let Some(region) = own.region() else { return };
    event::close(region.event.load(Plain::Relaxed));
    if let Some(sampling) = recorder.samples.sampling()
        && !signal::arrives(sampling.signal())
    {
        signal::take_pending(sampling.signal());
    }
    write(recorder, block, region);
    recorder.samples.lost.fetch_add(region.lost(), Plain::Relaxed);
    own.set_region(None);
    unmap(region);
}

fn write(recorder: &Recorder, block: &Block, region: &Region) {
    let (first, second, put) = region.waiting();
    if first.is_empty() {
        return;
    }
    let chunk = block.private.samples.chunk.fetch_add(1, Ordering::Relaxed) + 1;
    fragments::write(recorder, block, (SAMPLE_STREAM, chunk), [first, second]);
    // Where no file takes them they are given up: the recording says that it could not be written.
    region.take(put);
}

/// New memory of zeros, which a forked child does not have.
fn map() -> Option<&'static Region> {
    let untouched = host::shut();
    // SAFETY: a new mapping at an address of the kernel's choice, of zeros, which are a region, and aligned to a page.
    // It is unmapped by `unmap` alone.
    let region = unsafe {
        let start = libc::mmap(
            std::ptr::null_mut(),
            region::BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if start == libc::MAP_FAILED {
            None
        } else {
            libc::madvise(start, region::BYTES, libc::MADV_DONTFORK);
            Some(&*start.cast::<Region>())
        }
    };
    untouched.open();
    region
}

fn unmap(region: &'static Region) {
    let untouched = host::shut();
    // SAFETY: a mapping of `map`, whole. Its thread calls this, whose handler no longer finds it.
    unsafe { libc::munmap((&raw const *region).cast_mut().cast(), region::BYTES) };
    untouched.open();
}

/// What is sampled in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplesSummary {
    /// What is asked for.
    pub asked: Option<Sampling>,
    /// Why there are no samples.
    pub why: Option<SamplingRefused>,
    /// Threads that were sampled.
    pub threads: u64,
    /// Threads that were not, or not to their end: the program has blocked or taken the signal, or there was no memory.
    pub without: u64,
    /// Samples that found no room.
    pub lost: u64,
}

/// What is sampled in this process's recording, so far.
pub fn samples_summary() -> Option<SamplesSummary> {
    let recorder = recorder::own()?;
    let samples = &recorder.samples;
    let alive = recorder.blocks().filter_map(|block| block.private.samples.region());
    Some(SamplesSummary {
        asked: samples.asked,
        why: samples.why(),
        threads: samples.threads.load(Plain::Relaxed),
        without: samples.without.load(Plain::Relaxed),
        lost: samples.lost.load(Plain::Relaxed) + alive.map(Region::lost).sum::<u64>(),
    })
}
