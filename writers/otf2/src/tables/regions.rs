//! Regions of an archive, made once for each construct and place.
//!
//! An event names its region by a number that takes one byte less below 256, and which region is
//! hot is known only as events come. So the first regions get the small numbers but for a reserve,
//! and a region with a large number that turns out hot gets one of the reserve beside its own.
//! Definitions are numbered without gaps; each location's mapping table says which one the number of
//! an event stands for.

use ompttrace_model::{NameRef, SliceKind, SourceRef};
use rustc_hash::FxHashMap;

use super::kinds::Shape;
use crate::archive::Region;
use crate::ids::{RegionId, StringId};

/// Numbers that are given to regions as they come; then the reserve, then all others.
const FIRST: u32 = 192;
const SMALL: u32 = 256;
/// Names beyond these are looked up each time.
const MOST_RECENT: usize = 1 << 18;
/// Events after which a region is hot.
const HOT: u32 = 10_000;

type Key = (Shape, NameRef, SourceRef);

/// What distinguishes definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Identity {
    name: StringId,
    file: StringId,
    line: u32,
    role: u32,
    /// Instances of a template share their lines.
    function: StringId,
    /// Its canonical name, unless it is one of several parts of a construct.
    canonical: StringId,
}

impl Identity {
    fn new(shape: Shape, region: &Region) -> Identity {
        let Region { name, file, line, role, description: function, .. } = *region;
        let canonical = if is_part(shape) { 0 } else { region.canonical };
        Identity { name, file, line, role, function, canonical }
    }
}

/// Whether something has its region in common with others that the timeline calls differently: the
/// region that forks and its implicit tasks, both sides of a `single`.
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

/// A region and by which number events name it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Key,
    region: RegionId,
    uses: u32,
}

/// All regions so far.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    /// By the name of the slice, to find most of them without a hash.
    recent: Vec<Option<Entry>>,
    known: FxHashMap<Key, (RegionId, u32)>,
    same: FxHashMap<Identity, RegionId>,
    /// The definitions, by their own numbers.
    defined: Vec<Region>,
    /// Numbers of the reserve, and whose they are.
    aliases: Vec<(u32, u32)>,
}

impl Regions {
    /// The number for an event of this region.
    #[inline]
    pub(crate) fn number(&mut self, key: Key, describe: impl FnOnce() -> Region) -> RegionId {
        if let Some(Some(entry)) = self.recent.get_mut(key.1 as usize)
            && entry.key == key
        {
            entry.uses += 1;
            if entry.uses != HOT {
                return entry.region;
            }
            return self.promote(key);
        }
        self.look_up(key, describe)
    }

    #[cold]
    fn look_up(&mut self, key: Key, describe: impl FnOnce() -> Region) -> RegionId {
        let region = match self.known.get_mut(&key) {
            Some((_, uses)) if *uses == HOT => self.promote(key),
            Some((region, uses)) => {
                *uses += 1;
                *region
            }
            None => self.define(key, describe()),
        };
        let place = key.1 as usize;
        if place >= MOST_RECENT {
            return region;
        }
        if self.recent.len() <= place {
            self.recent.resize(place + 1, None);
        }
        if let Some(entry) = self.recent.get_mut(place) {
            *entry = Some(Entry { key, region, uses: 0 });
        }
        region
    }

    fn define(&mut self, key: Key, region: Region) -> RegionId {
        let next = next(self.defined.len() as u32);
        let number = *self.same.entry(Identity::new(key.0, &region)).or_insert(next);
        if number == next {
            self.defined.push(region);
        }
        self.known.insert(key, (number, 0));
        number
    }

    /// The region is hot: if its number is large and there is a small one, it gets it.
    #[cold]
    fn promote(&mut self, key: Key) -> RegionId {
        let Some((region, uses)) = self.known.get_mut(&key) else { return 0 };
        *uses = HOT + 1;
        let small = FIRST + self.aliases.len() as u32;
        if *region >= SMALL && small < SMALL {
            self.aliases.push((small, *region));
            *region = small;
        }
        let region = *region;
        if let Some(Some(entry)) = self.recent.get_mut(key.1 as usize) {
            entry.region = region;
        }
        region
    }

    /// The number of the definition of a region that events name by `number`.
    pub(crate) fn definition(&self, number: RegionId) -> u32 {
        let own = if number < SMALL {
            number.checked_sub(FIRST).and_then(|alias| Some(self.aliases.get(alias as usize)?.1))
        } else {
            Some(number)
        };
        own.map_or(number, |own| own - (SMALL - FIRST))
    }

    /// Every region, by the number of its definition.
    pub(crate) fn all(&self) -> &[Region] {
        &self.defined
    }

    /// Numbers by which events name regions, each with the number of the region's definition; none
    /// where both are the same for all.
    pub(crate) fn mapping(&self) -> Vec<(u32, u32)> {
        let count = self.defined.len() as u32;
        if count <= FIRST {
            return Vec::new();
        }
        let own = (0..count).map(|region| (next(region), region));
        let aliases = self.aliases.iter().map(|(small, number)| (*small, number - (SMALL - FIRST)));
        own.chain(aliases).collect()
    }
}

/// The number of the region that is the `count`th.
fn next(count: u32) -> u32 {
    if count < FIRST { count } else { count + (SMALL - FIRST) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_model::ompt::{SyncRegion, Work};

    fn region(name: u32) -> Region {
        Region { name, canonical: 0, description: 0, role: 0, paradigm: 0, file: 0, line: 0 }
    }

    fn key(number: u32) -> Key {
        (Shape::Slice(SliceKind::Task), number, number)
    }

    #[test]
    fn a_hot_region_gets_a_small_number_however_late_it_comes() {
        let mut regions = Regions::default();
        for number in 0..1000 {
            regions.number(key(number), || region(number));
        }
        assert_eq!(regions.number(key(5), || region(5)), 5);
        assert_eq!(regions.number(key(900), || region(900)), 964);
        let numbers: Vec<_> =
            (0..2 * HOT).map(|_| regions.number(key(900), || region(900))).collect();
        assert_eq!((numbers.first(), numbers.last()), (Some(&964), Some(&192)));
        assert_eq!(regions.all().len(), 1000);
        let mapping = regions.mapping();
        assert!(mapping.contains(&(5, 5)) && mapping.contains(&(964, 900)));
        assert_eq!((mapping.len(), mapping.last()), (1001, Some(&(192, 900))));
        assert!(mapping.iter().all(|(number, own)| regions.definition(*number) == *own));
    }

    #[test]
    fn what_an_archive_cannot_distinguish_is_one_region() {
        let mut regions = Regions::default();
        assert_eq!(regions.number(key(1), || region(7)), regions.number(key(2), || region(7)));
        assert_eq!(regions.all().len(), 1);
    }

    #[test]
    fn what_has_a_name_of_its_own_is_a_region_of_its_own() {
        let regions = |kind: SliceKind, reported: [u32; 2]| {
            let mut regions = Regions::default();
            for canonical in reported {
                let key = (Shape::Slice(kind), canonical, 0);
                regions.number(key, || Region { canonical, ..region(7) });
            }
            regions.all().len()
        };
        assert_eq!(regions(SliceKind::Sync(SyncRegion::BarrierImplicit), [3, 4]), 2);
        assert_eq!(regions(SliceKind::Sync(SyncRegion::BarrierImplicit), [3, 3]), 1);
        assert_eq!(regions(SliceKind::Work(Work::SingleExecutor), [3, 4]), 1);
    }

    #[test]
    fn the_reserve_ends() {
        let mut regions = Regions::default();
        for number in 0..500 {
            for _ in 0..=HOT + 1 {
                regions.number(key(number), || region(number));
            }
        }
        assert_eq!(regions.aliases.len(), (SMALL - FIRST) as usize);
        assert_eq!(regions.number(key(499), || region(499)), 563);
    }
}
