//! Regions of an archive, and the numbers by which events name them.
//!
//! An event names its region by a number that takes one byte less below 256, and which region is hot is known only as
//! events come. So the first regions get the small numbers but for a reserve, and a region with a large number that
//! turns out hot gets one of the reserve in addition to its own. Definitions are numbered without gaps; each location's
//! mapping table has the definition for each number in events.

use rustc_hash::FxHashMap;

use crate::archive::Region;
use crate::ids::{RegionId, StringId};
use crate::segment::NewRegion;

/// Numbers that are given to regions as they come; then the reserve, then all others.
const FIRST: u32 = 192;
const SMALL: u32 = 256;
/// Events after which a region is hot.
const HOT: u32 = 10_000;

/// Fields by which the definitions of regions are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Identity {
    name: StringId,
    file: StringId,
    line: u32,
    role: u32,
    /// Function of the region: instances of a template share their lines.
    function: StringId,
    /// Canonical name of the region, 0 if it is one of several parts of a construct.
    canonical: StringId,
}

impl Identity {
    fn new(region: &Region, is_part: bool) -> Identity {
        let Region { name, file, line, role, description: function, .. } = *region;
        let canonical = if is_part { 0 } else { region.canonical };
        Identity { name, file, line, role, function, canonical }
    }
}

/// A region, the number by which events name it, and the number of these events.
#[derive(Clone, Copy, Debug)]
struct Entry {
    definition: Region,
    is_part: bool,
    number: RegionId,
    uses: u32,
}

/// All regions of the archives so far. Their definitions are numbered by position.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    all: Vec<Entry>,
    same: FxHashMap<Identity, u32>,
    /// Numbers of the reserve, each with the definition for which it stands.
    aliases: Vec<(RegionId, u32)>,
}

impl Regions {
    /// Defines a region, unless it is defined; returns the number of its definition.
    pub(super) fn define(&mut self, region: Region, is_part: bool) -> u32 {
        let next = self.all.len() as u32;
        let definition = *self.same.entry(Identity::new(&region, is_part)).or_insert(next);
        if definition == next {
            let number = first_number(next);
            self.all.push(Entry { definition: region, is_part, number, uses: 0 });
        }
        definition
    }

    /// Counts further events that name a region; returns true if its number changes.
    pub(super) fn used(&mut self, definition: u32, uses: u32) -> bool {
        let Some(entry) = self.all.get_mut(definition as usize) else { return false };
        let was_hot = entry.uses >= HOT;
        entry.uses = entry.uses.saturating_add(uses);
        let small = FIRST + self.aliases.len() as u32;
        if was_hot || entry.uses < HOT || entry.number < SMALL || small >= SMALL {
            return false;
        }
        entry.number = small;
        self.aliases.push((small, definition));
        true
    }

    /// Number by which events name a region.
    pub(super) fn number(&self, definition: u32) -> RegionId {
        self.all.get(definition as usize).map_or(0, |entry| entry.number)
    }

    /// Every region, by the number of its definition.
    pub(crate) fn all(&self) -> impl ExactSizeIterator<Item = &Region> {
        self.all.iter().map(|entry| &entry.definition)
    }

    /// Every region as a session defines it, in the same order.
    pub(super) fn as_new(&self) -> impl Iterator<Item = NewRegion> {
        self.all.iter().map(|entry| NewRegion { region: entry.definition, is_part: entry.is_part })
    }

    /// Numbers by which events name regions, each with the number of the region's definition; none
    /// where both are the same for all.
    pub(crate) fn mapping(&self) -> Vec<(RegionId, u32)> {
        let count = self.all.len() as u32;
        if count <= FIRST {
            return Vec::new();
        }
        let own = (0..count).map(|definition| (first_number(definition), definition));
        own.chain(self.aliases.iter().copied()).collect()
    }
}

/// The number of a region before it is hot.
fn first_number(definition: u32) -> RegionId {
    if definition < FIRST { definition } else { definition + (SMALL - FIRST) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(name: u32) -> Region {
        Region { name, canonical: 0, description: 0, role: 0, paradigm: 0, file: 0, line: 0 }
    }

    #[test]
    fn a_hot_region_gets_a_small_number_however_late_it_comes() {
        let mut regions = Regions::default();
        for number in 0..1000 {
            assert_eq!(regions.define(region(number), false), number);
        }
        assert_eq!((regions.number(5), regions.number(900)), (5, 964));
        assert!(!regions.used(5, 2 * HOT) && !regions.used(900, HOT - 1));
        assert!(regions.used(900, 1) && !regions.used(900, HOT));
        assert_eq!((regions.number(900), regions.all().len()), (192, 1000));
        let mapping = regions.mapping();
        assert!(mapping.contains(&(5, 5)) && mapping.contains(&(964, 900)));
        assert_eq!((mapping.len(), mapping.last()), (1001, Some(&(192, 900))));
    }

    #[test]
    fn what_an_archive_cannot_distinguish_is_one_region() {
        let mut regions = Regions::default();
        let canonical = |canonical| Region { canonical, ..region(7) };
        assert_eq!([3, 4].map(|name| regions.define(canonical(name), true)), [0, 0]);
        assert_eq!([3, 4, 3].map(|name| regions.define(canonical(name), false)), [1, 2, 1]);
    }

    #[test]
    fn the_reserve_ends() {
        let mut regions = Regions::default();
        for number in 0..500 {
            regions.define(region(number), false);
            regions.used(number, HOT + 1);
        }
        assert_eq!(regions.aliases.len(), (SMALL - FIRST) as usize);
        assert_eq!(regions.number(499), 563);
    }
}
