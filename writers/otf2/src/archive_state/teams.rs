//! Teams and their communicators: one communicator for all teams that are equal.
//!
//! A team's communicator is known when all its members are, but the events of the first member come
//! before. Until then events name the team itself, and are held back where they are (`tracks`).
//! Should one member keep the others waiting too long, the team gets a communicator of its own.

use rustc_hash::FxHashMap;

use crate::ids::{CommId, TeamId};
use ompttrace_recording::Id;

/// A track's number in its picture.
pub(crate) type TrackRef = u32;

/// A team or league from its fork to the end of its last member.
#[derive(Debug, Default)]
pub(crate) struct Team {
    /// The team of the task that forked it.
    parent: Option<TeamId>,
    /// Thread numbers and tracks of members that have begun; when the communicator is known, in the
    /// order of their ranks. A rank is the thread number but where members are missing.
    members: Vec<(u32, TrackRef)>,
    /// How many there will be; 0 is unknown.
    size: u32,
    /// Members that have begun and not ended.
    inside: u32,
    /// Whether the region is over.
    joined: bool,
    comm: Option<CommId>,
    /// Whether its communicator is its own, and its members still to be reported.
    forced: bool,
    /// Who must be reported when its communicator is known.
    waiters: Waiters,
}

/// Who knows a team only by its slot so far.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    /// Tracks that hold events of it back.
    pub tracks: Vec<TrackRef>,
    /// Tasks that were made in it.
    pub tasks: Vec<Id>,
}

/// A team whose communicator has become known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled<'a> {
    pub slot: u32,
    pub team: TeamId,
    members: &'a [(u32, TrackRef)],
}

impl Settled<'_> {
    /// The rank of a member.
    pub(crate) fn rank(&self, track: TrackRef) -> u32 {
        rank(self.members, track)
    }
}

fn rank(members: &[(u32, TrackRef)], track: TrackRef) -> u32 {
    members.iter().position(|(_, member)| *member == track).unwrap_or(0) as u32
}

/// A communicator's definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Comm {
    pub parent: Option<CommId>,
    /// Tracks in the order of their thread numbers.
    pub members: Vec<TrackRef>,
}

/// All teams that are not over, and all communicators.
#[derive(Debug, Default)]
pub(crate) struct Teams {
    open: Vec<Team>,
    free: Vec<u32>,
    known: FxHashMap<Comm, CommId>,
    comms: Vec<Comm>,
    /// Teams without a communicator, oldest first: few at any time.
    waiting: Vec<u32>,
}

impl Teams {
    /// A region forks.
    pub(crate) fn fork(&mut self, parent: Option<TeamId>) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.open.push(Team::default());
            self.open.len() as u32 - 1
        });
        if let Some(team) = self.open.get_mut(slot as usize) {
            *team = Team { parent, ..Team::default() };
        }
        self.waiting.push(slot);
        slot
    }

    /// The team of one thread outside of any parallel region.
    pub(crate) fn alone(&mut self, track: TrackRef) -> TeamId {
        TeamId::comm(self.define(Comm { parent: None, members: vec![track] }))
    }

    /// A member begins. Whether the team may be complete by this.
    pub(crate) fn member(&mut self, slot: u32, thread: u32, size: u32, track: TrackRef) -> bool {
        let Some(team) = self.open.get_mut(slot as usize) else { return false };
        team.inside += 1;
        team.size = team.size.max(size);
        if !team.members.iter().any(|(_, member)| *member == track) {
            team.members.push((thread, track));
        }
        team.is_complete()
    }

    /// Whether a thread may be a member: the communicator is not fixed yet, or has it.
    pub(crate) fn admits(&self, slot: u32, track: TrackRef) -> bool {
        self.open.get(slot as usize).is_some_and(|team| {
            team.comm.is_none() || team.forced || team.tracks().contains(&track)
        })
    }

    /// Whether a team has members, and could have this one, which it has not.
    pub(crate) fn lacks(&self, slot: u32, track: TrackRef) -> bool {
        self.open.get(slot as usize).is_some_and(|team| {
            let is_open = team.comm.is_none() || team.forced;
            is_open && !team.members.is_empty() && !team.tracks().contains(&track)
        })
    }

    /// A member ends.
    pub(crate) fn member_ends(&mut self, slot: u32) {
        let Some(team) = self.open.get_mut(slot as usize) else { return };
        team.inside = team.inside.saturating_sub(1);
        self.release(slot);
    }

    /// The region is over: no more members will come.
    pub(crate) fn join(&mut self, slot: u32) {
        let Some(team) = self.open.get_mut(slot as usize) else { return };
        team.joined = true;
        if let (true, Some(comm)) = (team.forced, team.comm) {
            let members = team.tracks();
            if let Some(defined) = self.comms.get_mut(comm as usize) {
                defined.members = members;
            }
        }
        self.release(slot);
    }

    /// The run is over: no more members will come to any team.
    pub(crate) fn join_all(&mut self) {
        (0..self.open.len() as u32).for_each(|slot| self.join(slot));
    }

    fn release(&mut self, slot: u32) {
        let Some(team) = self.open.get_mut(slot as usize) else { return };
        if team.joined && team.inside == 0 && team.comm.is_some() {
            *team = Team::default();
            self.free.push(slot);
        }
    }

    /// What an event of the team names: its communicator, if that is known.
    #[inline]
    pub(crate) fn name(&self, slot: u32) -> TeamId {
        match self.open.get(slot as usize) {
            Some(Team { comm: Some(comm), .. }) => TeamId::comm(*comm),
            Some(_) => TeamId::open(slot),
            None => TeamId::NONE,
        }
    }

    /// An event names the team on a track: its communicator is known, or the track holds back.
    /// Whether the track does so from now on.
    pub(crate) fn hold(&mut self, slot: u32, track: TrackRef) -> bool {
        let Some(team) = self.open.get_mut(slot as usize) else { return false };
        if team.comm.is_some() || team.waiters.tracks.contains(&track) {
            return false;
        }
        team.waiters.tracks.push(track);
        true
    }

    /// A task was made in a team whose communicator is not known.
    pub(crate) fn made(&mut self, slot: u32, task: Id) {
        if let Some(team) = self.open.get_mut(slot as usize) {
            team.waiters.tasks.push(task);
        }
    }

    /// Settles teams that will get no more members and whose parent is settled, and `only` with its
    /// parents in any case. Gives each with those who waited for it.
    pub(crate) fn settle(
        &mut self,
        only: Option<u32>,
        mut reported: impl FnMut(Settled<'_>, Waiters),
    ) {
        let mut now = self.with_parents(only);
        let mut waiting = std::mem::take(&mut self.waiting);
        let mut again = true;
        while std::mem::take(&mut again) {
            let outermost = now.pop();
            let mut settled = None;
            waiting.retain(|&slot| {
                if settled.is_some() || !(outermost == Some(slot) || self.is_ready(slot)) {
                    return true;
                }
                settled = Some(slot);
                false
            });
            let Some(slot) = settled else { break };
            let Some((team, waiters)) = self.settle_one(slot) else { continue };
            self.report_children(&waiting, slot, team);
            reported(Settled { slot, team, members: self.members(slot) }, waiters);
            self.release(slot);
            again = true;
        }
        self.waiting = waiting;
    }

    fn members(&self, slot: u32) -> &[(u32, TrackRef)] {
        self.open.get(slot as usize).map_or(&[], |team| &team.members)
    }

    /// The rank of a member, if the communicator is known.
    pub(crate) fn rank(&self, slot: u32, track: TrackRef) -> Option<u32> {
        let team = self.open.get(slot as usize)?;
        team.comm.map(|_| rank(&team.members, track))
    }

    /// A team and all around it that wait as well, innermost first.
    fn with_parents(&self, slot: Option<u32>) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut next = slot;
        while let Some(slot) = next.filter(|slot| !chain.contains(slot)) {
            chain.push(slot);
            let parent = self.open.get(slot as usize).and_then(|team| team.parent);
            next = parent.and_then(TeamId::slot);
        }
        chain
    }

    fn is_ready(&self, slot: u32) -> bool {
        self.open.get(slot as usize).is_some_and(|team| {
            let waits = team.parent.is_some_and(|parent| parent.slot().is_some());
            !waits && (team.joined || team.is_complete())
        })
    }

    fn settle_one(&mut self, slot: u32) -> Option<(TeamId, Waiters)> {
        let team = self.open.get_mut(slot as usize)?;
        team.forced = !team.joined && !team.is_complete();
        let forced = team.forced;
        let parent = team.parent.filter(|parent| parent.slot().is_none());
        let waiters = std::mem::take(&mut team.waiters);
        team.members.sort_unstable();
        let comm = Comm { parent: parent.map(TeamId::number), members: team.tracks() };
        let number = if forced { self.add(comm) } else { self.define(comm) };
        if let Some(team) = self.open.get_mut(slot as usize) {
            team.comm = Some(number);
        }
        Some((TeamId::comm(number), waiters))
    }

    /// Teams inside one that is settled know its communicator from now on.
    fn report_children(&mut self, waiting: &[u32], slot: u32, team: TeamId) {
        for child in waiting {
            if let Some(child) = self.open.get_mut(*child as usize)
                && child.parent == Some(TeamId::open(slot))
            {
                child.parent = Some(team);
            }
        }
    }

    /// The oldest team that keeps others waiting.
    pub(crate) fn oldest(&self) -> Option<u32> {
        self.waiting.first().copied()
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

    fn add(&mut self, comm: Comm) -> CommId {
        self.comms.push(comm);
        self.comms.len() as CommId - 1
    }

    /// All communicators, by number.
    pub(crate) fn comms(&self) -> &[Comm] {
        &self.comms
    }
}

impl Team {
    fn is_complete(&self) -> bool {
        self.size > 0 && self.members.len() >= self.size as usize
    }

    fn tracks(&self) -> Vec<TrackRef> {
        self.members.iter().map(|(_, track)| *track).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(teams: &mut Teams) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        teams.settle(None, |settled, _| all.push((settled.slot, settled.team.number())));
        all
    }

    #[test]
    fn equal_teams_share_a_communicator() {
        let mut teams = Teams::default();
        let root = teams.alone(0);
        for _ in 0..3 {
            let slot = teams.fork(Some(root));
            assert!(!teams.member(slot, 1, 2, 4));
            assert_eq!(settled(&mut teams), []);
            assert!(teams.hold(slot, 4) && !teams.hold(slot, 4));
            assert!(teams.member(slot, 0, 2, 0));
            assert_eq!(settled(&mut teams), [(slot, 1)]);
            teams.join(slot);
            teams.member_ends(slot);
            teams.member_ends(slot);
        }
        let comms = [(None, vec![0]), (Some(0), vec![0, 4])];
        let comms = comms.map(|(parent, members)| Comm { parent, members });
        assert_eq!(teams.comms(), comms);
        assert_eq!(teams.open.len(), 1, "slots are used again");
    }

    #[test]
    fn an_inner_team_waits_for_the_outer_one() {
        let mut teams = Teams::default();
        let outer = teams.fork(None);
        teams.member(outer, 0, 2, 0);
        let inner = teams.fork(Some(TeamId::open(outer)));
        teams.member(inner, 0, 1, 0);
        assert_eq!(settled(&mut teams), []);
        teams.member(outer, 1, 2, 1);
        assert_eq!(settled(&mut teams), [(outer, 0), (inner, 1)]);
        assert_eq!(teams.comms()[1].parent, Some(0));
    }

    #[test]
    fn an_inner_team_may_be_over_before_the_outer_one_is_complete() {
        let mut teams = Teams::default();
        let outer = teams.fork(None);
        teams.member(outer, 0, 2, 0);
        let inner = teams.fork(Some(TeamId::open(outer)));
        teams.member(inner, 0, 1, 0);
        teams.join(inner);
        teams.member_ends(inner);
        assert_eq!(settled(&mut teams), []);
        teams.member(outer, 1, 2, 1);
        assert_eq!(settled(&mut teams), [(outer, 0), (inner, 1)]);
        assert_eq!(teams.comms()[1].parent, Some(0));
        assert_eq!(teams.free, [inner]);
    }

    #[test]
    fn who_waits_too_long_gets_its_own_and_reports_its_members_later() {
        let mut teams = Teams::default();
        let slot = teams.fork(None);
        teams.member(slot, 0, 2, 5);
        assert_eq!(teams.oldest(), Some(slot));
        teams.settle(Some(slot), |_, _| {});
        assert_eq!(teams.comms()[0].members, [5]);
        teams.member(slot, 1, 2, 6);
        assert_eq!([teams.rank(slot, 5), teams.rank(slot, 6)], [Some(0), Some(1)]);
        teams.join(slot);
        assert_eq!(teams.comms()[0].members, [5, 6]);
    }
}
