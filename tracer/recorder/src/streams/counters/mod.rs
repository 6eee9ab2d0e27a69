//! Counters of a thread, read where it forks, takes up or leaves an implicit task, comes to a barrier, or changes tasks.
//!
//! The path of an event does nothing for them: with counters there is no fast path, and each event is checked when
//! its record is made. A value that did not change is not recorded again.

mod group;
mod kinds;
pub(super) mod own;

pub(crate) use kinds::Counters;
pub use kinds::CountersSummary;

use crate::blocks::block::Block;
use crate::blocks::room::put_cold;
use crate::host::clock;
use crate::host::filters::Filters;
use crate::host::sync::Ordering;
use crate::registry::inside;
use crate::streams::of_thread::of;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{
    CounterValue, ImplicitTask, ParallelBegin, ParallelEnd, Scope, SyncRegion, TaskSchedule,
};
use ompttrace_recording::settings::{CounterKind, MOST_COUNTERS, Origin, Usage};
use own::{Own, State};

/// Prepares the counters that are asked for.
pub(crate) fn begin_all(asked: &[&'static CounterKind]) -> Counters {
    Counters::new(asked, group::probe)
}

/// Reads the counters after an event of the calling thread, if it is one of these events.
#[inline(never)]
pub(crate) fn look(counters: &Counters, filters: &Filters, block: &'static Block, code: EventCode) {
    let own = &of(block).counters;
    let cursor = || block.control.cursor().load(Ordering::Relaxed);
    // What handlers record meanwhile must leave them the reserve for when the slot is full.
    if is_bound(code) && block.has_room_for_handlers(cursor()) {
        let values = inside::writing(|| read(counters, filters, own));
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
fn read(counters: &Counters, filters: &Filters, own: &Own) -> [Option<u64>; MOST_COUNTERS] {
    if own.state() == State::New {
        begin(counters, filters, own);
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
fn begin(counters: &Counters, filters: &Filters, own: &Own) {
    own.set_state(State::On);
    if counters.perfs() > 0 && (filters.were_added() || !group::open(counters, own)) {
        counters.without.fetch_add(1, Ordering::Relaxed);
    }
}

/// The calling thread ends.
pub(crate) fn finish(counters: &Counters, block: &Block) {
    let own = &of(block).counters;
    own.set_state(State::Off);
    if own.has_group() {
        group::close_all(counters, own);
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
