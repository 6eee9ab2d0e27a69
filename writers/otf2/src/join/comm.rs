//! Communicators: which locations are the threads of a team, by their ranks.

use std::sync::Arc;

use ompttrace_model::CommunicatorRef;

use crate::ids::{CommId, TrackRef};

/// Stands for the location of a thread that has not begun, whose rank is reserved.
pub(super) const NOT_YET: TrackRef = TrackRef::MAX;

/// A communicator's definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Comm {
    pub parent: Option<CommId>,
    /// Number of the communicator of MPI, none for a team.
    pub communicator: Option<CommunicatorRef>,
    /// Locations in the order of their ranks.
    pub members: Arc<[TrackRef]>,
}

impl Comm {
    /// The communicator of a team.
    pub(super) fn of_team(parent: Option<CommId>, members: Arc<[TrackRef]>) -> Comm {
        Comm { parent, communicator: None, members }
    }

    /// The communicator in an archive with so many locations: other locations stand in for threads that never began,
    /// since without them the threads that follow would have other ranks.
    pub(super) fn filled(&self, locations: usize) -> Comm {
        let mut others =
            (0..locations as TrackRef).filter(|location| !self.members.contains(location));
        let last = self.members.iter().rposition(|member| *member != NOT_YET);
        let begun = self.members.get(..last.map_or(0, |last| last + 1)).unwrap_or_default();
        let known = |member: &TrackRef| match *member {
            NOT_YET => others.next(),
            member => Some(member),
        };
        let members = begun.iter().filter_map(known).collect();
        Comm { parent: self.parent, communicator: self.communicator, members }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_stay_where_a_thread_never_began() {
        let members = |members: &[TrackRef], locations| {
            let members = members.into();
            Comm { parent: None, communicator: None, members }.filled(locations).members.to_vec()
        };
        assert_eq!(members(&[0, 2, 1], 3), [0, 2, 1]);
        assert_eq!(members(&[0, NOT_YET, 1, NOT_YET], 4), [0, 2, 1]);
        assert_eq!(members(&[0, NOT_YET, 1], 2), [0, 1], "there is no other location");
    }
}
