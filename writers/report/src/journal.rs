//! The journal: every charge of the accounts as it is made, for users who need more than its sums: where a thread's
//! time goes part by part, which thread it waited for, what was charged to it for others.
//!
//! [`Report`](crate::Report) is the sum of the same entries: writers of tables need no accounts of their own.

use crate::model::{Class, Site};
use crate::state::State;
use ompttrace_model::ThreadRef;
use ompttrace_recording::Id;

/// What a charge is made to; constructs are positions in [`Report::constructs`](crate::Report).
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
    /// From when, CLOCK_MONOTONIC nanoseconds.
    pub begin: u64,
    /// To when; later than `begin`.
    pub end: u64,
    /// The state.
    pub state: State,
    /// What the time is charged to.
    pub account: Account,
    /// The instance of the parallel region that the thread is in.
    pub region: Id,
    /// The task that runs, the implicit one if no other does.
    pub task: Id,
    /// Whether the account is charged with others' idleness and waiting meanwhile: as much as `blame` grew by.
    pub works: bool,
    /// Whether it is not recorded if the thread had a core: a later [`Entry::Moved`] may put some of it right.
    pub is_unread: bool,
    /// The running sums as of its end.
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
    /// When it does.
    pub at: u64,
    /// The thread that had to come so far before.
    pub by: ThreadRef,
    /// When that one had.
    pub since: u64,
    /// The construct in which it had worked last.
    pub construct: u32,
}

/// One entry. They come in the order in which the accounts are made; those of a thread go forward in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry {
    /// Time passed.
    Part(Part),
    /// The wait in which a thread's last part ended was over because another thread did what it had to do.
    Released {
        /// The thread that waited.
        thread: ThreadRef,
        /// The thread that was waited for.
        by: ThreadRef,
        /// The construct in which that one had worked last.
        construct: u32,
    },
    /// What led to where a thread is continues what led to where another one was.
    Follows(Link),
    /// Of the unread time of a thread in a state the kernel's accounting says that it was another's.
    Moved {
        /// The thread.
        thread: ThreadRef,
        /// When it was read.
        at: u64,
        /// What it was charged to.
        account: Account,
        /// The state that it was charged as.
        from: State,
        /// The state that it was.
        to: State,
        /// How much.
        nanoseconds: u64,
    },
    /// The kernel's accounting was read: all of a thread's time up to here is as it is going to stay.
    Read(ThreadRef),
    /// Others waited for a mutex while a thread held it.
    Held {
        /// The holder.
        thread: ThreadRef,
        /// When it gave the mutex back.
        at: u64,
        /// The construct that it took the mutex in.
        construct: u32,
        /// What it does as it gives it back.
        state: State,
        /// Their waiting.
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
    /// How far one is from the other.
    pub distance: u64,
    /// How many are left.
    pub left: u32,
}

/// A construct as accounts name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Construct {
    /// What it is.
    pub class: Class,
    /// The region that it is in; 0: none.
    pub region: u32,
    /// Of a serial section the region before it.
    pub after: Option<u32>,
    /// Its name, as in the report's JSON but for the location at its end.
    pub name: String,
    /// Where it is.
    pub location: Site,
}

/// Entries that nobody has taken yet.
#[derive(Debug)]
pub(crate) struct Journal {
    pub entries: Vec<Entry>,
    pub edges: Edges,
}
