//! Teams as a session knows them: which threads are in each, and when its number can be given to another.
//!
//! The communicator of a team, and so the ranks of its threads, is determined later (`join/teams.rs`).

use ompttrace_recording::Id;

use crate::ids::{TeamSlot, TrackRef};
use crate::segment::TeamChange;

/// Slot that stands for no team.
pub(crate) const NO_TEAM: TeamSlot = TeamSlot::MAX - 1;

/// A team or league from its fork to the end of its last thread and task.
#[derive(Debug, Default)]
struct Team {
    threads: Vec<TrackRef>,
    /// Number of threads that the team will have, 0 if unknown.
    size: u32,
    /// Number of threads that have begun and not ended.
    inside: u32,
    /// Number of tasks that were created in the team and are not over.
    tasks: u32,
    /// True once the parallel region is over.
    joined: bool,
}

/// All teams that are alive.
#[derive(Debug, Default)]
pub(crate) struct Teams {
    open: Vec<Team>,
    free: Vec<TeamSlot>,
    /// Slots that are free from the next segment on.
    freed: Vec<TeamSlot>,
    changes: Vec<TeamChange>,
}

impl Teams {
    fn slot(&mut self) -> TeamSlot {
        self.free.pop().unwrap_or_else(|| {
            self.open.push(Team::default());
            self.open.len() as TeamSlot - 1
        })
    }

    /// A region forks, or did so before the session.
    pub(crate) fn fork(&mut self, region: Id, parent: TeamSlot, is_before: bool) -> TeamSlot {
        let slot = self.slot();
        self.changes.push(TeamChange::Fork { slot, region, parent, is_before });
        slot
    }

    /// The team of one thread outside of any parallel region, for ever.
    pub(crate) fn alone(&mut self, track: TrackRef) -> TeamSlot {
        let slot = self.slot();
        self.changes.push(TeamChange::Alone { slot, track });
        slot
    }

    /// A thread begins in the team.
    pub(crate) fn team_thread(
        &mut self,
        slot: TeamSlot,
        thread_num: u32,
        size: u32,
        track: TrackRef,
    ) {
        let Some(team) = self.open.get_mut(slot as usize) else { return };
        team.inside += 1;
        team.size = team.size.max(size);
        if !team.threads.contains(&track) {
            team.threads.push(track);
            self.changes.push(TeamChange::TeamThread { slot, thread_num, size, track });
        }
    }

    /// True if a thread may be in the team: more threads are expected, or it is in the team already.
    pub(crate) fn admits(&self, slot: TeamSlot, track: TrackRef) -> bool {
        self.open.get(slot as usize).is_some_and(|team| {
            let is_complete = team.size > 0 && team.threads.len() >= team.size as usize;
            !(is_complete || team.joined) || team.threads.contains(&track)
        })
    }

    /// True if a thread never began in the team.
    pub(crate) fn lacks(&self, slot: TeamSlot, track: TrackRef) -> bool {
        self.open.get(slot as usize).is_some_and(|team| !team.threads.contains(&track))
    }

    /// A thread ends in the team.
    pub(crate) fn team_thread_ends(&mut self, slot: TeamSlot) {
        self.change(slot, |team| team.inside = team.inside.saturating_sub(1));
    }

    /// The region is over: no more threads will come.
    pub(crate) fn join(&mut self, slot: TeamSlot, primary: TrackRef) {
        self.changes.push(TeamChange::Join { slot, primary });
        self.change(slot, |team| team.joined = true);
    }

    /// A task was created in the team.
    pub(crate) fn made(&mut self, slot: TeamSlot) {
        if let Some(team) = self.open.get_mut(slot as usize) {
            team.tasks += 1;
        }
    }

    /// A task that was created in the team is over.
    pub(crate) fn task_over(&mut self, slot: TeamSlot) {
        self.change(slot, |team| team.tasks = team.tasks.saturating_sub(1));
    }

    fn change(&mut self, slot: TeamSlot, change: impl FnOnce(&mut Team)) {
        let Some(team) = self.open.get_mut(slot as usize) else { return };
        change(team);
        if team.joined && team.inside == 0 && team.tasks == 0 {
            *team = Team::default();
            self.freed.push(slot);
        }
    }

    /// Takes the changes of teams since the last segment; slots that became free since then are used again.
    pub(crate) fn changes(&mut self) -> Vec<TeamChange> {
        self.free.append(&mut self.freed);
        std::mem::take(&mut self.changes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_used_again_by_the_next_segment() {
        let mut teams = Teams::default();
        let mut segment = || {
            let slots = [0, 1].map(|_| {
                let slot = teams.fork(Id::NONE, NO_TEAM, false);
                teams.team_thread(slot, 0, 1, 0);
                teams.made(slot);
                teams.join(slot, 0);
                teams.team_thread_ends(slot);
                teams.task_over(slot);
                slot
            });
            assert_eq!(teams.changes().len(), 6);
            slots
        };
        assert_eq!(segment(), [0, 1]);
        let mut again = segment();
        again.sort_unstable();
        assert_eq!(again, [0, 1]);
    }

    #[test]
    fn a_team_that_is_complete_admits_nobody_else() {
        let mut teams = Teams::default();
        let slot = teams.fork(Id::NONE, NO_TEAM, false);
        teams.team_thread(slot, 0, 2, 4);
        assert!(teams.admits(slot, 5) && teams.lacks(slot, 5));
        teams.team_thread(slot, 1, 2, 5);
        assert!(teams.admits(slot, 5) && !teams.lacks(slot, 5) && !teams.admits(slot, 6));
    }
}
