//! The archive's numbers for the numbers in a segment's events.

use std::sync::Arc;

use super::lists::EncodedList;
use super::number::Number;
use crate::ids::{AttributeId, CommId, RegionId, StringId, TeamSlot, TrackRef};
use crate::op::{Attribute, TaskName, Value};

/// OTF2's number for an undefined reference.
pub(crate) const UNDEFINED: u32 = u32::MAX;

/// The archive's numbers; each list is indexed by the session's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub definitions: DefinitionNames,
    pub tracks: Arc<Vec<TrackRef>>,
    pub teams: Vec<TeamComm>,
    pub earlier: Vec<EarlierName>,
    /// Number of tasks that each location had created before the session.
    pub made: Arc<Vec<u32>>,
    pub locks: Arc<Vec<LockName>>,
    /// Communicators of MPI.
    pub communicators: Arc<Vec<CommId>>,
    /// True if the program's begin was not reported before the session.
    pub begins_program: bool,
}

/// Definitions that the views share.
#[derive(Clone, Debug, Default)]
pub(crate) struct DefinitionNames {
    pub strings: Arc<Vec<StringId>>,
    /// Numbers by which events name the regions.
    pub regions: Arc<Vec<Number>>,
    pub attributes: Arc<Vec<AttributeId>>,
    pub contexts: Arc<Vec<u32>>,
    /// Lists of attributes that many events have, instead of their numbers.
    pub lists: Arc<Vec<EncodedList>>,
    pub devices: Arc<Vec<u32>>,
}

/// A team's communicator.
#[derive(Clone, Debug)]
pub(crate) struct TeamComm {
    pub comm: CommId,
    /// Locations of the archive by their ranks.
    pub members: Arc<[TrackRef]>,
    /// True if the primary thread never began in the team.
    pub lacks_primary: bool,
}

impl Default for TeamComm {
    fn default() -> TeamComm {
        TeamComm { comm: UNDEFINED, members: Arc::new([]), lacks_primary: false }
    }
}

/// A task to OTF2: the communicator of the team in which it was made, the rank of its creator, and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnTaskName {
    pub comm: Number,
    pub rank: Number,
    pub generation: u32,
}

/// A team and thread that create tasks, which those of a location mostly have in common. No team has the default's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastCreator {
    of: (TeamSlot, TrackRef),
    comm: Number,
    rank: Number,
    /// Number of tasks that the thread had created before the session.
    made: u32,
}

impl Default for LastCreator {
    fn default() -> LastCreator {
        let (comm, rank) = Default::default();
        LastCreator { of: (TeamSlot::MAX, TrackRef::MAX), comm, rank, made: 0 }
    }
}

/// A task that was made before the session.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EarlierName {
    pub name: OwnTaskName,
    /// True if the creation of the task was not recorded.
    pub is_unknown: bool,
}

/// A lock, and the numbers of its acquisitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct LockName {
    pub number: u32,
    /// The number as events name the lock.
    pub encoded: Number,
    /// Number of acquisitions that the session has from before its begin. Below: those of them that still hold the
    /// lock, each with its number in the session and in the archive.
    pub before: u32,
    pub held: Vec<(u32, u32)>,
    /// Number of acquisitions in the archive before the session.
    pub acquired: u32,
}

impl LockName {
    /// The archive's number of an acquisition, by that of the session.
    #[inline]
    pub(crate) fn order(&self, order: u32) -> u32 {
        match order.checked_sub(self.before) {
            Some(own @ 1..) => self.acquired.wrapping_add(own),
            _ => self.held.iter().find(|(known, _)| *known == order).map_or(0, |(_, own)| *own),
        }
    }
}

/// The rank of a location in a team.
pub(crate) fn rank(members: &[TrackRef], track: TrackRef) -> u32 {
    members.iter().position(|member| *member == track).unwrap_or(0) as u32
}

/// The number of an archive for one of a session.
#[inline(always)]
pub(super) fn own(numbers: &[u32], number: u32) -> u32 {
    numbers.get(number as usize).copied().unwrap_or_default()
}

impl DefinitionNames {
    /// The archive's number by which events name a region.
    #[inline(always)]
    pub(super) fn region(&self, region: RegionId) -> Number {
        self.regions.get(region as usize).copied().unwrap_or_default()
    }

    /// An attribute with the archive's numbers.
    pub(crate) fn attribute(&self, Attribute { key, value }: Attribute) -> Attribute {
        let value = match value {
            Value::Text(string) => Value::Text(own(&self.strings, string)),
            Value::Context(context) => Value::Context(own(&self.contexts, context)),
            Value::Unsigned(_) | Value::Signed(_) => value,
        };
        Attribute { key: own(&self.attributes, key), value }
    }
}

impl Names {
    /// The archive's name of a task. `last`: what was looked up for the one before.
    #[inline(always)]
    pub(super) fn task(&self, name: TaskName, last: &mut LastCreator) -> OwnTaskName {
        let TaskName { team, thread, generation } = name;
        if last.of != (team, thread) {
            if let Some(index) = name.index_among_earlier() {
                return self
                    .earlier
                    .get(index as usize)
                    .map(|known| known.name)
                    .unwrap_or_default();
            }
            *last = self.creator(team, thread);
        }
        let generation = match generation {
            0 => 0,
            own => own.wrapping_add(last.made).max(1),
        };
        OwnTaskName { comm: last.comm, rank: last.rank, generation }
    }

    #[cold]
    fn creator(&self, team: TeamSlot, thread: TrackRef) -> LastCreator {
        let (comm, rank) = self.comm_and_rank(team, thread);
        let [comm, rank] = [comm, rank].map(Number::new);
        LastCreator { of: (team, thread), comm, rank, made: own(&self.made, thread) }
    }

    /// The communicator of a team and the rank of a location in it.
    pub(super) fn comm_and_rank(&self, team: TeamSlot, track: TrackRef) -> (CommId, u32) {
        match self.teams.get(team as usize) {
            Some(team) => (team.comm, rank(&team.members, own(&self.tracks, track))),
            None => (UNDEFINED, 0),
        }
    }
}
