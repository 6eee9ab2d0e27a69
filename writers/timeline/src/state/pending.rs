//! Records that get their meaning from what follows them on their thread: at most one per thread.

use crate::code::Code;
use crate::names::NameAndSource;
use ompttrace_model::ompt::Mutex;
use ompttrace_model::{Arg, InstantKind, Item, Mark};
use ompttrace_recording::Id;
use ompttrace_recording::events::{MutexAcquire, MutexAcquired, Record, Wait};
use ompttrace_recording::words::KIND_MASK;

/// Dependences, map items and the like that an instant carries; how many more there are is said.
pub(crate) const MAX_ITEMS: usize = 64;
/// Maximum number of bytes of a text that are kept.
pub(crate) const MAX_TEXT: usize = 4096;

/// A record of a thread whose meaning later records decide. The kind is a byte of its own, which each record asks twice.
#[derive(Debug, Default)]
#[repr(u8)]
pub(crate) enum Pending {
    /// No record is pending.
    #[default]
    None,
    /// A thread asked for a mutex: a wait, or a test that failed.
    Acquire(Acquire),
    /// An instant whose list or text is still coming.
    Gather(Box<Gather>),
    /// Iterations of a doacross loop that the thread need not wait for any more, in their order; of
    /// some the records that they are done are still to come.
    Sinks(Vec<Gather>),
    /// The thread waits for the tool until the given time, or its next record if that is earlier;
    /// it may have been asking for a mutex.
    ToolWait(u64, Option<Acquire>),
    /// The thread cancelled a construct, or found it cancelled: its next record says if it has ended there.
    Cancelled(Cancelled),
}

impl Pending {
    /// Puts `next` in its place: as a plain assignment, without looking for what is to be dropped where nothing is.
    #[inline(always)]
    pub(crate) fn set(&mut self, next: Pending) {
        if matches!(self, Pending::None | Pending::Acquire(_)) {
            std::mem::forget(std::mem::replace(self, next));
        } else {
            *self = next;
        }
    }

    #[inline(always)]
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Pending::None)
    }

    /// Returns true if the thread waits for a mutex or the tool at a time, as far as is known.
    #[inline(always)]
    pub(crate) fn waits(&self, at: u64) -> bool {
        let for_mutex = |acquire: &Acquire| !acquire.is_test();
        match self {
            Pending::Acquire(acquire) => for_mutex(acquire),
            Pending::ToolWait(until, asked) => at < *until || asked.as_ref().is_some_and(for_mutex),
            Pending::Gather(gather) => gather.tool_wait.is_some_and(|(_, _, until)| at < until),
            Pending::None | Pending::Cancelled(_) | Pending::Sinks(_) => false,
        }
    }

    /// Returns true if the pending record has to be handled before `record`. The end of a wait for a mutex finds its
    /// begin itself.
    #[inline(always)]
    pub(crate) fn wants(&self, record: &Record<'_>) -> bool {
        match self {
            Pending::None => false,
            Pending::Acquire(acquire) => {
                record.code.number() != MutexAcquired::NUMBER
                    || MutexAcquired::from_words(record.words).wait_id != acquire.wait_id
            }
            Pending::Gather(_)
            | Pending::Sinks(_)
            | Pending::ToolWait(..)
            | Pending::Cancelled(_) => true,
        }
    }
}

/// A thread asked for a mutex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acquire {
    pub at: u64,
    pub kind: Mutex,
    pub wait_id: u64,
    pub code: Code,
    pub implementation: u64,
    /// True if the begin of the wait was already reported, because something had to be reported inside it.
    pub shown: bool,
    /// For a test of a lock, the failed tests directly before it.
    pub failed: FailedTests,
}

/// Consecutive failed tests of one lock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FailedTests {
    pub count: u64,
    /// Times of the first and the last test, in nanoseconds.
    pub first: u64,
    pub last: u64,
}

impl Acquire {
    /// Returns true if the program only tested the mutex.
    #[inline(always)]
    pub(crate) fn is_test(&self) -> bool {
        self.kind.is_test()
    }

    /// Returns true if `next` tests the same lock at the same location again, which shows that this test has failed.
    pub(crate) fn is_repeated_by(&self, next: &MutexAcquire) -> bool {
        let MutexAcquire { code, kind, wait_id, .. } = *next;
        let same = (self.kind, self.wait_id) == (Mutex::from(kind & KIND_MASK), wait_id);
        same && self.is_test() && !self.shown && self.code == Code::new(code, kind)
    }

    /// The tests that have failed if this one has as well.
    pub(crate) fn failed_too(&self) -> FailedTests {
        let FailedTests { count, first, .. } = self.failed;
        let first = if count == 0 { self.at } else { first };
        FailedTests { count: count + 1, first, last: self.at }
    }
}

/// A thread that leaves a construct which was cancelled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cancelled {
    pub at: u64,
    /// The task whose construct it is.
    pub task: Id,
    /// ompt_cancel_flag_t.
    pub flags: u64,
}

/// An instant whose list or text is still coming.
#[derive(Debug)]
pub(crate) struct Gather {
    pub at: u64,
    pub kind: InstantKind,
    pub named: NameAndSource,
    /// The task that the instant belongs to.
    pub task: Id,
    /// The task whose `dependences` may follow; none for what waits for a text or a map.
    pub owner: Id,
    pub args: Vec<Arg>,
    pub items: Vec<Item>,
    pub flows: Vec<u64>,
    pub flow_end: Option<u64>,
    pub mark: Mark,
    /// Step of a doacross loop, if the list has the numbers of its iteration.
    pub step: Option<Step>,
    /// Iterations that were waited for before, which are not reported yet.
    pub sinks: Vec<Gather>,
    pub text: Vec<u8>,
    /// Number of bytes of the text that are still to come.
    pub text_left: u64,
    /// Number of items of the list that are still to come.
    pub items_left: u64,
    /// Number of items that there was no room for.
    pub left_out: u64,
    /// A wait for the tool between the records of the list, reported after it; and until when it lasts.
    pub tool_wait: Option<(u64, Wait, u64)>,
}

impl Gather {
    /// Returns true if records of the list or text are still to come, as far as is known.
    pub(crate) fn lacks_some(&self) -> bool {
        let not_begun = !self.owner.is_none() && self.items.is_empty();
        self.items_left > 0 || self.text_left > 0 || not_begun
    }
}

/// Step of a doacross loop that a thread reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The iteration is done, and others may continue (`depend(source)`).
    Source,
    /// Another thread has done the iteration, and this thread may continue (`depend(sink)`). The iteration's key is
    /// kept until it is reported.
    Sink(Option<u64>),
}
