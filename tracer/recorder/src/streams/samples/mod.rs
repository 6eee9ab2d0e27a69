//! Samples: each thread's activity at regular intervals of its CPU time, in a stream of its own.
//!
//! A thread gets its signal from the kernel ([`ticks`]) and puts a sample into memory of its own ([`signal`],
//! [`region`]), which is written where a flush comes by, behind an event that finds a good part of it full, and at the
//! thread's end. The path of an event does nothing for it.
//!
//! Everything that a thread has for this hangs on the private page of its block, which a forked child finds empty.

mod alternate;
mod event;
mod hooks;
mod known;
pub(super) mod own;
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
pub(crate) use known::Samples;
pub use known::SamplesSummary;

use crate::blocks::block::Block;
use crate::blocks::tls;
use crate::host::filters::Filters;
use crate::host::sync::Ordering;
use crate::host::{clock, untouched};
use crate::registry::recorder::Recorder;
use crate::slots::fragments::{self, locked};
use crate::streams::of_thread::of;
use known::Signal;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{ImplicitTask, ThreadBegin};
use ompttrace_recording::fragment::SAMPLE_STREAM;
use ompttrace_recording::pool::control;
use ompttrace_recording::settings::{SampleClock, Sampling};
use own::State;
use region::Region;
use signal::Reach;
use std::sync::atomic::Ordering as Plain;
use ticks::By;
use timing::Timing;

/// After an event of the calling thread, at `now`: begins to sample it, or writes the waiting samples if they are
/// many. If the program took or blocked the signal meanwhile the thread is sampled no more.
pub(crate) fn look(
    recorder: &Recorder,
    (samples, filters): (&'static Samples, &Filters),
    block: &Block,
    code: EventCode,
    now: u64,
) {
    let own = &of(block).samples;
    let Some(sampling) = samples.asked else { return };
    match (own.state(), own.region()) {
        (State::New, _) if samples.is_taken() => own.set_state(State::Off),
        (State::New, _) if may_begin(code) => {
            locked(block, || begin(samples, filters, block, sampling))
        }
        (State::On, Some(region)) => {
            match own.is_due(now).then(|| signal::reach(sampling.signal())) {
                None | Some(Reach::Ours) => tend(recorder, samples, block, region),
                Some(reach) => locked(block, || {
                    if reach == Reach::Taken {
                        samples.leave(sampling.signal(), "no more samples");
                    }
                    samples.without.fetch_add(1, Plain::Relaxed);
                    end(recorder, samples, block);
                }),
            }
        }
        _ => {}
    }
}

/// Prepares for code that the walker did not know, and writes the waiting samples if they are many.
fn tend(recorder: &Recorder, samples: &Samples, block: &Block, region: &Region) {
    let unknown = region.take_unknown();
    if unknown != 0 {
        hooks::prepare(unknown);
    }
    if region.fills() {
        locked(block, || write(recorder, samples, block, region));
    }
}

/// Returns true if sampling may begin after such an event: the first events of the process's first thread may come
/// before `main` has chosen its own handlers and the signals that it blocks.
fn may_begin(code: EventCode) -> bool {
    // SAFETY: system calls without arguments that cannot fail.
    let is_first = || unsafe { libc::gettid() == libc::getpid() };
    !matches!(code.number(), ThreadBegin::NUMBER | ImplicitTask::NUMBER) || !is_first()
}

/// Begins to sample the calling thread.
fn begin(samples: &'static Samples, filters: &Filters, block: &Block, sampling: Sampling) {
    let own = &of(block).samples;
    own.set_state(State::Off);
    let signal = sampling.signal();
    let thread = block.control.word(control::THREAD).load(Ordering::Relaxed);
    let is_filtered = filters.were_added();
    let is_ours = !is_filtered && take(samples, signal) && signal::reach(signal) == Reach::Ours;
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
    let Ok(by) = own.ticks.open(sampling, (thread, period), signal::mark(), perf) else {
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

/// Takes the signal when the first thread begins: the program's own handlers are there by then. Says once that it
/// could not.
fn take(samples: &'static Samples, signal: libc::c_int) -> bool {
    if samples.signal.load(Plain::Relaxed) == Signal::Ours as u64 {
        return true;
    }
    if signal::take(signal, samples) {
        samples.signal.store(Signal::Ours as u64, Plain::Relaxed);
        return true;
    }
    samples.leave(signal, "no samples");
    false
}

/// Ends the ticks of wall time in all threads, and waits until those that one has just woken sleep again. Returns when that
/// wait began, if there are such ticks.
pub(crate) fn end_wall(recorder: &Recorder, samples: &Samples) -> Option<u64> {
    samples.asked.filter(|sampling| sampling.clock == SampleClock::Wall)?;
    samples.wall_is_over.store(true, Plain::SeqCst);
    recorder.all_blocks().for_each(|block| of(block).samples.ticks.close());
    let others = |block: &&Block| !std::ptr::eq(*block, tls::block());
    let since = clock::ticks();
    settle::wait(recorder.blocks().filter(others));
    Some(since)
}

/// Writes the waiting samples. The caller, any thread, holds the block's lock.
pub(crate) fn flush(recorder: &Recorder, samples: &Samples, block: &Block) {
    if let Some(region) = of(block).samples.region() {
        write(recorder, samples, block, region);
    }
}

/// The calling thread ends, and holds its block's lock.
pub(crate) fn finish(recorder: &Recorder, samples: &Samples, block: &Block) {
    end(recorder, samples, block);
}

/// The calling thread is sampled no more.
fn end(recorder: &Recorder, samples: &Samples, block: &Block) {
    let own = &of(block).samples;
    own.set_state(State::Off);
    let Some(region) = own.region() else { return };
    own.ticks.close();
    samples.turns.leave();
    if let Some(sampling) = samples.asked
        && signal::reach(sampling.signal()) != Reach::Ours
    {
        signal::take_pending(sampling.signal());
    }
    write(recorder, samples, block, region);
    own.set_region(None);
    unmap(region);
}

fn write(recorder: &Recorder, samples: &Samples, block: &Block, region: &Region) {
    let (first, second, put) = region.waiting();
    if first.is_empty() {
        return;
    }
    let own = &of(block).samples;
    let chunk = own.chunk.fetch_add(1, Ordering::Relaxed) + 1;
    let written = fragments::write(recorder, block, (SAMPLE_STREAM, chunk), [first, second]);
    let written = written.inspect_err(|error| samples.refused_write(error));
    if !written.unwrap_or(false) {
        let lost = region::samples_in(first, second);
        own.lost.fetch_add(lost, Plain::Relaxed);
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
