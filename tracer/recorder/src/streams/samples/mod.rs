//! Samples: what each thread does at regular intervals of its CPU time, in a stream of its own.
//!
//! A thread gets its signal from the kernel ([`ticks`]) and puts a sample into memory of its own ([`signal`],
//! [`region`]), which is written where a flush comes by, behind an event that finds a good part of it full, and at the
//! thread's end. The path of an event does nothing for it.
//!
//! Everything that a thread has for this hangs on the private page of its block, which a forked child finds empty.

mod alternate;
mod event;
mod hooks;
mod own;
mod region;
mod settle;
mod signal;
mod ticks;
mod timer;
mod timing;
mod turns;

pub use hooks::{
    Interrupted, SampledStack, Walker, forget_thread_state, set_thread_state, set_walker,
};
pub(crate) use own::{Own, WORDS};

use crate::blocks::block::Block;
use crate::blocks::tls;
use crate::events::slow;
use crate::host::sync::Ordering;
use crate::host::{clock, untouched};
use crate::registry::recorder::{self, Recorder};
use crate::slots::fragments::{self, locked};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{ImplicitTask, ThreadBegin};
use ompttrace_recording::fragment::SAMPLE_STREAM;
use ompttrace_recording::pool::control;
use ompttrace_recording::settings::{SampleClock, Sampling};
use own::State;
use region::Region;
use signal::Reach;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering as Plain};
use ticks::By;
use timing::Timing;
use turns::Turns;

/// What a recording knows of its samples.
#[derive(Debug)]
pub(crate) struct Samples {
    asked: Option<Sampling>,
    /// The system refuses perf events, with this error number.
    refused: Option<i32>,
    /// Whether the signal is ours: [`Signal`].
    signal: AtomicU64,
    threads: AtomicU64,
    /// Threads of these that have timers.
    by_timer: AtomicU64,
    /// Threads that are not sampled, or were not to their end.
    without: AtomicU64,
    turns: Turns,
    /// The process ends, and ticks of wall time have.
    wall_is_over: AtomicBool,
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
        let perf = asked.filter(|sampling| sampling.may_be_perfs());
        let refused = perf.and_then(|_| event::probe().err());
        let zero = || AtomicU64::new(0);
        let signal = AtomicU64::new(Signal::Unknown as u64);
        let (threads, by_timer, without) = (zero(), zero(), zero());
        let (turns, wall_is_over) = (Turns::new(asked), AtomicBool::new(false));
        Samples { asked, refused, signal, threads, by_timer, without, turns, wall_is_over }
    }

    /// What threads are sampled by; `None`: they are not.
    pub(crate) fn sampling(&self) -> Option<Sampling> {
        self.asked.filter(|_| !self.is_taken())
    }

    /// A thread that was sampled has vanished without a word.
    pub(crate) fn forget(&self) {
        self.turns.leave();
    }

    fn is_taken(&self) -> bool {
        self.signal.load(Plain::Relaxed) == Signal::Taken as u64
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
        self.leave(signal, "no samples");
        false
    }

    /// Leaves the signal to the program, which has a handler for it; the first time says so.
    fn leave(&self, signal: libc::c_int, what: &str) {
        if self.signal.swap(Signal::Taken as u64, Plain::Relaxed) != Signal::Taken as u64 {
            crate::host::message::say(format_args!(
                "{what}: the program has a handler for signal {signal}; choose another one \
                 (OMPTTRACE_SAMPLE=RATE,signal=N)"
            ));
        }
    }
}

/// Behind an event of the calling thread, at `now`: begins, or writes what waits when that is much. Where the program took
/// or blocked the signal meanwhile the thread is sampled no more.
pub(crate) fn look(recorder: &Recorder, block: &Block, code: EventCode, now: u64) {
    let (own, samples) = (&block.private.samples, &recorder.samples);
    let Some(sampling) = samples.asked else { return };
    match (own.state(), own.region()) {
        (State::New, _) if samples.is_taken() => own.set_state(State::Off),
        (State::New, _) if may_begin(code) => locked(block, || begin(recorder, block, sampling)),
        (State::On, Some(region)) => {
            match own.is_due(now).then(|| signal::reach(sampling.signal())) {
                None | Some(Reach::Ours) => tend(recorder, block, region),
                Some(reach) => locked(block, || {
                    if reach == Reach::Taken {
                        samples.leave(sampling.signal(), "no more samples");
                    }
                    samples.without.fetch_add(1, Plain::Relaxed);
                    end(recorder, block);
                }),
            }
        }
        _ => {}
    }
}

/// Makes ready for code that the walker did not know, and writes what waits when that is much.
fn tend(recorder: &Recorder, block: &Block, region: &Region) {
    let unknown = region.take_unknown();
    if unknown != 0 {
        hooks::prepare(unknown);
    }
    if region.fills() {
        locked(block, || write(recorder, block, region));
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
    let is_filtered = recorder.cores.is_filtered();
    let is_ours = !is_filtered && samples.take(signal) && signal::reach(signal) == Reach::Ours;
    let region = if is_ours { map() } else { None };
    let Some(region) = region else {
        samples.without.fetch_add(1, Plain::Relaxed);
        return;
    };
    hooks::prepare(0);
    samples.turns.join();
    let period = samples.turns.period(sampling, thread);
    region.begin(clock::ticks(), &sampling.begin(period));
    let behind =
        (&raw const *region).cast_mut().cast::<libc::c_void>().wrapping_byte_add(region::BYTES);
    // SAFETY: the end of the region's mapping, which nothing else uses, and which stays until the stack is taken back.
    unsafe { alternate::give(behind) };
    // The first tick may come at once.
    own.set_region(Some(region));
    own.period.store(period, Plain::Relaxed);
    let perf = sampling.may_be_perfs() && samples.refused.is_none();
    let Ok(by) = own.ticks.open(sampling, (thread, period), perf) else {
        samples.turns.leave();
        own.set_region(None);
        unmap(region);
        samples.without.fetch_add(1, Plain::Relaxed);
        return;
    };
    own.set_state(State::On);
    samples.threads.fetch_add(1, Plain::Relaxed);
    samples.by_timer.fetch_add(u64::from(by == By::Timer), Plain::Relaxed);
    // Whoever ended those of all threads meanwhile may have come before this one had any.
    if sampling.clock == SampleClock::Wall && samples.wall_is_over.load(Plain::SeqCst) {
        own.ticks.close();
    }
}

/// exit() has begun: no thread gets a signal of wall time any more. The runtime's destructor comes next, and Intel's unmaps
/// what workers of a living root thread sleep on: a signal would have them look at it again, which ends the program
/// ("The futex facility returned an unexpected error code"). So those that one has just woken are waited for. Signals of
/// CPU time find no sleepers.
pub fn end_wall_samples() {
    let Some(recorder) = recorder::own() else { return };
    if !recorder.samples.asked.is_some_and(|sampling| sampling.clock == SampleClock::Wall) {
        return;
    }
    recorder.samples.wall_is_over.store(true, Plain::SeqCst);
    recorder.all_blocks().for_each(|block| block.private.samples.ticks.close());
    let others = |block: &&Block| !std::ptr::eq(*block, tls::block());
    let since = clock::ticks();
    settle::wait(recorder.blocks().filter(others));
    slow::put_wait(since);
}

/// In the handler, behind a sample: the thread's next one comes later or earlier from here on where many threads came or went.
fn take_turns(block: &Block, region: &Region, ticks: u64) {
    let Some(recorder) = recorder::current() else { return };
    let Some(sampling) = recorder.samples.asked else { return };
    let (own, thread) = (&block.private.samples, &block.control.word(control::THREAD));
    let (now, thread) = (own.period.load(Plain::Relaxed), thread.load(Ordering::Relaxed));
    if let Some(period) = recorder.samples.turns.change(now, sampling, thread)
        && region.change(ticks, &sampling.begin(period))
    {
        own.period.store(period, Plain::Relaxed);
        own.ticks.pace(period);
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
    own.ticks.close();
    recorder.samples.turns.leave();
    if let Some(sampling) = recorder.samples.asked
        && signal::reach(sampling.signal()) != Reach::Ours
    {
        signal::take_pending(sampling.signal());
    }
    write(recorder, block, region);
    own.set_region(None);
    unmap(region);
}

fn write(recorder: &Recorder, block: &Block, region: &Region) {
    let (first, second, put) = region.waiting();
    if first.is_empty() {
        return;
    }
    let chunk = block.private.samples.chunk.fetch_add(1, Ordering::Relaxed) + 1;
    if !fragments::write(recorder, block, (SAMPLE_STREAM, chunk), [first, second]) {
        let lost = region::samples_in(first, second);
        block.private.samples.lost.fetch_add(lost, Plain::Relaxed);
        region.miss(lost);
    }
    region.take(put);
}

/// Bytes of a thread's mapping: its region, and a stack for signals.
const MAPPED: usize = region::BYTES + alternate::BYTES;

/// New memory of zeros, of which a forked child has the stack for signals only.
fn map() -> Option<&'static Region> {
    let untouched = untouched::shut();
    // SAFETY: a new mapping at an address of the kernel's choice, of zeros, which are a region, and aligned to a page.
    // It is unmapped by `unmap` alone.
    let region = unsafe {
        let start = libc::mmap(
            std::ptr::null_mut(),
            MAPPED,
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
    let untouched = untouched::shut();
    let start: *mut libc::c_void = (&raw const *region).cast_mut().cast();
    // Where a handler ends its thread, the thread keeps the stack that it runs on.
    if alternate::take_back(start.wrapping_byte_add(region::BYTES)) {
        // SAFETY: a mapping of `map`, whole. Its thread calls this, whose handler no longer finds it.
        unsafe { libc::munmap(start, MAPPED) };
    }
    untouched.open();
}

/// What is sampled in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplesSummary {
    /// What is asked for.
    pub asked: Option<Sampling>,
    /// The program, or another library in it, has a handler for this signal: so there are no samples, or no more.
    pub taken: Option<i32>,
    /// The system refuses perf events, with this error number.
    pub refused: Option<i32>,
    /// Threads that were sampled.
    pub threads: u64,
    /// Threads of these that had timers rather than perf events.
    pub by_timer: u64,
    /// Threads that were not, or not to their end: the program has blocked or taken the signal, or there was no memory.
    pub without: u64,
    /// Samples that found no room.
    pub lost: u64,
    /// Nanoseconds of the longest period that a thread got since there were too many of them; 0: each got what is asked for.
    pub longest_period: u64,
}

/// What is sampled in this process's recording, so far.
pub fn samples_summary() -> Option<SamplesSummary> {
    let recorder = recorder::own()?;
    let samples = &recorder.samples;
    let lost = |block: &Block| block.private.samples.lost.load(Plain::Relaxed);
    Some(SamplesSummary {
        asked: samples.asked,
        taken: samples.asked.filter(|_| samples.is_taken()).map(Sampling::signal),
        refused: samples.refused,
        threads: samples.threads.load(Plain::Relaxed),
        by_timer: samples.by_timer.load(Plain::Relaxed),
        without: samples.without.load(Plain::Relaxed),
        lost: recorder.all_blocks().map(lost).sum(),
        longest_period: samples.turns.longest(),
    })
}
