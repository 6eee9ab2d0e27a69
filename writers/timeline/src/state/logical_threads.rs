//! Logical threads: each is named by the path of thread numbers below a root.
//!
//! A logical thread is found again by its parent and its number, in every instance of a region and whichever
//! OS thread executes it. One implicit task at a time is on a logical thread.

use crate::hash::FastMap;
use ompttrace_model::{LogicalThread, LogicalThreadRef};

/// Maximum number of logical threads: further implicit tasks get none.
const MAX_LOGICAL_THREADS: usize = 1 << 16;
/// Maximum depth of logical threads: implicit tasks below that many regions get none.
const MAX_DEPTH: usize = 64;
/// From this many roots on, logical threads of roots that are gone serve new ones.
const MANY_ROOTS: u32 = 64;
/// Marks the number of a league's initial task.
const LEAGUE: u64 = 1 << 63;

/// Kinds of root threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// The initial thread of the program.
    Initial,
    /// Another thread of the program.
    Other,
    /// A helper of the runtime.
    Helper,
}

/// The OS thread and implicit-task frame that are on a logical thread.
pub(crate) type Owner = (u32, u64);

/// All logical threads so far.
#[derive(Debug, Default)]
pub(crate) struct LogicalThreads {
    logical_threads: Vec<LogicalThreadState>,
    children: FastMap<(u32, u64), LogicalThreadRef>,
    initial: Option<LogicalThreadRef>,
    others: u32,
    helpers: u32,
    free: Vec<LogicalThreadRef>,
}

#[derive(Debug)]
struct LogicalThreadState {
    path: String,
    order: Vec<u32>,
    owner: Option<Owner>,
    last: u64,
}

impl LogicalThreads {
    /// The logical thread of a root; `Some` with its definition when it is new.
    pub(crate) fn root(&mut self, root: Root) -> (Option<LogicalThreadRef>, Option<LogicalThread>) {
        let (path, order) = match root {
            Root::Initial => {
                if self.initial.is_some() {
                    return (self.initial, None);
                }
                ("0".to_owned(), 0)
            }
            Root::Other => {
                if self.others >= MANY_ROOTS
                    && let Some(logical_thread) = self.free.pop()
                {
                    return (Some(logical_thread), None);
                }
                self.others += 1;
                (format!("r{}", self.others), self.others)
            }
            Root::Helper => {
                self.helpers += 1;
                (format!("h{}", self.helpers - 1), (1 << 31) | self.helpers)
            }
        };
        let defined = self.define(None, path, vec![order]);
        if root == Root::Initial {
            self.initial = defined.0;
        }
        defined
    }

    /// A root's thread is gone.
    pub(crate) fn root_over(&mut self, logical_thread: LogicalThreadRef) {
        if Some(logical_thread) != self.initial {
            self.free.push(logical_thread);
        }
    }

    /// The logical thread of thread `number` of a team (or league) that a task on `parent` forked.
    pub(crate) fn of_team_thread(
        &mut self,
        parent: LogicalThreadRef,
        number: u64,
        league: bool,
    ) -> (Option<LogicalThreadRef>, Option<LogicalThread>) {
        let key = (parent, if league { number | LEAGUE } else { number });
        if let Some(logical_thread) = self.children.get(&key) {
            return (Some(*logical_thread), None);
        }
        let Some(state) = self.logical_threads.get(parent as usize) else { return (None, None) };
        if state.order.len() >= MAX_DEPTH {
            return (None, None);
        }
        let path = format!("{}.{}{number}", state.path, if league { "t" } else { "" });
        let mut order = state.order.clone();
        order.push((number as u32).saturating_add(if league { 1 << 31 } else { 0 }));
        let defined = self.define(Some(parent), path, order);
        if let Some(logical_thread) = defined.0 {
            self.children.insert(key, logical_thread);
        }
        defined
    }

    fn define(
        &mut self,
        parent: Option<LogicalThreadRef>,
        path: String,
        order: Vec<u32>,
    ) -> (Option<LogicalThreadRef>, Option<LogicalThread>) {
        if self.logical_threads.len() >= MAX_LOGICAL_THREADS {
            return (None, None);
        }
        let logical_thread = self.logical_threads.len() as LogicalThreadRef;
        self.logical_threads.push(LogicalThreadState {
            path: path.clone(),
            order: order.clone(),
            owner: None,
            last: 0,
        });
        (Some(logical_thread), Some(LogicalThread { logical_thread, parent, path, order }))
    }

    /// The OS thread and implicit-task frame that are on a logical thread now, if any.
    pub(crate) fn owner(&self, logical_thread: LogicalThreadRef) -> Option<Owner> {
        self.logical_threads.get(logical_thread as usize)?.owner
    }

    /// An implicit task enters a logical thread; returns the time before which nothing may be reported there.
    pub(crate) fn take(&mut self, logical_thread: LogicalThreadRef, owner: Owner) -> u64 {
        let Some(state) = self.logical_threads.get_mut(logical_thread as usize) else { return 0 };
        state.owner = Some(owner);
        state.last
    }

    /// `owner` leaves a logical thread at `at`.
    pub(crate) fn leave(&mut self, logical_thread: LogicalThreadRef, owner: Owner, at: u64) {
        if let Some(state) = self.logical_threads.get_mut(logical_thread as usize)
            && state.owner == Some(owner)
        {
            state.owner = None;
            state.last = state.last.max(at);
        }
    }

    /// Number of logical threads.
    pub(crate) fn len(&self) -> usize {
        self.logical_threads.len()
    }
}
