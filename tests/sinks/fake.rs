//! An artificial run: drives a sink as a timeline would, and counts its events.

use std::collections::HashMap;

use ompttrace_model::ompt;
use ompttrace_model::{
    Chunks, Counter, Definitions, Event, Executor, Instant, InstantKind, Lock, LockRef,
    LogicalThread, LogicalThreadRef, Mark, NameRef, RegionTrack, RunInfo, Sink, Slice, SliceKind,
    SourceLocation, SourceRef, State, Summary, ThreadInfo, ThreadRef,
};
use ompttrace_recording::facts::{Facts, Process, Runtime};

pub const START: u64 = 1_000_000_000_000;
pub const REALTIME_OFFSET: i64 = 1_700_000_000_000_000_000;

/// A sink and the events that it got.
pub struct Fake<S> {
    pub sink: S,
    pub reported: Summary,
    pub definitions: Definitions,
    names: HashMap<String, NameRef>,
    source_lines: HashMap<u32, SourceRef>,
    logical_threads: HashMap<String, LogicalThreadRef>,
    locks: HashMap<String, LockRef>,
    open: HashMap<ThreadRef, Vec<(Executor, SliceKind)>>,
}

/// The facts of the program `stencil`.
pub fn facts() -> Facts {
    Facts {
        tool: "0.1.0".into(),
        process: Process {
            pid: 4711,
            executable: "/home/me/stencil".into(),
            arguments: vec!["./stencil".into(), "-n".into(), "100".into()],
            host: "node7".into(),
            ..Process::default()
        },
        runtimes: vec![Runtime {
            version: "LLVM OMP version: 5.0.20140926".into(),
            ..Runtime::default()
        }],
        ..Facts::default()
    }
}

/// An initial thread and its workers. The kernel's ids are not in order.
pub fn threads(count: u32) -> Vec<ThreadInfo> {
    let one = |number| ThreadInfo {
        number,
        os_thread: if number == 0 { 4711 } else { 4800 - number },
        name: "stencil".into(),
        kind: if number == 0 { ompt::Thread::Initial } else { ompt::Thread::Worker },
        stream: None,
    };
    (0..count).map(one).collect()
}

impl<S: Sink> Fake<S> {
    /// A run with these threads.
    pub fn new(mut sink: S, threads: &[ThreadInfo]) -> Self {
        let (facts, begin) = (facts(), START);
        let end = START + 1_000_000_000;
        sink.start(&RunInfo {
            facts: &facts,
            threads,
            begin,
            end,
            realtime_offset: REALTIME_OFFSET,
        });
        Fake {
            sink,
            reported: Summary::default(),
            definitions: Definitions::default(),
            names: HashMap::new(),
            source_lines: HashMap::new(),
            logical_threads: HashMap::new(),
            locks: HashMap::new(),
            open: HashMap::new(),
        }
    }

    pub fn finish(self) -> (Summary, Result<S::Output, S::Error>) {
        assert!(self.open.values().all(Vec::is_empty), "the fake left a slice open");
        let output = self.sink.finish(&self.definitions, &self.reported);
        (self.reported, output)
    }

    /// Anything.
    #[inline(always)]
    pub fn emit(&mut self, at: u64, event: Event<'_>) {
        self.sink.event(&self.definitions, at, &event);
    }

    pub fn name(&mut self, text: &str) -> NameRef {
        if let Some(&known) = self.names.get(text) {
            return known;
        }
        let name = self.definitions.add_string(text);
        self.names.insert(text.to_owned(), name);
        name
    }

    /// A line of stencil.c.
    pub fn line(&mut self, line: u32) -> SourceRef {
        if let Some(&known) = self.source_lines.get(&line) {
            return known;
        }
        let what = SourceLocation {
            function: Some("heat_step".into()),
            file: Some("/home/me/src/stencil.c".into()),
            line: Some(line),
            ..SourceLocation::default()
        };
        let location = self.definitions.add_source_location(what);
        self.source_lines.insert(line, location);
        location
    }

    /// A thread on the logical thread with this path.
    pub fn on(&mut self, thread: u32, path: &str) -> Executor {
        let logical_thread = self
            .logical_threads
            .get(path)
            .copied()
            .unwrap_or_else(|| self.new_logical_thread(path));
        Executor { thread, logical_thread: Some(logical_thread) }
    }

    fn new_logical_thread(&mut self, path: &str) -> LogicalThreadRef {
        let logical_thread = self.logical_threads.len() as LogicalThreadRef;
        self.logical_threads.insert(path.to_owned(), logical_thread);
        let order = path.split('.').map(|number| number.parse().unwrap_or(u32::MAX)).collect();
        self.definitions.add_logical_thread(LogicalThread {
            logical_thread,
            parent: None,
            path: path.to_owned(),
            order,
        });
        logical_thread
    }

    pub fn lock(&mut self, name: &str) -> LockRef {
        if let Some(&known) = self.locks.get(name) {
            return known;
        }
        let lock = self.locks.len() as LockRef;
        self.locks.insert(name.to_owned(), lock);
        self.definitions.add_lock(Lock {
            lock,
            kind: ompt::Mutex::Critical,
            wait_id: 0x40_4040,
            name: name.to_owned(),
            held_name: 0,
            wait_name: 0,
        });
        lock
    }

    pub fn slice(&mut self, kind: SliceKind, name: &str, line: u32) -> Slice<'static> {
        let name = self.name(name);
        Slice::new(kind, name, if line == 0 { 0 } else { self.line(line) })
    }

    pub fn new_instant(&mut self, kind: InstantKind, name: &str, line: u32) -> Instant<'static> {
        let slice = self.slice(SliceKind::Masked, name, line);
        Instant::new(kind, slice.name, slice.source)
    }

    pub fn begin(&mut self, at: u64, executor: Executor, slice: &Slice<'_>) {
        self.reported.slices += 1;
        self.reported.logical_thread_slices += u64::from(executor.logical_thread.is_some());
        self.open.entry(executor.thread).or_default().push((executor, slice.kind));
        self.emit(at, Event::Begin(executor, *slice));
        self.state(at, executor.thread);
    }

    pub fn end(&mut self, at: u64, executor: Executor, mark: Mark) {
        let open = self.open.get_mut(&executor.thread).and_then(Vec::pop).expect("a slice is open");
        assert_eq!(open.0, executor, "slices of a thread end in another order");
        self.emit(at, Event::End(executor, open.1, mark));
        self.state(at, executor.thread);
    }

    /// Emits the thread's state from `at` on: that of its innermost open slice, or work if there is none.
    fn state(&mut self, at: u64, thread: ThreadRef) {
        let work = State::WorkParallel;
        let open = self.open[&thread].last();
        let state = open.map_or(work, |(_, kind)| State::of_slice(*kind, work, Chunks::None));
        self.emit(at, Event::State(thread, Some(state)));
    }

    pub fn instant(&mut self, at: u64, executor: Executor, instant: &Instant<'_>) {
        self.reported.instants += 1;
        self.reported.logical_thread_instants += u64::from(executor.logical_thread.is_some());
        self.emit(at, Event::Instant(executor, *instant));
    }

    pub fn region(&mut self, begin: u64, end: u64, track: RegionTrack, slice: &Slice<'_>) {
        self.reported.region_slices += 1;
        self.emit(begin, Event::RegionBegin(track, *slice));
        self.emit(end, Event::RegionEnd(track, Mark::Observed));
    }

    pub fn hold(
        &mut self,
        begin: u64,
        end: u64,
        lock: LockRef,
        executor: Executor,
        slice: &Slice<'_>,
    ) {
        self.reported.hold_slices += 1;
        self.emit(begin, Event::HoldBegin(lock, executor, *slice));
        self.emit(end, Event::HoldEnd(lock, Mark::Observed));
    }

    pub fn counter(&mut self, at: u64, counter: Counter, value: i64) {
        self.reported.counter_values += 1;
        self.emit(at, Event::Counter(counter, value));
    }
}
