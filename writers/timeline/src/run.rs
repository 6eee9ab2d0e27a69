//! The whole way: who the threads are, records in the order of time, interpretation, summary.

use crate::before;
use crate::clock::Clock;
use crate::code::Sites;
use crate::cores;
use crate::devices::{Device, Devices};
use crate::hash::FastMap;
use crate::interpret::World;
use crate::life;
use crate::lookahead::{Lookahead, is_first_of_process};
use crate::merge::Merge;
use crate::names::Names;
use crate::out::Out;
use crate::samples::Samples;
use crate::state::thread::Thread;
use ompttrace_model::{RunInfo, Sink, Summary, ThreadInfo, has_chunks};
use ompttrace_recording::Recording;
use ompttrace_recording::events::Record;
use ompttrace_recording::facts::Runtime;
use ompttrace_recording::reader::ThreadIndex;
use ompttrace_symbols::Modules;
use thiserror::Error;

/// The interfaces whose runtimes number tasks and regions themselves.
const WITH_NUMBERS: [&str; 2] = ["ompt-tr2", "collector"];
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

/// Hands the timeline of `recording` to `sink`.
pub fn run<S: Sink>(
    recording: &Recording,
    sink: S,
) -> Result<(S::Output, Summary), TimelineError<S::Error>> {
    run_with(
        recording,
        sink,
        Options { min_resume_ns: S::MIN_RESUME_NS, window: (None, None), watch: |_, _| {} },
    )
}

/// How a timeline is made.
#[derive(Clone, Copy, Debug)]
pub struct Options<W> {
    /// In place of [`Sink::MIN_RESUME_NS`].
    pub min_resume_ns: u64,
    /// What is wanted of the run's time, nanoseconds since its begin: what is before or behind may be left out, as far as
    /// it does not matter.
    pub window: (Option<u64>, Option<u64>),
    /// Called now and then with how many of how many bytes of records are done, about.
    pub watch: W,
}

/// As [`run`], with options.
pub fn run_with<S: Sink, W: FnMut(u64, u64)>(
    recording: &Recording,
    mut sink: S,
    options: Options<W>,
) -> Result<(S::Output, Summary), TimelineError<S::Error>> {
    let Options { min_resume_ns, window, mut watch } = options;
    let lookahead = Lookahead::new(recording);
    let (mut infos, mut span) = lookahead.threads();
    let devices = Devices::of(recording).threads;
    for device in &devices {
        infos.push(device.info.clone());
        let spans = span.into_iter().chain(device.span());
        span = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    }
    let clock = Clock::of(recording);
    let span = span.map(|(first, last)| (clock.nanoseconds(first), clock.nanoseconds(last)));
    let (begin, end) = life::span(recording, span);
    let facts = &recording.facts;
    let monotonic = facts.clock.pairs.first().map_or(0, |pair| pair.monotonic);
    let realtime_offset = facts.clock.realtime.wrapping_sub(monotonic) as i64;
    sink.start(&RunInfo { facts, threads: &infos, begin, end, realtime_offset });
    let modules = Modules::from_text(&recording.modules_text());
    let changes = modules.changes().to_vec();
    let lookahead = lookahead.with_changes(&changes);
    // One that is linked in shares its file with the program's own code.
    let apart = facts.runtimes.iter().filter(|one| one.library != facts.process.executable);
    let apart: Vec<_> = apart.cloned().collect();
    let names = Names::new(modules, &changes, &apart, Sites::new(lookahead));
    let threads = threads(recording, &infos);
    let cores = cores::Cores::of(recording);
    let samples = Samples::of(recording);
    let all_streams = || {
        let host = (0..recording.threads.len()).map(|position| recording.stream(position));
        let streams = host.chain(devices.iter().map(Device::stream));
        let streams = streams.chain(cores.streams(recording));
        streams.chain(samples.streams(recording)).collect::<Vec<_>>()
    };
    let mut streams = all_streams();
    let first_of_cores = (recording.threads.len() + devices.len()) as u32;
    let first_of_samples = first_of_cores + cores.len() as u32;
    let numbers: Vec<_> = infos.iter().map(|info| u64::from(info.number) & NUMBER_IN_IDS).collect();
    // What code addresses and ids mean depends on what came before, or the records are a device's.
    let is_simple = devices.is_empty()
        && changes.is_empty()
        && !facts.life.paused
        && !facts.runtimes.iter().any(|runtime| WITH_NUMBERS.contains(&runtime.interface.as_str()));
    let mut world =
        World::new(Out::new(sink, min_resume_ns), names, lookahead, clock, end, threads);
    world.expect_chunks(has_chunks(facts));
    world.expect_counters(facts.counters.counted.len() as u64);
    if !cores.are_none() {
        world.expect_cores(cores.states(recording), begin);
    }
    let has_numbers = |runtime: &Runtime| WITH_NUMBERS.contains(&runtime.interface.as_str());
    for runtime in &facts.runtimes {
        world.name_implementations(&runtime.mutex_implementations);
        if has_numbers(runtime) {
            world.expect_source_ids(facts.runtimes.iter().all(has_numbers));
        }
    }
    if !facts.runtimes.iter().all(|runtime| runtime.reports("task_schedule")) {
        world.expect_no_switches();
    }
    if let Some((thread, initial)) = life::initial_task(recording, lookahead) {
        world.begin_process(thread, begin, initial);
    }
    let all = recording.threads.iter().map(ThreadIndex::bytes).sum();
    let mut until_watched = WATCH;
    let (from, until) = ticks(window, begin, clock);
    let numbered = numbers.len() as u32;
    let beside = |world: &mut World<'_, S>, stream: u32, record: Record<'_>| {
        let sampled = stream.checked_sub(first_of_samples);
        if let Some(owner) = sampled.and_then(|stream| samples.owner(stream)) {
            world.sample_record(owner, record);
        } else if let Some(owner) = cores.owner(stream.wrapping_sub(first_of_cores)) {
            world.core_record(owner, record);
        }
    };
    if let Some(from) = from.filter(|_| is_simple) {
        match before::read(streams, &numbers, from) {
            Some((moved, before)) => {
                streams = moved;
                world.know(&before, numbered, beside);
            }
            None => streams = all_streams(),
        }
    }
    let read = Merge::new(streams).until(until).run(|thread, record| {
        if thread < first_of_cores {
            world.record(thread, record);
        } else {
            beside(&mut world, thread, record);
        }
        until_watched -= 1;
        if until_watched == 0 {
            until_watched = WATCH;
            watch(world.bytes().min(all), all);
        }
    });
    if until != u64::MAX {
        world.come_to(clock.nanoseconds(until));
    }
    let lost = facts.lost.values().fold(0, |sum: u64, count| sum.saturating_add(*count));
    world.finish(lost, read, recording.missing())
}

/// Nanoseconds around a window that are read as well: what is known of an event may come a little later.
const AROUND: u64 = 1_000_000;

/// From the first record that may matter to the last one, in ticks.
fn ticks(window: (Option<u64>, Option<u64>), begin: u64, clock: Clock) -> (Option<u64>, u64) {
    let first_at = |time: u64| {
        let (mut low, mut high) = (0, u64::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            if clock.nanoseconds(middle) < time { low = middle + 1 } else { high = middle }
        }
        low
    };
    let from = window.0.map(|from| first_at(begin.saturating_add(from).saturating_sub(AROUND)));
    let until = window.1.map(|to| first_at(begin.saturating_add(to).saturating_add(AROUND)));
    (from, until.unwrap_or(u64::MAX))
}

/// The state of every thread, and where to find it by the number that ids carry.
fn threads(recording: &Recording, infos: &[ThreadInfo]) -> (Vec<Thread>, FastMap<u64, u32>) {
    let mut by_number = FastMap::default();
    let mut threads = Vec::new();
    for (position, info) in (0..).zip(infos) {
        let number = u64::from(info.number) & NUMBER_IN_IDS;
        threads.push(Thread::new(position, number, info.kind));
        by_number.insert(number, position);
    }
    let of_process = (0..recording.threads.len()).find(|at| is_first_of_process(recording, *at));
    if let Some(first) = threads.get_mut(of_process.unwrap_or(0)) {
        first.first_of_process = true;
    }
    (threads, by_number)
}
