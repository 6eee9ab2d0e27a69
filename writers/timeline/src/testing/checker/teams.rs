//! A check of the implicit tasks that threads begin, and of the tasks that run in them.

use super::Checker;
use ompttrace_model::ompt::TaskStatus;
use ompttrace_model::{Executor, TeamThread};
use ompttrace_recording::Id;

impl Checker {
    pub(super) fn team_thread_begin(
        &mut self,
        at: u64,
        executor: Executor,
        team_thread: &TeamThread,
    ) {
        self.at(at, executor);
        self.team_threads.begin(executor.thread, team_thread.task);
        self.say(at, executor, || {
            format!("{} of {} begins", team_thread.thread_num, team_thread.team_size)
        });
    }

    pub(super) fn team_thread_end(&mut self, at: u64, executor: Executor) {
        self.at(at, executor);
        let left = self.team_threads.end(executor.thread);
        self.check(left.is_ok(), || format!("at {at} {executor:?} is left with {left:?} running"));
        self.say(at, executor, || "team thread ends".into());
    }

    pub(super) fn task_runs(&mut self, at: u64, executor: Executor, task: Id) {
        self.at(at, executor);
        self.team_threads.runs(executor.thread, task);
        self.say(at, executor, || format!("{task} runs"));
    }

    pub(super) fn task_over(
        &mut self,
        at: u64,
        executor: Executor,
        task: Id,
        status: Option<TaskStatus>,
    ) {
        self.at(at, executor);
        self.say(at, executor, || {
            format!("{task} is over ({})", status.map_or("inferred", TaskStatus::name))
        });
    }
}
