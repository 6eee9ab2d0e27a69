//! Threads in teams, on their locations.

use ompttrace_model::TeamThread;

use super::ArchiveState;
use super::teams::NO_TEAM;
use super::track::TaskFrame;
use crate::ids::{TeamSlot, TrackRef};
use crate::op::{Otf2Event, TaskName};

impl ArchiveState {
    /// A thread begins an implicit task.
    pub(crate) fn team_thread_begin(
        &mut self,
        track: TrackRef,
        at: u64,
        os_thread: u32,
        team_thread: &TeamThread,
    ) {
        let slot = self.forks.get(&team_thread.region).copied().filter(|_| !team_thread.root);
        let slot = slot.filter(|slot| self.teams.admits(*slot, track));
        let mut task_frame = TaskFrame { slot, ..TaskFrame::default() };
        self.ready(track);
        if slot.is_none() {
            task_frame.alone = Some(self.alone(track));
        }
        let to = self.track(track);
        to.below.push(std::mem::replace(&mut to.top, task_frame));
        match slot {
            Some(slot) => {
                let least = |number: u64| number.min(u64::from(u32::MAX - 1)) as u32;
                let (number, size) = (least(team_thread.thread_num), least(team_thread.team_size));
                self.teams.team_thread(slot, number, size, track);
            }
            // What a thread does outside of teams needs no begin; but a team thread whose region was lost
            // must not be taken for whoever is below it.
            None if self.track(track).is_fresh() => return,
            None => {}
        }
        let team = self.team(track);
        let to = self.track(track);
        to.top.begun = true;
        to.add(at, Otf2Event::ThreadTeamBegin { team, os_thread });
    }

    /// The thread leaves the implicit task that it took up last.
    pub(crate) fn team_thread_end(&mut self, track: TrackRef, at: u64) {
        if self.track(track).below.is_empty() {
            return;
        }
        self.suspend_running(track);
        if !self.tasks_go_on {
            self.close_left_tasks(track, at);
        }
        if !self.track(track).top.running.id.is_none() || self.track(track).switch_due {
            self.switch_to_implicit(track, at);
        }
        self.close_frames(track, at, 0);
        let (slot, begun) = (self.track(track).top.slot, self.track(track).top.begun);
        if begun {
            let team = self.team(track);
            self.track(track).add(at, Otf2Event::ThreadTeamEnd { team });
        }
        if let Some(slot) = slot {
            self.teams.team_thread_ends(slot);
        }
        let to = self.track(track);
        if let Some(below) = to.below.pop() {
            let over = std::mem::replace(&mut to.top, below);
            to.left_tasks.extend(over.suspended);
        }
    }

    /// The team of the innermost implicit task; a location outside of all teams is a team of its own.
    #[inline]
    pub(super) fn team(&mut self, track: TrackRef) -> TeamSlot {
        let top = &self.track(track).top;
        match top.slot.or(top.alone) {
            Some(slot) => slot,
            None => {
                let alone = self.alone(track);
                self.track(track).top.alone = Some(alone);
                alone
            }
        }
    }

    /// The team that consists of this location alone.
    fn alone(&mut self, track: TrackRef) -> TeamSlot {
        let ArchiveState { teams, tracks, .. } = self;
        let Some(to) = tracks.get_mut(track as usize) else { return NO_TEAM };
        *to.alone.get_or_insert_with(|| teams.alone(track))
    }

    /// Name of the innermost implicit task of a location (generation 0), or of an explicit task that it creates.
    #[inline]
    pub(super) fn task_name(&mut self, track: TrackRef, generation: u32) -> TaskName {
        TaskName { team: self.team(track), thread: track, generation }
    }
}
