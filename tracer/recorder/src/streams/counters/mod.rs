//! Counters: what the system counts of a thread, read where it forks, takes up or leaves an implicit task, comes to a
//! barrier, or changes tasks.
//!
//! Nothing of it is on the path of an event: with counters there is no fast path, and each event looks whether it is such a
//! bound when its record is made. A value that did not change is not recorded again.

mod group;
mod own;

pub(crate) use own::{Own, WORDS};

use crate::blocks::block::Block;
use crate::events::slow::put_cold;
use crate::host::clock;
use crate::host::sync::Ordering;
use crate::registry::inside;
use crate::registry::recorder::{self, Recorder};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{
    CounterValue, ImplicitTask, ParallelBegin, ParallelEnd, Scope, SyncRegion, TaskSchedule,
};
use ompttrace_recording::settings::{CounterKind, MOST_COUNTERS, Origin, Usage};
use own::State;
use std::sync::atomic::AtomicU64;

/// What is counted.
#[derive(Debug)]
pub(crate) struct Counters {
    /// What can be counted, by the number in records.
    counted: Vec<Counted>,
    refused: Vec<(&'static CounterKind, i32)>,
    /// Descriptors that threads have open for it.
    open: AtomicU64,
    /// Threads without what perf counts.
    without: AtomicU64,
}

/// One counter that there is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    kind: &'static CounterKind,
    /// Whether the kernel's own work counts.
    in_kernel: bool,
}

impl Counters {
    /// Those of `asked` that the system has and allows.
    pub(crate) fn new(asked: &[&'static CounterKind]) -> Counters {
        let (mut counted, mut refused) = (Vec::new(), Vec::new());
        for kind in asked.iter().take(MOST_COUNTERS) {
            match group::probe(kind) {
                Ok(in_kernel) => counted.push(Counted { kind, in_kernel }),
                Err(errno) => refused.push((*kind, errno)),
            }
        }
        let zero = || AtomicU64::new(0);
        Counters { counted, refused, open: zero(), without: zero() }
    }

    /// Whether there are none.
    pub(crate) fn are_none(&self) -> bool {
        self.counted.is_empty()
    }

    /// How many of them perf counts.
    fn perfs(&self) -> u64 {
        let is_perfs = |counted: &&Counted| matches!(counted.kind.origin, Origin::Perf { .. });
        self.counted.iter().filter(is_perfs).count() as u64
    }
}

/// After an event of the calling thread: reads what is counted, if it is a bound.
#[inline(never)]
pub(crate) fn look(block: &'static Block, code: EventCode) {
    let own = &block.private.counters;
    let cursor = || block.control.cursor().load(Ordering::Relaxed);
    // What handlers record meanwhile must leave them the reserve for when the slot is full.
    if is_bound(code)
        && block.has_room_for_handlers(cursor())
        && let Some(recorder) = recorder::current()
    {
        let values = inside::writing(|| read(recorder, own));
        for (number, value) in (0..).zip(values) {
            let has_room = block.has_room(cursor(), 0);
            if let Some(value) = value.filter(|value| has_room && own.becomes(number, *value)) {
                let record = CounterValue { value, counter: number as u64 };
                put_cold(block, clock::ticks(), CounterValue::NUMBER, record.words());
            }
        }
    }
}

/// Runtimes report the end of a worker's implicit task when it is woken up for the next, if ever, but at once that it
/// has come to the closing barrier.
fn is_bound(code: EventCode) -> bool {
    match code.number() {
        ParallelBegin::NUMBER | ParallelEnd::NUMBER => true,
        ImplicitTask::NUMBER | TaskSchedule::NUMBER => true,
        SyncRegion::NUMBER => code.scope() == Scope::Begin,
        _ => false,
    }
}

/// The values now, by counter; `None` where it is not known.
fn read(recorder: &Recorder, own: &Own) -> [Option<u64>; MOST_COUNTERS] {
    let counters = &recorder.counters;
    if own.state() == State::New {
        begin(recorder, own);
    }
    let perfs = group::read(counters, own);
    if perfs.is_none() && own.has_group() {
        // The program has closed it.
        group::close_all(counters, own);
        counters.without.fetch_add(1, Ordering::Relaxed);
    }
    let mut perfs = perfs.into_iter().flatten();
    let usage = usage();
    let mut values = [None; MOST_COUNTERS];
    for (value, counted) in values.iter_mut().zip(&counters.counted) {
        *value = match counted.kind.origin {
            Origin::Usage(sum) => Some(sum_of(sum, &usage)),
            Origin::Perf { .. } => perfs.next(),
        };
    }
    values
}

/// The calling thread begins to count.
fn begin(recorder: &Recorder, own: &Own) {
    let counters = &recorder.counters;
    own.set_state(State::On);
    if counters.perfs() > 0 && (recorder.cores.is_filtered() || !group::open(counters, own)) {
        counters.without.fetch_add(1, Ordering::Relaxed);
    }
}

/// The calling thread ends.
pub(crate) fn finish(recorder: &Recorder, block: &Block) {
    let own = &block.private.counters;
    own.set_state(State::Off);
    if own.has_group() {
        group::close_all(&recorder.counters, own);
    }
}

fn sum_of(sum: Usage, usage: &libc::rusage) -> u64 {
    let sum = match sum {
        Usage::Faults => usage.ru_minflt + usage.ru_majflt,
        Usage::MinorFaults => usage.ru_minflt,
        Usage::MajorFaults => usage.ru_majflt,
        Usage::Switches => usage.ru_nvcsw + usage.ru_nivcsw,
        Usage::Voluntary => usage.ru_nvcsw,
        Usage::Involuntary => usage.ru_nivcsw,
    };
    sum as u64
}

fn usage() -> libc::rusage {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to memory for one `rusage`, for which all zeros is a value.
    unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    }
}

/// What is counted in this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountersSummary {
    /// By the number in records: the counter, and whether the kernel's own work counts.
    pub counted: Vec<(&'static CounterKind, bool)>,
    /// What cannot be counted, with the system's error number.
    pub refused: Vec<(&'static CounterKind, i32)>,
    /// Threads without what perf counts, or without it from some time on.
    pub without: u64,
}

/// What is counted in this process's recording, so far.
pub fn counters_summary() -> Option<CountersSummary> {
    let counters = &recorder::own()?.counters;
    Some(CountersSummary {
        counted: counters.counted.iter().map(|one| (one.kind, one.in_kernel)).collect(),
        refused: counters.refused.clone(),
        without: counters.without.load(Ordering::Relaxed),
    })
}
