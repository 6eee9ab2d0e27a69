//! POP's efficiencies of one process.

use crate::left_out::LeftOut;
use crate::model::{Efficiency, ThreadReport};
use crate::sink::ReportSink;
use crate::state::State;

/// A part of a whole; 0 of nothing.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The efficiencies, by the work of each thread and the overhead of the one that works most.
pub(super) fn efficiency(sink: &ReportSink, threads: &[ThreadReport], wall: u64) -> Efficiency {
    let count = sink.most_present.max(1);
    let busiest = threads.iter().max_by_key(|thread| wanted(thread));
    let most = busiest.map_or(0, wanted);
    let overhead = busiest.map_or(0, |thread| thread.times.sum(State::is_overhead)).min(wall);
    let done: u64 = threads.iter().map(|thread| thread.metrics.work_ns).sum();
    let all: u64 = threads.iter().map(wanted).sum();
    let knows_waits = !LeftOut::of(&sink.facts).waits;
    let share_of_work = |part, whole| knows_waits.then(|| share(part, whole));
    let knows_cores = threads.iter().any(|thread| thread.cores.is_some());
    Efficiency {
        threads: count,
        parallel: share_of_work(done, count.saturating_mul(wall)),
        cores: knows_cores.then(|| share(done, all)),
        on_own_cores: share_of_work(all, count.saturating_mul(wall)).filter(|_| knows_cores),
        load_balance: share_of_work(all, count.saturating_mul(most)),
        communication: share_of_work(most, wall),
        serialisation: share_of_work(most, wall - overhead),
        transfer: share_of_work(wall - overhead, wall),
        parallel_coverage: share(sink.regions.covered, wall),
    }
}

/// The time in which a thread worked, or would have, had it had a core.
fn wanted(thread: &ThreadReport) -> u64 {
    thread.metrics.work_ns + thread.times.of(State::OffCorePreempted)
}
