//! The begin and the end of a run, which are those of its process: before the first record and after the last.

use crate::clock::Clock;
use crate::lookahead::{Lookahead, is_first_of_process};
use ompttrace_model::ompt::Thread;
use ompttrace_recording::Recording;
use ompttrace_recording::events::{Event, ImplicitTask, Scope};
use ompttrace_recording::kinds::UNREPORTED;

/// Half a year in nanoseconds: facts that make a run longer are not believed.
const LONGEST: u64 = 1 << 54;
/// ompt_task_initial.
const INITIAL: u64 = 1;

/// Begin and end of a run, in CLOCK_MONOTONIC nanoseconds, by its process and by the times of its first and last
/// records. Time before recording was switched on is no part of the run, as nothing is known of it.
pub(crate) fn span(recording: &Recording, records: Option<(u64, u64)>) -> (u64, u64) {
    let life = &recording.facts.life;
    let began = life.began.filter(|_| !life.paused);
    let ended = life.ended.as_ref().map(|end| end.monotonic).or_else(|| last_sign(recording));
    let (first, last) = match (records, began) {
        (Some(known), _) => known,
        (None, Some(began)) => (began, began),
        (None, None) => return (0, 0),
    };
    let begin = began.filter(|began| first.saturating_sub(*began) < LONGEST);
    let begin = begin.map_or(first, |began| began.min(first));
    let end = ended.filter(|ended| ended.saturating_sub(last) < LONGEST);
    (begin, end.map_or(last, |ended| ended.max(last)))
}

/// Begin and end of a run, in CLOCK_MONOTONIC nanoseconds. The first and last records are looked up, without those of
/// devices.
pub fn span_of(recording: &Recording) -> (u64, u64) {
    span(recording, records_of(recording))
}

/// Latest time at which the process is known to be alive from the recording alone, in CLOCK_MONOTONIC nanoseconds.
pub fn last_known(recording: &Recording) -> Option<u64> {
    records_of(recording).map(|(_, last)| last).max(last_sign(recording))
}

/// Times of the first and last records, in CLOCK_MONOTONIC nanoseconds, without those of devices.
pub fn records_of(recording: &Recording) -> Option<(u64, u64)> {
    let (clock, (_, span)) = (Clock::of(recording), Lookahead::new(recording).threads());
    span.map(|(first, last)| (clock.nanoseconds(first), clock.nanoseconds(last)))
}

/// The latest time at which the process was seen alive, after its records or not.
fn last_sign(recording: &Recording) -> Option<u64> {
    let written = recording.threads.iter().filter_map(|thread| thread.clock);
    written.map(|(_, last)| last.monotonic).chain(recording.last_sign).max()
}

/// The initial task that surrounds the program, on the thread that the process began with: as the
/// record of its begin has it, which a runtime sends when it is initialised, or without an id where there is
/// none. `None`: that thread or its task is not known.
pub(crate) fn initial_task(
    recording: &Recording,
    lookahead: Lookahead<'_>,
) -> Option<(u32, ImplicitTask)> {
    let life = &recording.facts.life;
    life.began.filter(|_| !life.paused)?;
    let thread = (0..recording.threads.len()).find(|at| is_first_of_process(recording, *at))?;
    let unnamed = ImplicitTask { flags: INITIAL, ..ImplicitTask::default() };
    let (kind, first) = lookahead.first_task(thread);
    // A process that calls only MPI has no task of OpenMP, and is in its initial one all the same.
    let alone = || recording.facts.has_mpi().then_some((Event::Unknown, Scope::None));
    let initial = match first.or_else(alone)? {
        (Event::Unknown, _) => Some(unnamed),
        (Event::ImplicitTask(task), Scope::Begin) => is_root(&task).then_some(task),
        (Event::ParallelBegin(region), _) if region.task == 0 => Some(unnamed),
        _ => None,
    };
    let is_root = !matches!(kind, Thread::Worker | Thread::Other);
    initial.filter(|_| is_root).map(|task| (thread as u32, task))
}

/// Returns true if a task is the initial task of a root thread, not of a league.
fn is_root(task: &ImplicitTask) -> bool {
    task.flags & INITIAL != 0 && (task.team_size <= 1 || task.team_size == UNREPORTED)
}
