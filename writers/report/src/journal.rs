//! The journal: every charge of the accounts in its order, for users who need more than its sums: the parts of each
//! thread's time, the thread that ended each wait, and the charges for lost time of other threads.
//!
//! [`Report`](crate::Report) is the sum of the same entries: writers of tables need no accounts of their own.

use crate::model::{Class, Site};
use crate::state::State;
use ompttrace_model::ThreadRef;
use ompttrace_recording::Id;

/// Account that time is charged to; constructs are positions in [`Report::constructs`](crate::Report).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Account {
    /// A construct.
    Construct(u32),
    /// The serial section behind this region (0: the begin of the program), always: which region comes next, and so which
    /// construct of [`Class::Serial`] it is, is not known while it lasts.
    SerialAfter(u32),
}

/// A part of a thread's time, in one state. Parts of a thread follow each other without gaps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The thread, by its position among the run's.
    pub thread: ThreadRef,
    /// Begin of the part, in CLOCK_MONOTONIC nanoseconds.
    pub begin: u64,
    /// End of the part, in CLOCK_MONOTONIC nanoseconds; later than `begin`.
    pub end: u64,
    /// The state of the thread.
    pub state: State,
    /// Account that the time is charged to.
    pub account: Account,
    /// The instance of the parallel region that the thread is in.
    pub region: Id,
    /// The task that runs, the implicit one if no other does.
    pub task: Id,
    /// True if the account is charged with the idleness and waiting of other threads meanwhile: by the growth of
    /// `blame`.
    pub works: bool,
    /// True if it is not recorded whether the thread had a core: a later [`Entry::Moved`] may correct a part of the
    /// time.
    pub is_unread: bool,
    /// The running sums of blame shifting at the end of the part.
    pub blame: Running,
}

/// Blame shifting's running sums since the begin of the run, in nanoseconds for each thread that works.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Running {
    /// Idleness.
    pub idle: f64,
    /// Waiting at barriers and for tasks.
    pub wait: f64,
}

/// A step of a critical path from one thread to another: because of a wait that is over, a fork or a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The thread that goes on.
    pub thread: ThreadRef,
    /// Time at which this thread goes on, in CLOCK_MONOTONIC nanoseconds.
    pub at: u64,
    /// The thread from which the path comes.
    pub by: ThreadRef,
    /// Time at which the path leaves that thread, in CLOCK_MONOTONIC nanoseconds.
    pub since: u64,
    /// The construct in which that thread had worked last.
    pub construct: u32,
}

/// One entry. They come in the order in which the accounts are made; those of a thread go forward in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry {
    /// Time passed.
    Part(Part),
    /// A thread's last part ended in a wait, which another thread ended.
    Released {
        /// The thread that waited.
        thread: ThreadRef,
        /// The thread that was waited for.
        by: ThreadRef,
        /// The construct in which that one had worked last.
        construct: u32,
    },
    /// The chain of activities that led to a thread's present state continues the chain of another thread.
    Follows(Link),
    /// Of the unread time of a thread in a state the kernel's accounting says that it was another's.
    Moved {
        /// The thread.
        thread: ThreadRef,
        /// Time of the reading, in CLOCK_MONOTONIC nanoseconds.
        at: u64,
        /// Account that the time was charged to.
        account: Account,
        /// The state that the time was charged as.
        from: State,
        /// The state that the time belongs to.
        to: State,
        /// Amount of time, in nanoseconds.
        nanoseconds: u64,
    },
    /// The kernel's accounting was read: all of a thread's time up to here is as it is going to stay.
    Read(ThreadRef),
    /// Others waited for a mutex while a thread held it.
    Held {
        /// The holder.
        thread: ThreadRef,
        /// Time of the release, in CLOCK_MONOTONIC nanoseconds.
        at: u64,
        /// The construct that it took the mutex in.
        construct: u32,
        /// State of the thread at the release.
        state: State,
        /// Waiting time of the other threads, in nanoseconds.
        nanoseconds: u64,
    },
    /// The running sums at the next edge of the [`Edges`].
    Edge(Running),
}

/// Times at which the running sums are wanted: evenly spaced, in [`Entry::Edge`] before any part that ends later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges {
    /// The next one, CLOCK_MONOTONIC nanoseconds.
    pub next: u64,
    /// Distance between two edges, in nanoseconds.
    pub distance: u64,
    /// Number of edges that are still to come.
    pub left: u32,
}

/// A construct as accounts name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Construct {
    /// Class of the construct.
    pub class: Class,
    /// The region that it is in; 0: none.
    pub region: u32,
    /// The region before a serial section (0: the begin of the program); none for other classes.
    pub after: Option<u32>,
    /// Its name, as in the report's JSON but for the location at its end.
    pub name: String,
    /// Source location of the construct.
    pub location: Site,
}

/// Entries that were not taken yet, and the next edges.
#[derive(Debug)]
pub(crate) struct Journal {
    pub entries: Vec<Entry>,
    pub edges: Edges,
}
