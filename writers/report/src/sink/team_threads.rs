//! Implicit tasks on threads, and the explicit tasks above them.

use super::ReportSink;
use crate::construct_table::OUTSIDE;
use crate::thread::TaskFrame;
use ompttrace_model::{TeamThread, ThreadRef};
use ompttrace_recording::Id;

impl ReportSink {
    /// A thread takes up an implicit task.
    pub(super) fn enter(&mut self, t: ThreadRef, at: u64, team_thread: &TeamThread) {
        self.note_task_work(t);
        let construct = self.regions.construct(team_thread.region).unwrap_or(OUTSIDE);
        if !team_thread.root {
            self.regions.team_thread_begins(team_thread.region);
            if self.bounds.begins() {
                let numbers = self.sums.of(construct);
                numbers.threads = numbers.threads.max(team_thread.team_size);
            }
        }
        let is_after = self.bounds.is_after();
        let thread = self.thread(t);
        thread.left = Some((at, thread.region()));
        thread.task_frames.push(TaskFrame {
            region: team_thread.region,
            construct,
            root: team_thread.root,
            number: team_thread.thread_num,
            team_size: team_thread.team_size,
            worked: thread.worked,
            begin: at,
            is_after,
            task: team_thread.task,
            outer_span: thread.span,
            ..TaskFrame::default()
        });
        self.path_enters(t, at, team_thread.region, team_thread.thread_num);
        if self.is_outermost_team(t) {
            self.outermost_teams += 1;
        }
        if self.bounds.begins() {
            self.note_teams(t);
        }
        let thread = self.thread(t);
        if team_thread.root && thread.task_frames.len() == 1 {
            self.serial_section_begins(t, at, OUTSIDE);
        }
    }

    /// A thread leaves its implicit task.
    pub(super) fn leave(&mut self, t: ThreadRef, at: u64) {
        self.note_task_work(t);
        if self.thread(t).is_serial() {
            self.serial_section_ends(t, at, OUTSIDE);
        }
        let thread = self.thread(t);
        thread.left = Some((at, thread.region()));
        if self.bounds.leaves_part() {
            self.note_teams(t);
        }
        if self.is_outermost_team(t) {
            self.outermost_teams = self.outermost_teams.saturating_sub(1);
        }
        let thread = self.thread(t);
        let Some(task_frame) = thread.task_frames.pop() else { return };
        let (work, busy) = (thread.worked - task_frame.worked, thread.busy);
        let team_span = if task_frame.number == 0 { thread.span } else { 0 };
        thread.span = task_frame.outer_span.max(team_span);
        self.tasks.forget_children_of(task_frame.task);
        if !task_frame.root {
            let numbers = self.sums.of(task_frame.construct);
            numbers.add_thread_work(task_frame.number, work);
            if at > task_frame.begin {
                numbers.threads = numbers.threads.max(task_frame.team_size);
            }
            self.regions.team_thread_ends(task_frame.region, work, busy, &mut self.sums);
        }
    }

    /// True if the innermost implicit task of a thread is the first one of a team that is in no other one.
    fn is_outermost_team(&mut self, t: ThreadRef) -> bool {
        let is_in_team = |frame: &TaskFrame| !frame.root && frame.team_size > 1;
        let Some((last, around)) = self.thread(t).task_frames.split_last() else { return false };
        last.number == 0 && is_in_team(last) && !last.is_after && !around.iter().any(is_in_team)
    }

    /// Another task goes on in the innermost implicit task.
    pub(super) fn switch(&mut self, t: ThreadRef, at: u64, task: Id) {
        self.path_from_task(t, at);
        let explicit = !task.is_implicit() && !task.is_none();
        let thread = self.thread(t);
        if let Some(task_frame) = thread.task_frames.last_mut() {
            task_frame.running = if explicit { task } else { Id::NONE };
            thread.span = task_frame.span;
        }
        if explicit {
            self.path_to_task(t, at, task);
            self.tasks.clear_last_created(t);
        }
    }

    /// The running explicit task gets the work that was done since this was asked last.
    pub(super) fn note_task_work(&mut self, t: ThreadRef) {
        let thread = self.thread(t);
        let (work, task) = (thread.take_task_work(), thread.task());
        if !task.is_none() && work > 0 {
            self.tasks.worked(task, work);
        }
    }
}
