//! Facts about a recording before its records are interpreted, and an interpreter that begins with them.

use crate::calls::Calls;
use crate::clock::Clock;
use crate::code::Sites;
use crate::cores::Cores;
use crate::devices::{Device, Devices, Synchronizations};
use crate::hash::FastMap;
use crate::interpret::Interpreter;
use crate::life;
use crate::lookahead::{Lookahead, is_first_of_process};
use crate::names::{CodeNames, Names};
use crate::out::Out;
use crate::samples::Samples;
use crate::state::thread::Thread;
use crate::time_windows::Window;
use ompttrace_model::AnySink;
use ompttrace_model::{Chunks, RunInfo, ThreadInfo};
use ompttrace_recording::Recording;
use ompttrace_recording::events::Record;
use ompttrace_recording::facts::Runtime;
use ompttrace_recording::reader::Stream;
use ompttrace_symbols::{Change, Modules, PerfMap, StoredNames, Symbolizer};
use std::collections::HashMap;

/// The interfaces whose runtimes number tasks and regions themselves.
const WITH_NUMBERS: [&str; 2] = ["ompt-tr2", "collector"];
/// The part of a thread's number that ids carry.
const NUMBER_IN_IDS: u64 = (1 << 18) - 1;

/// Bytes of records of a window at least, and how many windows there are at most: each costs something.
const WINDOW: u64 = 1 << 20;
const WINDOWS: u64 = 4096;

/// Facts about a recording before its records are interpreted.
pub(crate) struct Setup<'a> {
    pub recording: &'a Recording,
    pub clock: Clock,
    /// Times of the first record and of the last one, in ticks.
    pub first: u64,
    pub last: u64,
    /// Begin and end of the run, in CLOCK_MONOTONIC nanoseconds.
    pub begin: u64,
    pub end: u64,
    /// The part of the run's time that sinks are to show.
    shown: Window,
    infos: Vec<ThreadInfo>,
    devices: Vec<Device>,
    /// Names of kernels that devices ran.
    kernels: HashMap<u64, String>,
    /// Events and streams that calls, and streams of devices, wait for.
    synchronizations: Synchronizations,
    /// Changes of the meaning of code addresses during the run.
    changes: Vec<Change>,
    cores: Cores,
    samples: Samples,
    calls: Calls,
    /// The threads' numbers as ids carry them.
    pub numbers: Vec<u64>,
}

impl<'a> Setup<'a> {
    pub(crate) fn of(recording: &'a Recording) -> Setup<'a> {
        let (mut infos, mut span) = Lookahead::new(recording).threads();
        let Devices { threads: mut devices, texts: kernels, synchronizations, .. } =
            Devices::of(recording);
        let calls = Calls::of(&mut devices, &infos);
        infos.extend(devices.iter().map(|device| device.info.clone()));
        let of_devices = devices.iter().filter_map(Device::span).chain(calls.spans());
        span = (span.into_iter().chain(of_devices))
            .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        let clock = Clock::of(recording);
        let (first, last) = span.unwrap_or_default();
        let span = span.map(|(first, last)| (clock.nanoseconds(first), clock.nanoseconds(last)));
        let (begin, end) = life::span(recording, span);
        let numbers = infos.iter().map(|info| u64::from(info.number) & NUMBER_IN_IDS).collect();
        Setup {
            recording,
            clock,
            first,
            last,
            begin,
            end,
            shown: Window::default(),
            infos,
            devices,
            kernels,
            synchronizations,
            changes: Modules::from_text(&recording.modules_text()).changes().to_vec(),
            cores: Cores::of(recording),
            samples: Samples::of(recording),
            calls,
            numbers,
        }
    }

    /// The setup for sinks that show a window of the run's time.
    pub(crate) fn showing(self, shown: Window) -> Setup<'a> {
        Setup { shown, ..self }
    }

    /// The description of the run that sinks get first: of the part that they are to show.
    pub(crate) fn run_info(&self) -> RunInfo<'_> {
        let facts = &self.recording.facts;
        let monotonic = facts.clock.pairs.first().map_or(0, |pair| pair.monotonic);
        let realtime_offset = facts.clock.realtime.wrapping_sub(monotonic) as i64;
        let run = RunInfo {
            facts,
            threads: &self.infos,
            begin: self.begin,
            end: self.end,
            realtime_offset,
        };
        self.shown.of(run)
    }

    /// The names of code addresses. It costs time to make, and more to fill.
    pub(crate) fn code_names(&self) -> CodeNames {
        let facts = &self.recording.facts;
        // One that is linked in shares its file with the program's own code.
        let apart = facts.runtimes.iter().filter(|one| one.library != facts.process.executable);
        let modules = Modules::from_text(&self.recording.modules_text());
        let mut symbolizer = Symbolizer::new(modules)
            .with_perf_map(PerfMap::from_text(&self.recording.perf_map_text()));
        // Without names rather than with those of other files where they cannot be read, which the command reports.
        if let Some(text) = self.recording.symbols_text() {
            let stored = StoredNames::from_json(&text.unwrap_or_default());
            symbolizer = symbolizer.with_stored(stored.unwrap_or_default());
        }
        CodeNames::new(symbolizer, &apart.cloned().collect::<Vec<_>>())
    }

    /// All streams: the threads' own, those of devices, of cores, of samples, and of calls.
    pub(crate) fn streams(&self) -> Vec<Stream<'a>> {
        let recording = self.recording;
        let host = (0..recording.threads.len()).map(|position| recording.stream(position));
        let streams = host.chain(self.devices.iter().map(Device::stream));
        let streams = streams.chain(self.cores.streams(recording));
        streams.chain(self.samples.streams(recording)).chain(self.calls.streams()).collect()
    }

    /// Number of streams that are threads' own, those of the host and of devices.
    pub(crate) fn own(&self) -> u32 {
        (self.recording.threads.len() + self.devices.len()) as u32
    }

    /// Returns true if the meaning of code addresses and ids does not depend on earlier records, and no records are a
    /// device's.
    pub(crate) fn is_simple(&self) -> bool {
        let facts = &self.recording.facts;
        self.devices.is_empty()
            && self.calls.are_none()
            && self.changes.is_empty()
            && !facts.life.paused
            && !facts.runtimes.iter().any(has_numbers)
    }

    /// Times, in ticks, that cut the records into windows, of this many bytes where they are not to be the usual ones.
    pub(crate) fn cuts(&self, window: Option<u64>) -> Vec<u64> {
        self.recording.cuts(window.unwrap_or(self.window()), self.last)
    }

    /// Number of bytes of a usual window's records.
    pub(crate) fn window(&self) -> u64 {
        WINDOW.max(self.recording.bytes_of_threads() / WINDOWS)
    }

    /// The first ticks at a time of the run, in nanoseconds since its begin.
    pub(crate) fn first_ticks(&self, time: u64) -> u64 {
        let time = self.begin.saturating_add(time);
        let (mut low, mut high) = (0, u64::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.clock.nanoseconds(middle) < time { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// An interpreter before the first record.
    pub(crate) fn interpreter<'w>(
        &'w self,
        sink: &'w mut dyn AnySink,
        min_resume_ns: u64,
        code_names: CodeNames,
    ) -> Interpreter<'w> {
        let facts = &self.recording.facts;
        sink.start(&self.run_info());
        let lookahead = Lookahead::new(self.recording).with_changes(&self.changes);
        let names = Names::new(code_names, &self.changes, Sites::new(lookahead));
        let out = Out::new(sink, min_resume_ns);
        let mut interpreter =
            Interpreter::new(out, names, lookahead, self.clock.clone(), self.end, self.threads());
        interpreter.expect_chunks(Chunks::of(facts));
        if !self.calls.are_none() || self.devices.iter().any(Device::has_activities) {
            interpreter.expect_activities(&self.kernels, &self.synchronizations);
        }
        interpreter.expect_counters(facts.counters.counted.len() as u64);
        if !self.cores.are_none() {
            interpreter.expect_cores(self.cores.states(self.recording), self.begin);
        }
        for runtime in &facts.runtimes {
            interpreter.name_implementations(&runtime.mutex_implementations);
            if has_numbers(runtime) {
                interpreter.expect_source_ids(facts.runtimes.iter().all(has_numbers));
            }
        }
        if !facts.runtimes.iter().all(|runtime| runtime.reports("task_schedule")) {
            interpreter.expect_no_switches();
        }
        if let Some((thread, initial)) = life::initial_task(self.recording, lookahead) {
            interpreter.begin_process(thread, self.begin, initial);
        }
        interpreter
    }

    /// Interprets a record of a stream that is no thread's own.
    pub(crate) fn other_record(
        &self,
        interpreter: &mut Interpreter<'_>,
        stream: u32,
        record: Record<'_>,
    ) {
        let stream = stream.wrapping_sub(self.own());
        let after_cores = stream.wrapping_sub(self.cores.len() as u32);
        let after_samples = after_cores.wrapping_sub(self.samples.len() as u32);
        if let Some(owner) = self.cores.owner(stream) {
            interpreter.core_record(owner, record);
        } else if let Some(owner) = self.samples.owner(after_cores) {
            interpreter.sample_record(owner, record);
        } else if let Some(caller) = self.calls.caller(after_samples) {
            interpreter.call_record(caller, record);
        }
    }

    /// The state of every thread, and where to find it by the number that ids carry.
    fn threads(&self) -> (Vec<Thread>, FastMap<u64, u32>) {
        let mut by_number = FastMap::default();
        let mut threads = Vec::new();
        for ((info, number), position) in self.infos.iter().zip(&self.numbers).zip(0..) {
            threads.push(Thread::new(position, *number, info.kind));
            by_number.insert(*number, position);
        }
        let own = self.recording.threads.len();
        let of_process = (0..own).find(|at| is_first_of_process(self.recording, *at));
        if let Some(first) = threads.get_mut(of_process.unwrap_or(0)) {
            first.first_of_process = true;
        }
        (threads, by_number)
    }
}

fn has_numbers(runtime: &Runtime) -> bool {
    WITH_NUMBERS.contains(&runtime.interface.as_str())
}
