//! The whole way: first pass, records read ahead, interpretation, summary.

use crate::ahead::each_record;
use crate::clock::Clock;
use crate::hash::FastMap;
use crate::interpret::World;
use crate::names::Names;
use crate::sink::{RunInfo, Sink, Summary};
use crate::state::thread::Thread;
use crate::survey::{is_first_of_process, survey};
use ompttrace_recording::Recording;
use thiserror::Error;

/// Records between two calls of a watcher.
const WATCH: u64 = 1 << 18;
/// The part of a thread's number that ids carry.
const NUMBER_IN_IDS: u64 = (1 << 18) - 1;

/// Why there is no timeline.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TimelineError<E> {
    /// The sink could not do its work.
    #[error("{0}")]
    Sink(E),
}

/// Tells the timeline of `recording` to `sink`.
pub fn run<S: Sink>(
    recording: &Recording,
    sink: S,
) -> Result<(S::Output, Summary), TimelineError<S::Error>> {
    run_watched(recording, sink, |_, _| {})
}

/// As [`run`]; now and then `watch` is told how many of how many records are done.
pub fn run_watched<S: Sink>(
    recording: &Recording,
    mut sink: S,
    mut watch: impl FnMut(u64, u64),
) -> Result<(S::Output, Summary), TimelineError<S::Error>> {
    let first_pass = survey(recording);
    let clock = Clock::of(recording);
    let (first, last) = first_pass.span.unwrap_or((0, 0));
    let (begin, end) = (clock.nanoseconds(first), clock.nanoseconds(last));
    let facts = &recording.facts;
    let monotonic = facts.clock.pairs.first().map_or(0, |pair| pair.monotonic);
    let realtime_offset = facts.clock.realtime.wrapping_sub(monotonic) as i64;
    let info = RunInfo { facts, threads: &first_pass.threads, begin, end, realtime_offset };
    sink.start(&info);
    let events = first_pass.events();
    let mut names = Names::new(&recording.modules_text(), &facts.runtimes, first_pass.sites);
    let (mut threads, by_number) = threads(recording, &first_pass.threads);
    for (thread, fork) in threads.iter_mut().zip(&first_pass.first_forks) {
        thread.helper = fork.is_some_and(|code| names.is_in_runtime(code));
    }
    let mut world = World::new(sink, names, clock, end, threads, by_number);
    for runtime in &facts.runtimes {
        world.name_implementations(&runtime.mutex_implementations);
    }
    let all = first_pass.counts.records;
    let mut done = 0;
    each_record(recording, |thread, record| {
        world.record(thread, record);
        done += 1;
        if done % WATCH == 0 {
            watch(done, all);
        }
    });
    let (output, mut summary) = world.finish(first_pass.counts.lost_sum())?;
    summary.events = events;
    Ok((output, summary))
}

/// The state of every thread, and where to find it by the number that ids carry.
fn threads(
    recording: &Recording,
    infos: &[crate::sink::ThreadInfo],
) -> (Vec<Thread>, FastMap<u64, u32>) {
    let mut by_number = FastMap::default();
    let mut threads = Vec::new();
    for (position, (index, info)) in recording.threads.iter().zip(infos).enumerate() {
        let position = position as u32;
        threads.push(Thread::new(position, info.kind));
        by_number.insert(u64::from(index.number) & NUMBER_IN_IDS, position);
    }
    let of_process = recording.threads.iter().position(|t| is_first_of_process(t, recording));
    if let Some(first) = threads.get_mut(of_process.unwrap_or(0)) {
        first.first_of_process = true;
    }
    (threads, by_number)
}
