//! Definitions of the things that a run's events refer to, each defined once and named by a number from then on.

use crate::context::{ContextFrame, ContextRef};
use crate::mpi::Communicator;
use crate::objects::MpiObject;
use crate::ompt::{Mutex, Thread};
use ompttrace_recording::facts::Facts;

/// A thread's position in [`RunInfo::threads`].
pub type ThreadRef = u32;
/// A logical thread's number, dense from 0.
pub type LogicalThreadRef = u32;
/// A lock's number, dense from 0.
pub type LockRef = u32;
/// A text's number, dense from 0 (a slice's name).
pub type NameRef = u32;
/// A source location's number, dense from 1; 0 is "none".
pub type SourceRef = u32;

/// The facts of a run that are known before its first event.
#[derive(Clone, Debug)]
pub struct RunInfo<'a> {
    /// The recording's facts.
    pub facts: &'a Facts,
    /// Every thread that recorded anything.
    pub threads: &'a [ThreadInfo],
    /// Time at which the process began, or of the first record if that is not known, in CLOCK_MONOTONIC nanoseconds.
    pub begin: u64,
    /// Time at which the process ended, or of its last sign of life, in CLOCK_MONOTONIC nanoseconds; not before the
    /// last record.
    pub end: u64,
    /// CLOCK_REALTIME less CLOCK_MONOTONIC, nanoseconds, at the start of the run.
    pub realtime_offset: i64,
}

/// One OS thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadInfo {
    /// Our number, in the order in which threads appeared.
    pub number: u32,
    /// The kernel's id; repeats when the kernel used it again.
    pub os_thread: u32,
    /// The kernel's name of the thread, may be empty.
    pub name: String,
    /// The thread's role in OpenMP.
    pub kind: Thread,
    /// For a stream of an accelerator which one it is.
    pub stream: Option<DeviceStream>,
}

/// A stream of an accelerator, by the numbers of its driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceStream {
    /// The device.
    pub device: u32,
    /// The context on it.
    pub context: u32,
    /// The stream of the context.
    pub stream: u32,
}

/// One logical thread: a path of thread numbers below a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogicalThread {
    /// Its number.
    pub logical_thread: LogicalThreadRef,
    /// The logical thread whose task forked it.
    pub parent: Option<LogicalThreadRef>,
    /// For example `0.1.3`; further roots are `r1`, `r1.0`; initial tasks of leagues `0.t2`; hidden helpers `h0`.
    pub path: String,
    /// Sorts logical threads as people expect: roots first, then by the numbers of the path.
    pub order: Vec<u32>,
}

/// One mutex: a lock, a critical section's, an atomic's, an ordered's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// Its number.
    pub lock: LockRef,
    /// The kind of mutex that its first event names.
    pub kind: Mutex,
    /// The runtime's wait id.
    pub wait_id: u64,
    /// Name of the mutex for users: `critical update`, `lock 0x5581…`.
    pub name: String,
    /// The name of slices on the lock's track, which show that it is held.
    pub held_name: NameRef,
    /// The name of slices of waiting for it.
    pub wait_name: NameRef,
}

/// A location in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// The user's function.
    pub function: Option<String>,
    /// Its file, as the compiler wrote it.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column, from 1.
    pub column: Option<u32>,
    /// True if the code itself has no line, and `line` is the nearest one of its function.
    pub is_near: bool,
    /// Module, offset in it and build id where there is no source line.
    pub module: Option<String>,
    /// True if the location lies in an OpenMP runtime, not in the program.
    pub in_runtime: bool,
}

impl SourceLocation {
    /// File and line of the program: `stencil.c:42`, or `near stencil.c:42`. Blanks in the file's name become `_`, so
    /// that one can see where the name ends.
    pub fn program_line(&self) -> Option<String> {
        let (Some(file), Some(line), false) = (&self.file, self.line, self.in_runtime) else {
            return None;
        };
        let near = if self.is_near { "near " } else { "" };
        let file = file.rsplit('/').next()?.replace(char::is_whitespace, "_");
        Some(format!("{near}{file}:{line}"))
    }
}

/// All definitions of a run so far. They only grow: a number that was given stays what it is.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    strings: Vec<Box<str>>,
    source_locations: Vec<SourceLocation>,
    contexts: Vec<ContextFrame>,
    logical_threads: Vec<LogicalThread>,
    locks: Vec<Lock>,
    communicators: Vec<Communicator>,
    objects: Vec<MpiObject>,
    count: usize,
}

impl Definitions {
    /// Defines a text.
    pub fn add_string(&mut self, text: &str) -> NameRef {
        self.count += 1;
        self.strings.push(text.into());
        self.strings.len() as NameRef - 1
    }

    /// Defines a source location.
    pub fn add_source_location(&mut self, location: SourceLocation) -> SourceRef {
        self.count += 1;
        self.source_locations.push(location);
        self.source_locations.len() as SourceRef
    }

    /// Defines a calling context, whose caller is defined.
    pub fn add_context(&mut self, frame: ContextFrame) -> ContextRef {
        self.count += 1;
        self.contexts.push(frame);
        self.contexts.len() as ContextRef
    }

    /// Defines a logical thread, whose number is the next one.
    pub fn add_logical_thread(&mut self, thread: LogicalThread) {
        self.count += 1;
        self.logical_threads.push(thread);
    }

    /// Defines a mutex, whose number is the next one.
    pub fn add_lock(&mut self, lock: Lock) {
        self.count += 1;
        self.locks.push(lock);
    }

    /// Defines a communicator of MPI, whose number is the next one.
    pub fn add_communicator(&mut self, communicator: Communicator) {
        self.count += 1;
        self.communicators.push(communicator);
    }

    /// Defines a window or a file of MPI, whose number is the next one.
    pub fn add_object(&mut self, object: MpiObject) {
        self.count += 1;
        self.objects.push(object);
    }

    /// Number of definitions of all kinds: as long as it does not change, nothing new was defined.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Numbers of definitions of each kind, as [`Definitions::since`] takes them.
    pub fn lengths(&self) -> [usize; 7] {
        [
            self.strings.len(),
            self.source_locations.len(),
            self.contexts.len(),
            self.logical_threads.len(),
            self.locks.len(),
            self.communicators.len(),
            self.objects.len(),
        ]
    }

    /// The definitions that were added since there were `lengths` of each kind. Their numbers continue from there, so
    /// that [`Definitions::extend`] can add them.
    pub fn since(&self, lengths: [usize; 7]) -> Definitions {
        fn rest<T: Clone>(all: &[T], known: usize) -> Vec<T> {
            all.get(known..).unwrap_or_default().to_vec()
        }
        let [strings, source_locations, contexts, logical_threads, locks, communicators, objects] =
            lengths;
        Definitions {
            strings: rest(&self.strings, strings),
            source_locations: rest(&self.source_locations, source_locations),
            contexts: rest(&self.contexts, contexts),
            logical_threads: rest(&self.logical_threads, logical_threads),
            locks: rest(&self.locks, locks),
            communicators: rest(&self.communicators, communicators),
            objects: rest(&self.objects, objects),
            count: self.count - lengths.iter().sum::<usize>(),
        }
    }

    /// Adds the definitions that come next, as [`Definitions::since`] returned them.
    pub fn extend(&mut self, next: Definitions) {
        self.strings.extend(next.strings);
        self.source_locations.extend(next.source_locations);
        self.contexts.extend(next.contexts);
        self.logical_threads.extend(next.logical_threads);
        self.locks.extend(next.locks);
        self.communicators.extend(next.communicators);
        self.objects.extend(next.objects);
        self.count += next.count;
    }

    /// All texts, number 0 first.
    pub fn strings(&self) -> &[Box<str>] {
        &self.strings
    }

    /// All source locations, number 1 first.
    pub fn source_locations(&self) -> &[SourceLocation] {
        &self.source_locations
    }

    /// All calling contexts, number 1 first.
    pub fn contexts(&self) -> &[ContextFrame] {
        &self.contexts
    }

    /// All logical threads, by number.
    pub fn logical_threads(&self) -> &[LogicalThread] {
        &self.logical_threads
    }

    /// All mutexes, by number.
    pub fn locks(&self) -> &[Lock] {
        &self.locks
    }

    /// All windows and files of MPI, by number.
    pub fn objects(&self) -> &[MpiObject] {
        &self.objects
    }

    /// All communicators of MPI, by number.
    pub fn communicators(&self) -> &[Communicator] {
        &self.communicators
    }
}
