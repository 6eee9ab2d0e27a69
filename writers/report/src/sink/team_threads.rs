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
            let numbers = self.sums.of(construct);
            numbers.threads = numbers.threads.max(team_thread.team_size);
        }
        let thread = self.thread(t);
        thread.left = Some((at, thread.region()));
        thread.task_frames.push(TaskFrame {
            region: team_thread.region,
            construct,
            root: team_thread.root,
            number: team_thread.thread_num,
            team_size: team_thread.team_size,
            worked: thread.worked,
            task: team_thread.task,
            outer_span: thread.span,
            ..TaskFrame::default()
        });
        self.path_enters(t, at, team_thread.region, team_thread.thread_num);
        let thread = self.thread(t);
        let of_teams = thread
            .task_frames
            .iter()
            .filter(|task_frame| !task_frame.root && task_frame.team_size > 1);
        let levels = of_teams.count() as u32;
        self.levels = self.levels.max(levels);
        if levels == 1 && team_thread.thread_num == 0 && team_thread.team_size > 1 {
            self.outermost_teams += 1;
            self.most_teams = self.most_teams.max(self.outermost_teams);
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
        let Some(task_frame) = thread.task_frames.pop() else { return };
        let is_in_team = |frame: &TaskFrame| !frame.root && frame.team_size > 1;
        if task_frame.number == 0
            && is_in_team(&task_frame)
            && !thread.task_frames.iter().any(is_in_team)
        {
            self.outermost_teams = self.outermost_teams.saturating_sub(1);
        }
        let thread = self.thread(t);
        let (work, busy) = (thread.worked - task_frame.worked, thread.busy);
        let team_span = if task_frame.number == 0 { thread.span } else { 0 };
        thread.span = task_frame.outer_span.max(team_span);
        self.tasks.forget_children_of(task_frame.task);
        if !task_frame.root {
            self.sums.of(task_frame.construct).add_thread_work(task_frame.number, work);
            self.regions.team_thread_ends(task_frame.region, work, busy, &mut self.sums);
        }
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
