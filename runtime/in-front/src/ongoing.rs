//! Tasks that are under way on the calling thread when recording resumes, each with the one it interrupted, and their
//! numbers in their teams, for which the runtime is asked.

use crate::report::{self, kind};
use crate::thread::{self, Task, Thread};
use core::sync::atomic::Ordering;
use ompttrace_recorder::{MOST_ONGOING, put_ongoing};
use ompttrace_recording::Id;
use ompttrace_recording::events::{OngoingTask, TaskSchedule};

/// Functions by which a runtime is asked about the calling thread.
#[derive(Clone, Copy, Debug)]
pub struct Inquiry {
    /// Number of regions around the calling thread; the argument is the adapter's number of the runtime.
    pub level: fn(usize) -> u64,
    /// Number of the calling thread, or of its ancestor, in the team at a level; the first argument is the adapter's
    /// number of the runtime.
    pub ancestor_thread_num: fn(usize, u64) -> u64,
}

/// Records the tasks that are under way on the calling thread. Returns false if the thread has not called its runtime
/// yet, or is in a league, whose tasks do not identify their team.
pub fn ask(inquiry: Inquiry) -> bool {
    let thread = thread::current();
    let mut chain = Chain::default();
    chain.collect(thread);
    if chain.all == 0 || chain.in_league {
        return false;
    }
    let Some(tasks) = chain.tasks.get_mut(..chain.count) else { return false };
    tasks.reverse();
    let mut outside = 0;
    // All the others are primary threads' tasks.
    if let Some(implicit) = tasks.first_mut().filter(|task| task.flags == report::IMPLICIT) {
        // The runtime has left a region whose end is under way.
        outside = (inquiry.level)(chain.library).saturating_sub(chain.implicit);
        implicit.thread_num = (inquiry.ancestor_thread_num)(chain.library, outside + 1);
    }
    put_ongoing(outside, tasks);
    true
}

/// The calling thread's tasks, innermost first.
#[derive(Default)]
struct Chain {
    tasks: [OngoingTask; MOST_ONGOING],
    count: usize,
    /// Number of implicit tasks of teams.
    implicit: u64,
    /// Number of tasks of any kind, including those without an id because they only begin.
    all: u64,
    in_league: bool,
    library: usize,
}

impl Chain {
    fn collect(&mut self, thread: &'static Thread) {
        let mut next = thread.task.get();
        // SAFETY: null, or a task whose memory is there as long as it is the current one or one that the current
        // one interrupted, as `Thread::task` says.
        while let Some(task) = unsafe { next.as_ref() } {
            if self.all == 0 {
                self.library = task.library.get();
            }
            self.all += 1;
            self.in_league |= task.in_league.load(Ordering::Relaxed);
            self.add(task, core::ptr::eq(task, thread.root()));
            next = task.outer();
        }
    }

    fn add(&mut self, task: &Task, is_root: bool) {
        let id = Id(task.id.get());
        // It begins with the event under way.
        if id.is_none() {
            return;
        }
        let flags = match (is_root, id.is_implicit()) {
            (true, _) => report::INITIAL,
            (_, true) => report::IMPLICIT,
            _ => kind::EXPLICIT,
        };
        self.implicit += u64::from(flags == report::IMPLICIT);
        let inner = self.count.checked_sub(1).and_then(|last| self.tasks.get(last));
        // Below another explicit task it is suspended.
        let suspended = inner.is_some_and(|inner| inner.flags == kind::EXPLICIT);
        if flags == kind::EXPLICIT && (suspended || !report::wants(TaskSchedule::NUMBER)) {
            return;
        }
        if let Some(slot) = self.tasks.get_mut(self.count) {
            let (region, team_size) = (task.region.get(), task.team.get());
            *slot = OngoingTask { region, task: id.0, team_size, flags, ..OngoingTask::default() };
            self.count += 1;
        }
    }
}
