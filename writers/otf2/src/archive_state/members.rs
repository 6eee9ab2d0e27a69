//! Members of teams on their locations, and teams whose communicators become known.

use ompttrace_model::Member;

use super::track::TaskFrame;
use super::{ArchiveState, TrackRef};
use crate::ids::TeamId;
use crate::op::{TaskName, What};

impl ArchiveState {
    /// A thread takes up an implicit task.
    pub(crate) fn member_begin(
        &mut self,
        track: TrackRef,
        at: u64,
        os_thread: u32,
        member: &Member,
    ) {
        let slot = self.forks.get(&member.region).copied().filter(|_| !member.root);
        let slot = slot.filter(|slot| self.teams.admits(*slot, track));
        let mut task_frame = TaskFrame { slot, ..TaskFrame::default() };
        self.ready(track);
        if slot.is_none() {
            task_frame.team = Some(self.teams.alone(track));
        }
        let to = self.track(track);
        to.below.push(std::mem::replace(&mut to.top, task_frame));
        let complete = match slot {
            Some(slot) => self.joins(track, slot, member),
            // What a thread does outside of teams needs no begin; but a member whose region was lost
            // must not be taken for whoever is below it.
            None if self.track(track).is_fresh() => return,
            None => false,
        };
        let team = match slot {
            Some(slot) => self.team_for_event(track, slot),
            None => self.team(track).unwrap_or(TeamId::NONE),
        };
        let to = self.track(track);
        to.top.begun = true;
        to.add(at, What::ThreadTeamBegin { team, os_thread });
        if complete {
            self.settle_teams(None);
        }
        self.added(track);
    }

    /// A team whose primary thread never began in it, because the recording stops there or that was lost: readers look
    /// for the team among its members' forks, so it is one for no time at all.
    pub(super) fn begin_lost_primary(
        &mut self,
        track: TrackRef,
        at: u64,
        slot: u32,
        os_thread: u32,
    ) {
        if !self.teams.lacks(slot, track) {
            return;
        }
        self.teams.member(slot, 0, 0, track);
        let team = self.team_for_event(track, slot);
        let to = self.track(track);
        to.add(at, What::ThreadTeamBegin { team, os_thread });
        to.add(at, What::ThreadTeamEnd { team });
        self.teams.member_ends(slot);
    }

    /// A member begins in a team; whether that is complete by this.
    fn joins(&mut self, track: TrackRef, slot: u32, member: &Member) -> bool {
        let least = |number: u64| number.min(u64::from(u32::MAX - 1)) as u32;
        self.teams.member(slot, least(member.thread_num), least(member.team_size), track)
    }

    /// The thread leaves the implicit task that it took up last.
    pub(crate) fn member_end(&mut self, track: TrackRef, at: u64) {
        if self.track(track).below.is_empty() {
            return;
        }
        self.set_aside(track);
        if !self.tasks_go_on {
            self.close_aside(track, at);
        }
        if !self.track(track).top.running.is_none() || self.track(track).switch_due {
            self.switch_to_implicit(track, at);
        }
        self.close_frames(track, at, 0);
        let (slot, begun) = (self.track(track).top.slot, self.track(track).top.begun);
        if begun {
            let team = self.task_name(track, 0).team;
            self.track(track).add(at, What::ThreadTeamEnd { team });
        }
        if let Some(slot) = slot {
            self.teams.member_ends(slot);
        }
        let to = self.track(track);
        if let Some(below) = to.below.pop() {
            to.top = below;
        }
        self.added(track);
    }

    /// The team of the innermost implicit task; what is outside of any gets one of its own.
    pub(super) fn team(&mut self, track: TrackRef) -> Option<TeamId> {
        let top = &self.track(track).top;
        match (top.slot, top.team) {
            (Some(slot), _) => Some(self.teams.name(slot)),
            (None, Some(team)) => Some(team),
            (None, None) => {
                let team = Some(self.teams.alone(track));
                self.track(track).top.team = team;
                team
            }
        }
    }

    /// How an event that is added next names the team; it may have to wait.
    pub(super) fn team_for_event(&mut self, track: TrackRef, slot: u32) -> TeamId {
        if self.teams.hold(slot, track) {
            self.track(track).hold();
        }
        self.teams.name(slot)
    }

    /// The innermost implicit task of a location, or an explicit one that it makes, in an event that
    /// is added next.
    pub(super) fn task_name(&mut self, track: TrackRef, generation: u32) -> TaskName {
        let (slot, rank) = (self.track(track).top.slot, self.track(track).top.rank);
        let Some(slot) = slot else {
            let team = self.team(track).unwrap_or(TeamId::NONE);
            return TaskName { team, thread: 0, generation };
        };
        let team = self.team_for_event(track, slot);
        let rank = rank.or_else(|| self.teams.rank(slot, track));
        self.track(track).top.rank = rank;
        TaskName { team, thread: rank.unwrap_or(track), generation }
    }

    /// Teams whose members are all known get their communicators, and what waited for them goes on.
    pub(super) fn settle_teams(&mut self, only: Option<u32>) {
        let ArchiveState { teams, tracks, tasks, .. } = self;
        teams.settle(only, |settled, waiters| {
            for track in &waiters.tracks {
                if let Some(track) = tracks.get_mut(*track as usize) {
                    track.settle(settled);
                }
            }
            for task in &waiters.tasks {
                if let Some(name) = tasks.name_mut(*task) {
                    name.settle(settled);
                }
            }
        });
    }

    /// A region is over.
    pub(super) fn join(&mut self, slot: u32) {
        self.teams.join(slot);
        self.settle_teams(None);
        self.forks.retain(|_, other| *other != slot);
    }
}
