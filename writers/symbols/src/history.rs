//! History of mappings: the file that was mapped at each address over time, and the unique addresses that represent
//! its code.

use std::collections::{BTreeMap, HashMap};

use crate::modules::{BuildId, Mapping, without_deleted_mark};

/// First address of the range for mappings that were moved: no user address of x86-64, and few of aarch64, has this
/// bit.
const ELSEWHERE: u64 = 1 << 47;
/// Distance between mappings that were moved, in bytes, so that there is space for their modules' data.
const APART: u64 = 1 << 32;
/// Limit of code addresses, which have 48 bits.
const ADDRESSES: u64 = 1 << 48;

/// A change of the mapping at some addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Time in ticks from which code at these addresses is the new mapping's.
    pub ticks: u64,
    /// First address of the mapping.
    pub start: u64,
    /// First address after the mapping.
    pub end: u64,
    /// Number to add, modulo 2^64, to get the address that represents the code.
    pub moved_by: u64,
}

/// Ranges that do not overlap, each with a value.
#[derive(Clone, Debug)]
struct Ranges<T>(BTreeMap<u64, (u64, T)>);

impl<T> Default for Ranges<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Copy> Ranges<T> {
    fn at(&self, address: u64) -> Option<(u64, u64, T)> {
        let (&start, &(end, value)) = self.0.range(..=address).next_back()?;
        (address < end).then_some((start, end, value))
    }

    fn overlapping(&self, start: u64, end: u64) -> Vec<(u64, u64, T)> {
        let before = self.at(start).filter(|&(first, ..)| first < start);
        let inside = self.0.range(start..end).map(|(&start, &(end, value))| (start, end, value));
        before.into_iter().chain(inside).collect()
    }

    /// Sets the value of a range; returns the earlier ranges that overlap it.
    fn put(&mut self, start: u64, end: u64, value: T) -> Vec<(u64, u64, T)> {
        let old = self.overlapping(start, end);
        for &(first, last, of) in &old {
            self.0.remove(&first);
            if first < start {
                self.0.insert(first, (start, of));
            }
            if end < last {
                self.0.insert(end, (last, of));
            }
        }
        self.0.insert(start, (end, value));
        old
    }
}

/// The mapping at an address, by its number, and the time in ticks since which it is gone; `None` if it is not.
#[derive(Clone, Copy, Debug)]
struct CurrentMapping {
    mapping: usize,
    gone: Option<u64>,
}

/// The history of mappings, built up from their arrivals and departures in order.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// Each mapping at its original addresses, and the number by which it was moved.
    mappings: Vec<(Mapping, u64)>,
    known: HashMap<(u64, u64, u64, BuildId, Vec<u8>), usize>,
    now: Ranges<CurrentMapping>,
    taken: Ranges<()>,
    changes: Vec<Change>,
    /// The mappings with the number of their last sighting.
    order: Vec<(u64, usize)>,
    sightings: u64,
}

impl History {
    /// Records that a mapping was seen.
    pub(crate) fn mapped(&mut self, ticks: u64, mapping: Mapping) {
        let (start, end) = (mapping.start, mapping.end);
        if let Some((first, last, CurrentMapping { mapping: known, gone: None })) =
            self.now.at(start)
            && (first, last) == (start, end)
            && is_same(&self.mappings[known].0, &mapping)
        {
            self.mappings[known].0.path = mapping.path;
            return self.saw(known);
        }
        let number = self.number(mapping);
        self.saw(number);
        let current = CurrentMapping { mapping: number, gone: None };
        let before = self.now.put(start, end, current);
        // What was there before was there until it went, or until this was seen.
        let since = before.iter().map(|(_, _, old)| old.gone.unwrap_or(ticks)).max();
        let moved_by = self.mappings[number].1;
        self.changes.push(Change { ticks: since.unwrap_or(0), start, end, moved_by });
    }

    /// Records that mappings in a range are gone.
    pub(crate) fn unmapped(&mut self, ticks: u64, start: u64, end: u64) {
        for (first, ..) in self.now.overlapping(start, end) {
            if let Some((_, current)) = self.now.0.get_mut(&first) {
                current.gone.get_or_insert(ticks);
            }
        }
    }

    fn saw(&mut self, mapping: usize) {
        self.sightings += 1;
        self.order[mapping].0 = self.sightings;
    }

    /// The number of a mapping, which is the same whenever the mapping is seen again.
    fn number(&mut self, mapping: Mapping) -> usize {
        let key = key(&mapping);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let number = self.mappings.len();
        self.known.insert(key, number);
        let address = self.address_for(&mapping);
        self.taken.put(address, address + (mapping.end - mapping.start), ());
        let moved_by = address.wrapping_sub(mapping.start);
        self.mappings.push((mapping, moved_by));
        self.order.push((0, number));
        number
    }

    /// The mapping's own address if no other mapping has it, else one that no other mapping has. If there is no space
    /// left, the own address is used nevertheless: the newest mapping is then found there.
    fn address_for(&self, mapping: &Mapping) -> u64 {
        let (own, length) = (mapping.start, mapping.end - mapping.start);
        if self.taken.overlapping(own, mapping.end).is_empty() {
            return own;
        }
        let moved = self.taken.0.range(ELSEWHERE..ADDRESSES).next_back();
        let from = moved.map_or(ELSEWHERE, |(_, &(end, ()))| end).max(ELSEWHERE);
        let address = from.checked_add(APART).map(|from| from.next_multiple_of(1 << 16));
        let fits = |address: &u64| address.checked_add(length).is_some_and(|end| end < ADDRESSES);
        address.filter(fits).unwrap_or(own)
    }

    /// The mappings at their unique addresses, oldest sighting first, and the changes; none if no mapping was moved.
    pub(crate) fn finish(mut self) -> (Vec<Mapping>, Vec<Change>) {
        if self.mappings.iter().all(|&(_, moved_by)| moved_by == 0) {
            self.changes.clear();
        }
        self.changes.sort_by_key(|change| change.ticks);
        self.order.sort_unstable();
        let moved = self.order.iter().map(|&(_, number)| {
            let (mapping, by) = &self.mappings[number];
            let (start, end) = (mapping.start.wrapping_add(*by), mapping.end.wrapping_add(*by));
            Mapping { start, end, ..mapping.clone() }
        });
        (moved.collect(), self.changes)
    }
}

/// True if two mappings at the same address are the same, also if the file lost its name meanwhile.
fn is_same(one: &Mapping, other: &Mapping) -> bool {
    key(one) == key(other)
}

fn key(mapping: &Mapping) -> (u64, u64, u64, BuildId, Vec<u8>) {
    use std::os::unix::ffi::OsStrExt;
    let plain = without_deleted_mark(&mapping.path).unwrap_or_else(|| mapping.path.clone());
    let path = plain.as_os_str().as_bytes().to_vec();
    (mapping.start, mapping.end, mapping.file_offset, mapping.build_id.clone(), path)
}

/// Translates code addresses as they were at a time into those under which [`crate::Modules`] knows their code: a file that shared
/// addresses with an earlier one has substitute addresses. The time only advances.
#[derive(Clone, Debug, Default)]
pub struct AsOf {
    next: usize,
    moved: Ranges<u64>,
}

impl AsOf {
    /// Advances to a time in ticks; returns true if any mapping has changed. `changes` must be the same in all calls.
    pub fn go_on(&mut self, changes: &[Change], ticks: u64) -> bool {
        let before = self.next;
        while let Some(change) = changes.get(self.next).filter(|change| change.ticks <= ticks) {
            self.moved.put(change.start, change.end, change.moved_by);
            self.next += 1;
        }
        self.next > before
    }

    /// The address that represents the code at `address`.
    pub fn code(&self, address: u64) -> u64 {
        match self.moved.at(address) {
            Some((_, _, by)) => address.wrapping_add(by),
            None => address,
        }
    }

    /// The addresses that may represent the data at `address`, likeliest first: those that belong to the code below it
    /// and above it.
    pub fn data(&self, address: u64) -> impl Iterator<Item = u64> {
        let below = self.moved.0.range(..=address).next_back();
        let above = self.moved.0.range(address.saturating_add(1)..).next();
        [below, above].into_iter().flatten().map(move |(_, (_, by))| address.wrapping_add(*by))
    }
}
