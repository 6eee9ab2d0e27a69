//! Regions of a session, made once for each construct and source location.

use ompttrace_model::{NameRef, SliceKind, SourceRef};
use rustc_hash::FxHashMap;

use super::kinds::Shape;
use crate::archive::Region;
use crate::ids::RegionId;
use crate::segment::NewRegion;

type Key = (Shape, NameRef, SourceRef);

/// All regions so far, and how many events named each since the last segment.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    known: FxHashMap<Key, RegionId>,
    uses: Vec<u32>,
    /// Regions that were not handed over yet.
    new: Vec<NewRegion>,
}

impl Regions {
    /// The number of a region.
    pub(crate) fn number(&mut self, key: Key, describe: impl FnOnce() -> Region) -> RegionId {
        let Regions { known, uses, new } = self;
        *known.entry(key).or_insert_with(|| {
            new.push(NewRegion { region: describe(), is_part: is_part(key.0) });
            uses.push(0);
            uses.len() as RegionId - 1
        })
    }

    /// Counts an event that names a region.
    #[inline(always)]
    pub(crate) fn used(&mut self, region: RegionId) {
        if let Some(uses) = self.uses.get_mut(region as usize) {
            *uses += 1;
        }
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
        let numbers = [5, 900, 5].map(|name| regions.number(key(name), || region(name)));
        assert_eq!(numbers, [0, 1, 0]);
        numbers.iter().for_each(|region| regions.used(*region));
        assert_eq!((regions.take_new().len(), regions.take_uses()), (2, vec![(0, 2), (1, 1)]));
        regions.used(1);
        assert_eq!((regions.take_new().len(), regions.take_uses()), (0, vec![(1, 1)]));
    }
}
