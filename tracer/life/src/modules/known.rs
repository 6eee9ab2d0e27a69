//! The executable ranges that the `modules` file contains, as far as the table has room for them.

use super::elf::build_id;
use super::maps::Mapping;

const RANGES: usize = 512;

/// The executable mapping in which a code address lies.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Address at which the beginning of its file is mapped.
    pub(crate) header: u64,
    /// A number that identifies the file at these addresses; another one has a different number.
    pub(crate) identity: u64,
    /// True if no code in the mapping was seen since it was mapped.
    pub(crate) is_unwatched: bool,
}

/// A mapping of code, with its state in the file.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) start: u64,
    pub(super) end: u64,
    header: u64,
    /// Hash of the addresses and the file, as in /proc/self/maps.
    key: u64,
    /// Hash of these and the build id.
    pub(super) identity: u64,
    pub(super) has_name: bool,
    is_deleted: bool,
    is_watched: bool,
    is_written: bool,
    is_there: bool,
    /// Time since which the mapping may be gone, in ticks; 0 if it was not unloaded.
    pub(super) leaves: u64,
}

impl Range {
    const NONE: Range = Range {
        start: 0,
        end: 0,
        header: 0,
        key: 0,
        identity: 0,
        has_name: false,
        is_deleted: false,
        is_watched: false,
        is_written: false,
        is_there: false,
        leaves: 0,
    };

    pub(super) fn of(mapping: &Mapping<'_>, header: u64) -> Range {
        let key = key(mapping);
        Range {
            start: mapping.start,
            end: mapping.end,
            header,
            key,
            identity: identity(key, header),
            has_name: !mapping.path.is_empty(),
            is_deleted: mapping.is_deleted(),
            is_written: true,
            is_there: true,
            ..Range::NONE
        }
    }

    fn is(&self, mapping: &Mapping<'_>) -> bool {
        (self.start, self.end) == (mapping.start, mapping.end) && self.key == key(mapping)
    }

    fn seen(&self) -> Seen {
        let Range { start, end, header, identity, is_watched, .. } = *self;
        Seen { start, end, header, identity, is_unwatched: !is_watched }
    }
}

/// Hash that identifies a mapping, except for a file that was rewritten in place.
fn key(mapping: &Mapping<'_>) -> u64 {
    let numbers = [mapping.start, mapping.end, mapping.offset, mapping.file];
    let bytes = numbers.iter().flat_map(|number| number.to_ne_bytes());
    bytes.chain(mapping.plain_path().iter().copied()).fold(BASIS, step)
}

fn identity(key: u64, header: u64) -> u64 {
    let mut id = [0; 64];
    let length = build_id(header, &mut id);
    // 0 is no identity.
    id.iter().take(length).copied().fold(key, step).max(1)
}

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

fn step(sum: u64, byte: u8) -> u64 {
    (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
}

pub(super) struct Known {
    ranges: [Range; RANGES],
    count: usize,
    /// True if a mapping was found that is not among the ranges or has to be written again.
    lacks: bool,
}

impl Known {
    pub(super) const fn new() -> Known {
        Known { ranges: [Range::NONE; RANGES], count: 0, lacks: true }
    }

    pub(super) fn forget_all(&mut self) {
        self.count = 0;
    }

    pub(super) fn write_all_again(&mut self) {
        self.ranges().for_each(|range| range.is_written = false);
    }

    fn ranges(&mut self) -> impl Iterator<Item = &mut Range> {
        self.ranges.iter_mut().take(self.count)
    }

    /// The mapping in which a code address lies, unless it may have been unmapped; from then on it counts as watched.
    pub(super) fn see(&mut self, address: u64) -> Option<Seen> {
        let at =
            |range: &&mut Range| (range.start..range.end).contains(&address) && range.leaves == 0;
        let range = self.ranges().find(at)?;
        let seen = range.seen();
        range.is_watched = true;
        Some(seen)
    }

    /// Notes that the range that begins at `start` may be unmapped from `now` on, in ticks; returns it.
    pub(super) fn may_leave(&mut self, start: u64, now: u64) -> Option<Seen> {
        let range = self.ranges().find(|range| range.start == start)?;
        if range.leaves == 0 {
            range.leaves = now;
        }
        range.is_watched = false;
        Some(range.seen())
    }

    /// Determines which of the ranges are still mapped, and whether others are; `walk` visits all mappings.
    pub(super) fn compare_with(&mut self, walk: impl FnOnce(&mut dyn FnMut(&Mapping<'_>, u64))) {
        self.ranges().for_each(|range| range.is_there = false);
        self.lacks = false;
        walk(&mut |mapping, header| self.compare(mapping, header));
    }

    fn compare(&mut self, mapping: &Mapping<'_>, header: u64) {
        // If it may have been unloaded, another file of the same name may have replaced it.
        let same = |range: &&mut Range| {
            range.is(mapping)
                && (range.leaves == 0 || range.identity == identity(range.key, header))
        };
        let is_written = match self.ranges().find(same) {
            Some(range) => {
                (range.is_there, range.leaves) = (true, 0);
                range.is_written &= range.is_deleted == mapping.is_deleted();
                range.is_written
            }
            None => false,
        };
        self.lacks |= !is_written;
    }

    /// Calls `each` with the ranges that are not mapped any more, and forgets them.
    pub(super) fn take_departed(&mut self, mut each: impl FnMut(&Range)) {
        let mut kept = 0;
        for at in 0..self.count {
            let Some(range) = self.ranges.get(at).copied() else { break };
            if !range.is_there {
                each(&range);
            } else if let Some(slot) = self.ranges.get_mut(kept) {
                *slot = range;
                kept += 1;
            }
        }
        self.count = kept;
    }

    /// True if a mapping was found that must be written.
    pub(super) fn lacks_something(&self) -> bool {
        self.lacks
    }

    pub(super) fn is_written(&mut self, mapping: &Mapping<'_>) -> bool {
        self.ranges().any(|range| range.is(mapping) && range.is_written)
    }

    /// Adds a range that is written, for the first time or again.
    pub(super) fn add(&mut self, new: Range) {
        if let Some(range) = self.ranges().find(|range| range.start == new.start) {
            *range = Range { is_watched: range.is_watched, ..new };
        } else if let Some(slot) = self.ranges.get_mut(self.count) {
            *slot = new;
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(start: u64, path: &'static str) -> Mapping<'static> {
        let path = path.as_bytes();
        Mapping { start, end: start + 0x1000, executable: true, offset: 0, file: 7, path }
    }

    /// Changes that are written when these are mapped: departures and arrivals.
    fn change(known: &mut Known, mapped: &[Mapping<'_>]) -> (Vec<(u64, u64)>, Vec<u64>) {
        known.compare_with(|see| mapped.iter().for_each(|mapping| see(mapping, 0)));
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        known.take_departed(|range| gone.push((range.start, range.leaves)));
        for mapping in mapped {
            if !known.is_written(mapping) {
                known.add(Range::of(mapping, 0));
                come.push(mapping.start);
            }
        }
        (gone, come)
    }

    #[test]
    fn only_changes_are_written() {
        let mut known = Known::new();
        let [a, b, c] = [mapping(0x1000, "/a"), mapping(0x5000, "/b"), mapping(0x5000, "/c")];
        assert_eq!(change(&mut known, &[a, b]), (vec![], vec![0x1000, 0x5000]));
        assert_eq!(change(&mut known, &[a, b]), (vec![], vec![]));
        assert!(!known.lacks_something());
        assert_eq!(change(&mut known, &[a, c]), (vec![(0x5000, 0)], vec![0x5000]));
        let deleted = mapping(0x1000, "/a (deleted)");
        assert_eq!(change(&mut known, &[deleted, c]), (vec![], vec![0x1000]));
        known.write_all_again();
        assert_eq!(change(&mut known, &[deleted, c]), (vec![], vec![0x1000, 0x5000]));
    }

    #[test]
    fn what_may_have_left_is_looked_at_again() {
        let mut known = Known::new();
        let [a, b] = [mapping(0x1000, "/a"), mapping(0x1000, "/b")];
        change(&mut known, &[a]);
        assert!(known.see(0x1004).is_some_and(|seen| seen.is_unwatched));
        assert!(known.see(0x1004).is_some_and(|seen| !seen.is_unwatched));
        assert!(known.may_leave(0x1000, 77).is_some() && known.see(0x1004).is_none());
        assert_eq!(change(&mut known, &[a]), (vec![], vec![]));
        assert!(
            known.see(0x1004).is_some_and(|seen| seen.is_unwatched),
            "it is to be watched again"
        );
        known.may_leave(0x1000, 99);
        assert_eq!(change(&mut known, &[b]), (vec![(0x1000, 99)], vec![0x1000]));
        assert!(known.may_leave(0x2000, 1).is_none());
    }
}
