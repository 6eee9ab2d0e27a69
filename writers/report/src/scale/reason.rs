//! Reason for which a region is hardly faster with more threads: the part of its thread time that grew most.

use crate::compare::Item;
use crate::model::{Class, RegionReport, Report};
use crate::state::{State, Times};
use crate::text::{duration, percent};

/// A kind of thread time, and words for the reason of its growth.
type Cause = (fn(State) -> bool, &'static str);

const CAUSES: [Cause; 6] = [
    (State::is_work, "its work takes longer side by side (memory, caches), or there is more of it"),
    (State::is_barrier, "threads wait at its barriers"),
    (is_task_wait, "threads find no task to run"),
    (State::is_mutex, "threads wait for mutexes or for their turn"),
    (State::is_overhead, "forking, joining and handing out work take longer"),
    (State::is_off_core, "threads have no core"),
];

fn is_task_wait(state: State) -> bool {
    matches!(state, State::WaitTaskwait | State::WaitTaskgroup)
}

/// Reason for the growth from the step `before` to this one, in words.
pub(super) fn reason(item: &Item, before: &Report, now: &Report, threads: u32) -> String {
    if item.class == Class::Serial {
        return "one thread works in it, however many there are".into();
    }
    let cores = now.program.cores;
    let (Some(before), Some(now)) = (find(item, before), find(item, now)) else {
        return "it is not in all runs".into();
    };
    if cores > 0 && threads > cores {
        return format!("the process may use {cores} cores");
    }
    if now.threads < u64::from(threads) && now.threads == before.threads {
        return format!("its team has {} threads", now.threads);
    }
    let growth =
        |times: &dyn Fn(&Times) -> u64| times(&now.times).saturating_sub(times(&before.times));
    let grown = CAUSES.iter().map(|(is, words)| (growth(&|times| times.sum(is)), *words));
    let all = growth(&Times::all).max(1);
    match grown.max_by_key(|(time, _)| *time) {
        Some((time, words)) if time > 0 => {
            let share = percent((time as f64 / all as f64).min(1.0));
            format!("{words}: {} more thread time ({share} of all that was added)", duration(time))
        }
        _ => "nothing in it grew".into(),
    }
}

fn find<'r>(item: &Item, report: &'r Report) -> Option<&'r RegionReport> {
    let is_it = |region: &&RegionReport| {
        report.constructs.get(region.construct).is_some_and(|one| one.name == item.name)
    };
    report.regions.iter().find(is_it)
}
