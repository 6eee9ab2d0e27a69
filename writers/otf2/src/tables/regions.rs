//! Regions of a session, made once for each construct and source location.

use ompttrace_model::{NameRef, SliceKind, SourceRef};
use rustc_hash::FxHashMap;

use super::kinds::Shape;
use crate::archive::Region;
use crate::ids::RegionId;
use crate::segment::NewRegion;

/// Names beyond these are looked up each time.
const MOST_RECENT: usize = 1 << 18;

type Key = (Shape, NameRef, SourceRef);

/// All regions so far, and how many events named each since the last segment.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    /// Last region of each name of a slice, with its key: most regions are found here without a hash.
    recent: Vec<Option<(Key, RegionId)>>,
    known: FxHashMap<Key, RegionId>,
    uses: Vec<u32>,
    /// Regions that were not handed over yet.
    new: Vec<NewRegion>,
}

impl Regions {
    /// The number for an event of this region, if it is among those that are found without a hash.
    #[inline]
    pub(crate) fn recent(&mut self, key: &Key) -> Option<RegionId> {
        match self.recent.get(key.1 as usize) {
            Some(Some((known, region))) if is_same(known, key) => {
                *self.uses.get_mut(*region as usize)? += 1;
                Some(*region)
            }
            _ => None,
        }
    }

    /// The number for an event of this region.
    #[cold]
    pub(crate) fn number(&mut self, key: Key, describe: impl FnOnce() -> Region) -> RegionId {
        let Regions { known, uses, new, recent } = self;
        let region = *known.entry(key).or_insert_with(|| {
            new.push(NewRegion { region: describe(), is_part: is_part(key.0) });
            uses.push(0);
            uses.len() as RegionId - 1
        });
        if let Some(uses) = uses.get_mut(region as usize) {
            *uses += 1;
        }
        let index = key.1 as usize;
        if index >= MOST_RECENT {
            return region;
        }
        if recent.len() <= index {
            recent.resize(index + 1, None);
        }
        if let Some(entry) = recent.get_mut(index) {
            *entry = Some((key, region));
        }
        region
    }

    /// Takes the regions that are new since the last call.
    pub(super) fn take_new(&mut self) -> Vec<NewRegion> {
        std::mem::take(&mut self.new)
    }

    /// Takes the number of events that named each region since the last call, of the regions that any named.
    pub(super) fn take_uses(&mut self) -> Vec<(RegionId, u32)> {
        let used = (0..).zip(&mut self.uses).filter(|(_, uses)| **uses > 0);
        used.map(|(region, uses)| (region, std::mem::take(uses))).collect()
    }
}

/// Compares keys in the order in which they differ most, since this is done for each event.
#[inline(always)]
fn is_same((shape, name, source): &Key, other: &Key) -> bool {
    *source == other.2 && *name == other.1 && *shape == other.0
}

/// True if a region is common to several things that have names of their own in the timeline: the region that forks and
/// its implicit tasks, both sides of a `single`.
fn is_part(shape: Shape) -> bool {
    use SliceKind::*;
    match shape {
        Shape::Slice(kind) => match kind {
            Region { .. } | ImplicitTask => true,
            Work(work) => work.is_single(),
            _ => false,
        },
        Shape::Block(_) | Shape::SingleBlock | Shape::Unlock(_) => true,
        Shape::Construct(_) | Shape::Instant(_) | Shape::Function => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(name: u32) -> Region {
        Region { name, canonical: 0, description: 0, role: 0, paradigm: 0, file: 0, line: 0 }
    }

    #[test]
    fn each_is_handed_over_once_and_its_uses_are_counted() {
        let mut regions = Regions::default();
        let key = |number| (Shape::Slice(SliceKind::Task), number, number);
        let numbers = [5, 900].map(|name| regions.number(key(name), || region(name)));
        assert_eq!((numbers, regions.recent(&key(5))), ([0, 1], Some(0)));
        assert_eq!((regions.take_new().len(), regions.take_uses()), (2, vec![(0, 2), (1, 1)]));
        regions.number(key(900), || region(900));
        assert_eq!((regions.take_new().len(), regions.take_uses()), (0, vec![(1, 1)]));
    }
}
