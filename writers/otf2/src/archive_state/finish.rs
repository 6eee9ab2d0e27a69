//! The end of the run: what is still open is closed.

use ompttrace_recording::Id;

use super::ArchiveState;
use crate::ids::TrackRef;
use crate::op::Otf2Event;

impl ArchiveState {
    /// The timeline ends everything that it began; a damaged recording may leave more than that.
    pub(crate) fn close_all(&mut self) {
        for track in 0..self.tracks.len() as TrackRef {
            while !self.track(track).below.is_empty() {
                self.team_thread_end(track, 0);
            }
            if !self.track(track).top.running.id.is_none() {
                let task = self.track(track).top.running.id;
                self.task_over(track, 0, task);
                self.task_runs(track, 0, Id::NONE);
            }
            self.close_frames(track, 0, 0);
        }
        self.cut_suspended(0);
        for task in self.suspended_tasks() {
            self.task_over(0, 0, task);
        }
    }

    /// Ends the locks that are held and that nothing will release, since the recording ends. A track that is in no team
    /// has ended with its last event.
    pub(crate) fn cut_locks(&mut self, at: u64) {
        for (track, lock, order) in self.locks.end_alone() {
            let in_team = !self.track(track).below.is_empty();
            let at = if in_team { at } else { 0 };
            self.ready(track).add(at, Otf2Event::ThreadReleaseLock { lock, order });
        }
    }

    /// Ends the suspended tasks, which will not resume, since the recording ends. Those of outer teams end with these
    /// teams.
    pub(crate) fn cut_suspended(&mut self, at: u64) {
        self.tasks_go_on = false;
        for track in 0..self.tracks.len() as TrackRef {
            self.close_left_tasks(track, at);
        }
    }
}
