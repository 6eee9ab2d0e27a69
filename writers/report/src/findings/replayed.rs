//! The report of a run as it would have been with a core for each thread that wanted one. Findings on a busy machine
//! use it. Time without a core is in none of its figures.
//!
//! Barriers were replayed as the timeline was read (`phase.rs`). Threads that seldom have a core at the same time
//! seldom compete for a mutex: their waiting is replaced by that of a closed queue, by mean value analysis.

use super::gain::work_in;
use crate::model::{Balance, Class, ConstructReport, HolderReport, ORDERED, Report};
use crate::phase::FORK;
use crate::state::{State, Times};

/// Thread time that handing a mutex from one core to another takes, and making, queueing and finding a task while other
/// threads do so, nanoseconds: measured with two threads that have a core each.
const HANDING_OVER: f64 = 180.0;
const QUEUEING: u64 = 400;

/// The run with a core for each thread that wanted one.
pub(super) fn report(recorded: &Report) -> Report {
    let mut report = recorded.clone();
    let share = recorded.cores.and_then(|cores| cores.share).unwrap_or(1.0);
    for construct in &mut report.constructs {
        replay(construct, share);
    }
    for lock in &mut report.locks {
        lock.handover_ns = 0;
    }
    for section in report.constructs.iter_mut().filter(|one| one.class == Class::Serial) {
        alone(section, recorded.efficiency.threads);
    }
    regions(&mut report);
    mutexes(&mut report, share);
    queues(&mut report);
    regions(&mut report);
    run(&mut report, recorded);
    report
}

fn replay(construct: &mut ConstructReport, share: f64) {
    let (replay, times) = (construct.replay, &mut construct.times);
    times.set(State::OffCorePreempted, 0);
    for state in State::ALL.iter().copied() {
        let recorded = times.of(state);
        if state.is_overhead() {
            // A run without the tool does not wait for it.
            let most = match state {
                State::OverheadTool => 0,
                State::OverheadFork => construct.calls.saturating_mul(FORK),
                _ => u64::MAX,
            };
            times.set(state, recorded.saturating_sub(replay.lacked.of(state)).min(most));
        } else if state.is_starved() || state.is_mutex() {
            // Of waiting for tasks and turns nothing says what it would have been.
            let left = if state.is_barrier() { 0.0 } else { recorded as f64 * share };
            times.set(state, left as u64);
        }
    }
    times.set(State::WaitBarrierImplicit, replay.wait_ns);
    let is_handed_out = construct.chunks > construct.calls.saturating_mul(construct.threads.max(1));
    if is_handed_out && replay.in_order_ns > 0 {
        construct.balance = in_order(construct.balance, construct.threads, replay.in_order_ns);
    }
}

/// A serial section, in which all other threads that there are have nothing to do.
fn alone(section: &mut ConstructReport, threads: u64) {
    let (times, blame) = (&mut section.times, &mut section.blame);
    let before = times.all();
    times.set(State::OffCorePreempted, 0);
    if matches!(section.between, Some([None, _])) {
        // A process waits for its files as it begins: how long is up to the machine.
        times.set(State::OffCoreBlocked, 0);
    }
    let part = times.all() as f64 / before.max(1) as f64;
    blame.absent_ns = (blame.absent_ns as f64 * part) as u64;
    let others = threads.saturating_sub(1).saturating_mul(times.all());
    (blame.idle_ns, blame.wait_ns) = (others.saturating_sub(blame.absent_ns), 0);
}

/// The balance of chunks that are handed out to threads which all have a core.
fn in_order(balance: Balance, threads: u64, longest_ns: u64) -> Balance {
    let mean = balance.mean_ns.max(1);
    let over = longest_ns.saturating_sub(balance.mean_ns);
    let imbalance = over as f64 / mean as f64;
    Balance { longest_ns, lost_ns: over.saturating_mul(threads), imbalance, ..balance }
}

/// The states of waiting for a mutex.
const WAITS: [State; 4] =
    [State::WaitCritical, State::WaitLock, State::WaitAtomic, State::WaitOrdered];

/// Replaces the waiting for mutexes by that of a closed queue.
fn mutexes(report: &mut Report, share: f64) {
    let waits: Vec<_> = report.holders.iter().map(|one| queued(report, one, share)).collect();
    // A construct may have several: all of their waits are replaced.
    for holder in &report.holders {
        if let Some(construct) = report.constructs.get_mut(holder.construct) {
            WAITS.iter().for_each(|state| construct.times.set(*state, 0));
        }
    }
    for (holder, waited) in report.holders.iter_mut().zip(waits) {
        (holder.blame_ns, holder.held_ns) = (waited, holder.on_core_ns);
        let Some(construct) = report.constructs.get_mut(holder.construct) else { continue };
        construct.times.add(State::WaitCritical, waited);
        let threads = construct.threads.max(1);
        let region = construct.region.unwrap_or(holder.construct);
        if let Some(region) = report.constructs.get_mut(region) {
            region.replay.wall_ns = region.replay.wall_ns.saturating_add(waited / threads);
        }
        report.replayed_ns = report.replayed_ns.saturating_add(waited / threads);
    }
}

/// Waiting for a mutex that is held at a location, by mean value analysis: each thread of the team works, queues,
/// holds, and works again.
fn queued(report: &Report, holder: &HolderReport, share: f64) -> u64 {
    let construct = report.constructs.get(holder.construct);
    let region = construct.map(|construct| construct.region.unwrap_or(holder.construct));
    let work = region.map_or(0.0, |region| work_in(report, region));
    if holder.several || holder.kind == ORDERED || work == 0.0 || holder.holds == 0 {
        return (holder.blame_ns as f64 * share) as u64;
    }
    let holds = holder.holds as f64;
    let held = (holder.on_core_ns as f64 / holds).min(work / holds);
    let apart = work / holds - held;
    let threads = construct.map_or(1, |construct| construct.threads).max(1);
    let service = held + HANDING_OVER;
    let (mut queue, mut response) = (0.0, service);
    for thread in 1..=threads {
        response = service * (1.0 + queue);
        queue = thread as f64 * response / (apart + response).max(f64::EPSILON);
    }
    ((response - held) * holds) as u64
}

/// Adds the time for making, queueing and finding small tasks at the same time.
fn queues(report: &mut Report) {
    for site in report.tasks.sites.iter().filter(|site| site.too_fine) {
        let region = report.constructs.get(site.construct).and_then(|made| made.region);
        let Some(region) = region.and_then(|at| report.constructs.get_mut(at)) else { continue };
        let queued = site.executed.saturating_mul(QUEUEING) / region.threads.max(1);
        region.replay.wall_ns = region.replay.wall_ns.saturating_add(queued);
        report.replayed_ns = report.replayed_ns.saturating_add(queued);
    }
}

fn regions(report: &mut Report) {
    let all = report.efficiency.threads;
    for region in &mut report.regions {
        let Some(construct) = report.constructs.get(region.construct) else { continue };
        region.wall_ns = construct.replay.wall_ns;
        region.times = construct.times;
        let within = |one: &&ConstructReport| one.region == Some(region.construct);
        report.constructs.iter().filter(within).for_each(|one| region.times.add_all(&one.times));
        region.blame.idle_ns = all.saturating_sub(region.threads).saturating_mul(region.wall_ns);
    }
}

/// The sums of the run.
fn run(report: &mut Report, recorded: &Report) {
    let recorded_ns = recorded.wall_ns;
    report.wall_ns = report.replayed_ns.min(recorded_ns).max(1);
    let part = report.wall_ns as f64 / recorded_ns.max(1) as f64;
    report.capacity_ns = (report.capacity_ns as f64 * part) as u64;
    report.times = Times::default();
    report.constructs.iter().for_each(|one| report.times.add_all(&one.times));
    // The path of the recorded run led through threads that had no core.
    report.critical_path.length_ns = 0;
    for part in &mut report.critical_path.parts {
        let construct = part.construct.and_then(|at| recorded.constructs.get(at));
        let waited = construct.map_or(0, |one| one.times.of(State::OverheadTool));
        part.recording_ns = part.recording_ns.saturating_sub(waited);
    }
    let parts = report.critical_path.parts.iter();
    report.recording.path_ns = parts.map(|part| part.recording_ns).sum();
}
