//! The tasks that a thread is in, by the records with which it took them up.

use super::saved::Saved;
use super::stack::Stack;
use ompttrace_recording::events::{EventCode, ImplicitTask, TaskSchedule};
use ompttrace_recording::{Id, Scope};

/// A task_schedule, which comes so often that it is not copied as any record is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch {
    pub ticks: u64,
    pub prior: u64,
    pub next: u64,
    /// Index of the record among those of its thread, and in the low byte the status.
    numbered: u64,
}

impl Switch {
    /// A switch of a status that a scan follows, all of which are numbers of few bits.
    #[inline(always)]
    pub(super) fn new((ticks, number): (u64, u64), event: &TaskSchedule) -> Switch {
        let TaskSchedule { prior, next, status } = *event;
        Switch { ticks, prior, next, numbered: number << 8 | status & 0xff }
    }

    pub(super) fn saved(&self) -> Saved {
        let Switch { ticks, prior, next, numbered } = *self;
        let (number, status) = (numbered >> 8, numbered & 0xff);
        let code = EventCode::new(TaskSchedule::NUMBER, Scope::None);
        Saved::new((ticks, number), code, TaskSchedule { prior, next, status }.words())
    }
}

/// An explicit task on this thread, or as it was left here.
#[derive(Debug)]
pub(super) struct ScannedTask {
    /// The task_schedule with which the task began to run here.
    pub began: Switch,
    /// The task_schedule with which the task was suspended, if it was.
    pub left: Option<Switch>,
    pub stack: Stack,
}

/// An implicit task, or what the thread does outside any.
#[derive(Debug, Default)]
pub(super) struct TaskFrame {
    pub task: Id,
    pub region: Id,
    pub began: Option<Saved>,
    pub own: Stack,
    pub running: Option<(Id, Box<ScannedTask>)>,
}

impl TaskFrame {
    /// Returns true if this is the implicit task of its team's primary thread.
    pub(super) fn is_primary(&self) -> bool {
        let begin = self.began.map(|began| ImplicitTask::from_words(began.record().words));
        !self.region.is_none() && begin.is_some_and(|begin| begin.thread_num == 0)
    }
}

impl ScannedTask {
    /// One that begins, in the memory of one that is over.
    #[inline]
    pub(super) fn begun(spare: Option<Box<ScannedTask>>, by: &Switch) -> Box<ScannedTask> {
        match spare {
            Some(mut task) => {
                (task.began, task.left) = (*by, None);
                task.stack.clear();
                task
            }
            None => Box::new(ScannedTask { began: *by, left: None, stack: Stack::default() }),
        }
    }

    /// Returns true if the task had already run on another thread when it began to run on this one.
    pub(super) fn is_from_elsewhere(&self) -> bool {
        !Id(self.began.next).is_fresh()
    }
}
