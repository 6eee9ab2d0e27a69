//! Parallel regions and leagues that are open, and the tracks on which they are drawn.

use crate::code::Code;
use crate::hash::FastMap;
use ompttrace_model::{ContextRef, LogicalThreadRef, RegionTrack};
use ompttrace_recording::Id;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Vectors of implicit tasks that are kept for the next region.
const MAX_SPARE: usize = 64;

/// An open region.
#[derive(Debug)]
pub(crate) struct Region {
    pub track: RegionTrack,
    pub begin: u64,
    /// Logical thread of the task that encountered it.
    pub parent: Option<LogicalThreadRef>,
    pub league: bool,
    /// Location of the region.
    pub code: Code,
    /// True if the program itself calls the outlined function, as in GCC's interface.
    pub by_program: bool,
    /// Flows were reported for thread numbers 1 up to this one, itself excluded.
    pub flows: u64,
    /// True if the region's begin was inferred from a report of a team thread.
    pub made_up: bool,
    /// True if the task that encountered the region was reported without an id: an explicit task of a recording without
    /// task events.
    pub unnamed: bool,
    /// Implicit tasks of the region: thread and frame.
    pub team_threads: Vec<(u32, u64)>,
    /// Calling context of the region.
    pub context: ContextRef,
}

/// The tracks of one level: how many there were so far, and which of these are free.
#[derive(Clone, Debug, Default)]
struct TrackNumbers {
    made: u32,
    free: BinaryHeap<Reverse<u32>>,
}

/// All open regions.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    open: FastMap<Id, Region>,
    levels: Vec<TrackNumbers>,
    spare: Vec<Vec<(u32, u64)>>,
    /// True if the location of any region so far differs from its call site, which the region's end reports.
    pub any_elsewhere: bool,
}

impl Regions {
    pub(crate) fn get_mut(&mut self, id: Id) -> Option<&mut Region> {
        self.open.get_mut(&id)
    }

    /// A free track of a level, for a region that is to be added.
    pub(crate) fn take_track(&mut self, level: u32) -> RegionTrack {
        let at = level as usize;
        if self.levels.len() <= at {
            self.levels.resize(at + 1, TrackNumbers::default());
        }
        let number = self.levels.get_mut(at).map_or(0, |numbers| match numbers.free.pop() {
            Some(Reverse(number)) => number,
            None => {
                numbers.made += 1;
                numbers.made - 1
            }
        });
        RegionTrack { level, number }
    }

    /// Adds a region that is not there yet.
    pub(crate) fn add(&mut self, id: Id, region: Region) {
        self.open.insert(id, region);
    }

    /// A vector for the implicit tasks of a region.
    pub(crate) fn no_team_threads(&mut self) -> Vec<(u32, u64)> {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes a region out and frees its track.
    pub(crate) fn remove(&mut self, id: Id) -> Option<Region> {
        let region = self.open.remove(&id)?;
        if let Some(numbers) = self.levels.get_mut(region.track.level as usize) {
            numbers.free.push(Reverse(region.track.number));
        }
        Some(region)
    }

    /// Keeps a vector of implicit tasks for the next region.
    pub(crate) fn recycle(&mut self, mut team_threads: Vec<(u32, u64)>) {
        if self.spare.len() < MAX_SPARE {
            team_threads.clear();
            self.spare.push(team_threads);
        }
    }

    /// The ids of all open regions.
    pub(crate) fn ids(&self) -> Vec<Id> {
        let mut ids: Vec<_> = self.open.keys().copied().collect();
        ids.sort_unstable();
        ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_free_track_is_taken() {
        let mut regions = Regions::default();
        let mut add = |id| {
            let track = regions.take_track(1);
            let team_threads = regions.no_team_threads();
            let region = Region {
                track,
                begin: 0,
                parent: None,
                league: false,
                code: Code::default(),
                by_program: false,
                flows: 0,
                made_up: false,
                unnamed: false,
                team_threads,
                context: 0,
            };
            regions.add(Id(id), region);
            track.number
        };
        assert_eq!([add(1), add(2), add(3)], [0, 1, 2]);
        regions.remove(Id(2));
        assert_eq!(regions.take_track(1).number, 1);
        assert_eq!(regions.take_track(2), RegionTrack { level: 2, number: 0 });
    }
}
