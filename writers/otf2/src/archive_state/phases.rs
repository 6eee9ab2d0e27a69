//! Phases of the program: regions of the task in which they begin.

use super::ArchiveState;
use super::track::{EndAction, EnteredRegion};
use crate::ids::TrackRef;
use ompttrace_model::Mark;

impl ArchiveState {
    /// The innermost region is that of a phase.
    pub(crate) fn phase_begun(&mut self, track: TrackRef, depth: u32) {
        if let Some(frame) = self.track(track).top.frames().last_mut() {
            frame.more = EndAction::Phase { depth, over: false };
        }
    }

    /// A phase ends. One that began in another task is left when that ends.
    pub(crate) fn phase_ends(&mut self, track: TrackRef, at: u64, depth: u32, mark: Mark) {
        let frames = self.track(track).top.frames();
        let count = frames.len();
        let is_it = |frame: &EnteredRegion| matches!(frame.more, EndAction::Phase { depth: own, over: false } if own == depth);
        let Some(found) = frames.iter().rposition(is_it) else { return };
        if found + 1 == count {
            self.leave_top(track, at, mark);
            self.leave_given_back(track, at);
        } else if let Some(frame) = frames.get_mut(found) {
            frame.more = EndAction::Phase { depth, over: true };
        }
    }
}
