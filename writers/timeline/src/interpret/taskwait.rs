//! A `taskwait` with dependences is a task for the tools interface, one that has no id in what comes
//! after its creation: runtimes keep a single word for all taskwaits of a thread. They end innermost
//! first, so which one is meant is known. What it does is wait, from its creation to its completion: it
//! is drawn as every other taskwait.

use super::Interpreter;
use crate::code::Code;
use crate::names::Subject;
use crate::out::{Details, id};
use crate::state::thread::{OpenSlice, Taskwait};
use ompttrace_model::ompt::SyncRegion;
use ompttrace_model::{ArgKey, Mark, SliceKind};
use ompttrace_recording::Id;
use ompttrace_recording::events::TaskCreate;

const TASKWAIT: SyncRegion = SyncRegion::Taskwait;

/// Maximum number of open taskwaits of a thread: without records of their ends they would be kept for ever.
const MOST: usize = 256;

impl Interpreter<'_> {
    /// A taskwait with dependences was created, and waits from now on.
    pub(super) fn taskwait_begins(&mut self, t: u32, at: u64, event: &TaskCreate, task: Id) {
        self.enter(t, at, Id(event.task));
        self.end_lost_taskwait(t, at);
        let thread = self.thread(t);
        let waiter = thread.current;
        if thread.taskwaits.len() == MOST {
            thread.taskwaits.remove(0);
        }
        thread.taskwaits.push(Taskwait { waiter, task });
        if !self.has_switches {
            return;
        }
        let code = Code::new(event.code, event.kind);
        let args = [id(ArgKey::Task, task)];
        for kind in [SliceKind::Sync(TASKWAIT), SliceKind::Wait(TASKWAIT)] {
            let named = self.names.at(&mut self.out.to.definitions, Subject::Slice(kind), code);
            self.open(t, at, OpenSlice::new(kind, named), Details::args(&args));
        }
    }

    /// The task that a record means, where it names none.
    pub(super) fn or_taskwait(&mut self, t: u32, task: Id) -> Id {
        if !task.is_none() {
            return task;
        }
        self.thread(t).taskwaits.last().map_or(task, |wait| wait.task)
    }

    /// Ends the innermost taskwait with dependences. Returns the task that the record names, as older recordings do, or
    /// else the taskwait's.
    pub(super) fn taskwait_over(&mut self, t: u32, at: u64, prior: Id) -> Id {
        let task = self.or_taskwait(t, prior);
        if self.thread(t).taskwaits.pop().is_some() {
            for kind in [SliceKind::Wait(TASKWAIT), SliceKind::Sync(TASKWAIT)] {
                self.end_here(t, at, |open| open == kind);
            }
        }
        task
    }

    /// The running task does something: a taskwait of its own that is open has lost its end.
    pub(super) fn end_lost_taskwait(&mut self, t: u32, at: u64) {
        let slices = self.thread(t).slices();
        let of_taskwait = |open: &&OpenSlice| {
            matches!(open.kind, SliceKind::Sync(TASKWAIT) | SliceKind::Wait(TASKWAIT))
        };
        let lost = slices.iter().rev().take_while(of_taskwait).count();
        if lost > 0 {
            let keep = slices.len() - lost;
            self.close_above(t, at, keep, Mark::Inferred);
            let thread = self.thread(t);
            let current = thread.current;
            thread.taskwaits.pop_if(|wait| wait.waiter == current);
        }
    }
}
