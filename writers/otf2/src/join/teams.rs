//! Teams and their communicators: one communicator for all teams that are equal.
//!
//! A team's communicator is known when all its threads are, but the events of the first ones come
//! before: segments that name it wait. Should a thread keep the others waiting too long, the team gets a communicator
//! of its own, in which ranks are kept for those that are still to come.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ompttrace_recording::Id;
use rustc_hash::FxHashMap;

use super::comm::{Comm, NOT_YET};
use crate::archive::{TeamComm, rank};
use crate::ids::{CommId, TeamSlot, TrackRef};
use crate::segment::TeamChange;

/// Ranks are kept for threads of teams up to this size.
const MOST_KEPT: u32 = 1 << 12;

/// A team or league of the run.
#[derive(Debug, Default)]
pub(super) struct Team {
    region: Id,
    /// The team of the task that forked it.
    parent: Option<TeamRef>,
    /// Thread numbers and locations of threads that have begun; when the communicator is known, in the
    /// order of their ranks. A rank is the thread number but where threads are missing.
    threads: Vec<(u32, TrackRef)>,
    /// Number of threads that the team will have, 0 if unknown.
    size: u32,
    /// True once the parallel region is over.
    joined: bool,
    comm: Option<CommId>,
    /// True if the team got a communicator of its own before all its threads had begun.
    is_forced: bool,
    /// True if the primary thread never began in the team.
    lacks_primary: bool,
}

/// A team, shared by all that name it.
pub(super) type TeamRef = Rc<RefCell<Team>>;

/// All teams that are not over, and all communicators.
#[derive(Debug, Default)]
pub(super) struct Teams {
    by_region: FxHashMap<Id, TeamRef>,
    /// Regions that are over, from this session and from the one before, which this one may still name.
    over: Vec<Id>,
    over_before: Vec<Id>,
    /// Teams by the slots of the session.
    slots: Vec<Option<TeamRef>>,
    /// Teams without a communicator, oldest first: there are few at any time.
    waiting: Vec<TeamRef>,
    known: FxHashMap<Comm, CommId>,
    comms: Vec<Comm>,
}

impl Team {
    fn is_complete(&self) -> bool {
        self.size > 0 && self.threads.len() >= self.size as usize
    }

    fn has_thread(&self, track: TrackRef) -> bool {
        self.threads.iter().any(|(_, known)| *known == track)
    }

    /// A thread begins: its rank may have been kept for it.
    fn add_thread(&mut self, thread_num: u32, track: TrackRef) {
        match self.threads.iter_mut().find(|kept| **kept == (thread_num, NOT_YET)) {
            Some(kept) => kept.1 = track,
            None => self.threads.push((thread_num, track)),
        }
    }

    /// Ranks of threads that are still to come are those that they will have when all are there.
    fn keep_ranks(&mut self) {
        if self.size > MOST_KEPT {
            return;
        }
        let begun = self.threads.len();
        for thread_num in 0..self.size {
            let is_here = self.threads[..begun].iter().any(|(known, _)| *known == thread_num);
            if !is_here {
                self.threads.push((thread_num, NOT_YET));
            }
        }
    }

    fn is_ready(&self) -> bool {
        let waits = self.parent.as_ref().is_some_and(|parent| parent.borrow().comm.is_none());
        !waits && (self.joined || self.is_complete())
    }
}

impl Teams {
    /// Begins another session, which has slots of its own.
    pub(super) fn begin_session(&mut self) {
        self.slots.clear();
        for region in std::mem::take(&mut self.over_before) {
            self.by_region.remove(&region);
        }
        self.over_before = std::mem::take(&mut self.over);
    }

    /// Applies a change; `tracks` are the archive's locations by the session's numbers. Changes from before the session
    /// are known already.
    pub(super) fn change(&mut self, change: TeamChange, tracks: &[TrackRef]) {
        let own = |track: TrackRef| tracks.get(track as usize).copied().unwrap_or_default();
        match change {
            TeamChange::Fork { slot, region, parent, is_before } => {
                // Records that are damaged may have two regions of one number.
                let known = self.by_region.get(&region).filter(|_| is_before).cloned();
                let team = known.unwrap_or_else(|| self.fork(region, parent));
                self.set(slot, team);
            }
            TeamChange::Alone { slot, track } => {
                let comm = Comm::of_team(None, Arc::new([own(track)]));
                let comm = Some(self.define(comm));
                let threads = vec![(0, own(track))];
                self.set(slot, Rc::new(RefCell::new(Team { threads, comm, ..Team::default() })));
            }
            TeamChange::TeamThread { slot, thread_num, size, track } => {
                let Some(team) = self.get(slot) else { return };
                let team = &mut *team.borrow_mut();
                team.size = team.size.max(size);
                if !team.has_thread(own(track)) {
                    team.add_thread(thread_num, own(track));
                }
            }
            TeamChange::Join { slot, primary } => self.join(slot, own(primary)),
        }
    }

    fn fork(&mut self, region: Id, parent: TeamSlot) -> TeamRef {
        let team = Team { region, parent: self.get(parent), ..Team::default() };
        let team = Rc::new(RefCell::new(team));
        self.waiting.push(team.clone());
        if !region.is_none() {
            self.by_region.insert(region, team.clone());
        }
        team
    }

    fn join(&mut self, slot: TeamSlot, primary: TrackRef) {
        let Some(team) = self.get(slot) else { return };
        {
            let team = &mut *team.borrow_mut();
            let is_open = team.comm.is_none() || team.is_forced;
            if is_open && !team.threads.is_empty() && !team.has_thread(primary) {
                team.lacks_primary = true;
                team.add_thread(0, primary);
            }
        }
        self.end(&team);
        let region = team.borrow().region;
        if self.by_region.get(&region).is_some_and(|known| Rc::ptr_eq(known, &team)) {
            self.over.push(region);
        }
    }

    /// No more threads will come to a team.
    fn end(&mut self, team: &TeamRef) {
        let team = &mut *team.borrow_mut();
        team.joined = true;
        if let (true, Some(comm)) = (team.is_forced, team.comm)
            && let Some(defined) = self.comms.get_mut(comm as usize)
        {
            defined.members = team.threads.iter().map(|(_, track)| *track).collect();
        }
    }

    /// The run is over: no more threads will come to any team.
    pub(super) fn join_all(&mut self) {
        let slots = self.slots.iter().flatten().cloned();
        let open: Vec<_> = self.by_region.values().cloned().chain(slots).collect();
        open.iter().for_each(|team| self.end(team));
        self.settle();
    }

    fn set(&mut self, slot: TeamSlot, team: TeamRef) {
        let slot = slot as usize;
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, None);
        }
        if let Some(entry) = self.slots.get_mut(slot) {
            *entry = Some(team);
        }
    }

    /// The team with this number of the session's.
    pub(super) fn get(&self, slot: TeamSlot) -> Option<TeamRef> {
        self.slots.get(slot as usize).cloned().flatten()
    }

    /// Teams that the session may name, by slot.
    pub(super) fn slots(&self) -> &[Option<TeamRef>] {
        &self.slots
    }

    /// Teams that will get no more threads, and whose parents have communicators, get theirs.
    pub(super) fn settle(&mut self) {
        let mut again = true;
        while std::mem::take(&mut again) {
            for team in std::mem::take(&mut self.waiting) {
                if team.borrow().comm.is_some() {
                    continue;
                }
                if team.borrow().is_ready() {
                    self.settle_one(&team);
                    again = true;
                } else {
                    self.waiting.push(team);
                }
            }
        }
    }

    /// Gives communicators to a team and to the teams around it, with the threads that have begun.
    pub(super) fn force(&mut self, team: &TeamRef) {
        let mut chain = vec![team.clone()];
        while let Some(parent) = chain.last().and_then(|team| team.borrow().parent.clone()) {
            if parent.borrow().comm.is_some() {
                break;
            }
            chain.push(parent);
        }
        chain.iter().rev().for_each(|team| self.settle_one(team));
        self.settle();
    }

    fn settle_one(&mut self, team: &TeamRef) {
        if team.borrow().comm.is_some() {
            return;
        }
        let (comm, is_forced) = {
            let team = &mut *team.borrow_mut();
            team.is_forced = !team.joined && !team.is_complete();
            if team.is_forced {
                team.keep_ranks();
            }
            team.threads.sort_unstable();
            let parent = team.parent.as_ref().and_then(|parent| parent.borrow().comm);
            let members = team.threads.iter().map(|(_, track)| *track).collect();
            (Comm::of_team(parent, members), team.is_forced)
        };
        let number = if is_forced { self.add(comm) } else { self.define(comm) };
        team.borrow_mut().comm = Some(number);
    }

    fn define(&mut self, comm: Comm) -> CommId {
        match self.known.get(&comm) {
            Some(number) => *number,
            None => {
                let number = self.add(comm.clone());
                self.known.insert(comm, number);
                number
            }
        }
    }

    pub(super) fn add(&mut self, comm: Comm) -> CommId {
        self.comms.push(comm);
        self.comms.len() as CommId - 1
    }

    /// True if a team's communicator is known.
    pub(super) fn is_settled(team: &TeamRef) -> bool {
        team.borrow().comm.is_some()
    }

    /// A team's communicator, once it is known.
    pub(super) fn comm(&self, team: &TeamRef) -> TeamComm {
        let team = team.borrow();
        let Some(comm) = team.comm else { return TeamComm::default() };
        let members = match team.is_forced {
            true => team.threads.iter().map(|(_, track)| *track).collect(),
            false => self
                .comms
                .get(comm as usize)
                .map_or_else(|| Arc::new([]) as Arc<[_]>, |comm| comm.members.clone()),
        };
        TeamComm { comm, members, lacks_primary: team.lacks_primary }
    }

    /// The communicator and rank of a location in a team.
    pub(super) fn comm_and_rank(&self, team: &TeamRef, track: TrackRef) -> (CommId, u32) {
        let TeamComm { comm, members, .. } = self.comm(team);
        (comm, rank(&members, track))
    }

    /// All communicators, by number, of an archive with so many locations.
    pub(super) fn comms(&self, locations: usize) -> Vec<Comm> {
        self.comms.iter().map(|comm| comm.filled(locations)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive_state::NO_TEAM;

    const TRACKS: [TrackRef; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    fn take(teams: &mut Teams, changes: &[TeamChange]) {
        changes.iter().for_each(|change| teams.change(*change, &TRACKS));
        teams.settle();
    }

    fn fork(slot: TeamSlot, region: u64, parent: TeamSlot) -> TeamChange {
        TeamChange::Fork { slot, region: Id(region), parent, is_before: false }
    }

    fn team_thread(slot: TeamSlot, thread_num: u32, size: u32, track: TrackRef) -> TeamChange {
        TeamChange::TeamThread { slot, thread_num, size, track }
    }

    fn number(teams: &Teams, slot: TeamSlot) -> Option<CommId> {
        teams.get(slot).and_then(|team| team.borrow().comm)
    }

    #[test]
    fn equal_teams_share_a_communicator() {
        let mut teams = Teams::default();
        take(&mut teams, &[TeamChange::Alone { slot: 0, track: 0 }]);
        for region in 1..4 {
            take(&mut teams, &[fork(1, region, 0), team_thread(1, 1, 2, 4)]);
            assert_eq!(number(&teams, 1), None);
            take(&mut teams, &[team_thread(1, 0, 2, 0), TeamChange::Join { slot: 1, primary: 0 }]);
            assert_eq!(number(&teams, 1), Some(1));
            teams.begin_session();
            take(&mut teams, &[TeamChange::Alone { slot: 0, track: 0 }]);
        }
        let comms = [(None, vec![0]), (Some(0), vec![0, 4])];
        let comms = comms.map(|(parent, members)| Comm::of_team(parent, members.into()));
        assert_eq!(teams.comms(8), comms);
        assert_eq!(teams.by_region.len(), 1, "regions that are over are forgotten");
    }

    #[test]
    fn a_team_goes_on_in_the_next_session() {
        let mut teams = Teams::default();
        take(&mut teams, &[fork(0, 9, NO_TEAM), team_thread(0, 0, 2, 0)]);
        teams.begin_session();
        let again = TeamChange::Fork { slot: 3, region: Id(9), parent: NO_TEAM, is_before: true };
        take(&mut teams, &[again, team_thread(3, 0, 2, 0)]);
        assert_eq!(number(&teams, 3), None);
        take(&mut teams, &[team_thread(3, 1, 2, 1)]);
        assert_eq!(number(&teams, 3), Some(0));
        assert_eq!(teams.comms(8)[0].members[..], [0, 1]);
    }

    #[test]
    fn an_inner_team_waits_for_the_outer_one() {
        let mut teams = Teams::default();
        let inner =
            [fork(1, 2, 0), team_thread(1, 0, 1, 0), TeamChange::Join { slot: 1, primary: 0 }];
        take(&mut teams, &[fork(0, 1, NO_TEAM), team_thread(0, 0, 2, 0)]);
        take(&mut teams, &inner);
        assert_eq!(number(&teams, 1), None);
        take(&mut teams, &[team_thread(0, 1, 2, 1)]);
        assert_eq!([number(&teams, 0), number(&teams, 1)], [Some(0), Some(1)]);
        assert_eq!(teams.comms(8)[1].parent, Some(0));
    }

    #[test]
    fn a_team_that_waits_too_long_gets_its_own_and_reports_its_threads_later() {
        let mut teams = Teams::default();
        take(&mut teams, &[fork(0, 1, NO_TEAM), team_thread(0, 0, 2, 5)]);
        let team = teams.get(0).expect("known");
        teams.force(&team);
        assert_eq!(teams.comms(8)[0].members[..], [5]);
        take(&mut teams, &[team_thread(0, 1, 2, 6)]);
        assert_eq!([5, 6].map(|track| teams.comm_and_rank(&team, track)), [(0, 0), (0, 1)]);
        take(&mut teams, &[TeamChange::Join { slot: 0, primary: 5 }]);
        assert_eq!(teams.comms(8)[0].members[..], [5, 6]);
    }

    #[test]
    fn a_thread_that_comes_too_late_has_the_rank_that_it_has_in_other_teams() {
        let mut teams = Teams::default();
        take(&mut teams, &[fork(0, 1, NO_TEAM), team_thread(0, 2, 3, 1), team_thread(0, 0, 3, 0)]);
        let team = teams.get(0).expect("known");
        teams.force(&team);
        assert_eq!([0, 1].map(|track| teams.comm_and_rank(&team, track).1), [0, 2]);
        take(&mut teams, &[team_thread(0, 1, 3, 2), TeamChange::Join { slot: 0, primary: 0 }]);
        assert_eq!(teams.comms(8)[0].members[..], [0, 2, 1]);
    }

    #[test]
    fn a_primary_thread_that_never_began_is_in_its_team_all_the_same() {
        let mut teams = Teams::default();
        let join = TeamChange::Join { slot: 0, primary: 7 };
        take(&mut teams, &[fork(0, 1, NO_TEAM), team_thread(0, 1, 2, 3), join]);
        let team = teams.get(0).expect("known");
        assert!(teams.comm(&team).lacks_primary);
        assert_eq!(teams.comms(8)[0].members[..], [7, 3]);
    }
}
