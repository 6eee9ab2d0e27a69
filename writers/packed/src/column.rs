//! Columns: a sequence of 32-bit values, most of them small or alike, in few bytes.
//!
//! The description of a column goes into the *directory*, a byte or more per value into *planes*: first all lowest
//! bytes, then all second bytes. Compressors work better on adjacent bytes of one kind, and reading them is a loop
//! without branches.

use crate::bytes::{Bytes, Wrong};
use std::iter::repeat;

/// Mode of a column whose values are all 0.
const ZERO: u8 = 0;
/// Maximum number of planes. Modes 1 to 4 have that many planes; values that do not fit are patches in the directory.
const MOST_PLANES: u8 = 4;
/// Mode of a column whose values are all the one in the directory.
const SAME: u8 = 5;
/// Mode of a column whose plane has indices into the directory's table of values.
const TABLE: u8 = 6;

/// Maximum number of values in a table: with more of them, a further plane is as good.
const LARGEST_TABLE: usize = 128;
/// Size of a patch in bytes: the index of a value, and the value.
const PATCH: usize = 8;

/// The two parts of an encoded block.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) directory: Vec<u8>,
    pub(crate) planes: Vec<u8>,
}

impl Parts {
    fn number(&mut self, number: usize) {
        self.directory.extend((number as u32).to_le_bytes());
    }

    /// Appends a column.
    pub(crate) fn column(&mut self, values: &[u32]) {
        let first = values.first().copied().unwrap_or(0);
        if values.iter().all(|value| *value == first) {
            match first {
                0 => self.directory.push(ZERO),
                _ => {
                    self.directory.push(SAME);
                    self.directory.extend(first.to_le_bytes());
                }
            }
            return;
        }
        let (planes, cost) = best_planes(values);
        if cost > values.len()
            && let Some(table) = Table::of(values)
        {
            return self.with_table(values, &table);
        }
        self.with_planes(values, planes);
    }

    fn with_planes(&mut self, values: &[u32], planes: u8) {
        let fits = |value: u32| bytes_of(value) <= usize::from(planes);
        let patches = values.iter().enumerate().filter(|(_, value)| !fits(**value));
        self.directory.push(planes);
        self.number(patches.clone().count());
        for (at, value) in patches {
            self.number(at);
            self.directory.extend(value.to_le_bytes());
        }
        for plane in 0..planes {
            self.planes.extend(values.iter().map(|value| match fits(*value) {
                true => (value >> (8 * plane)) as u8,
                false => 0,
            }));
        }
    }

    fn with_table(&mut self, values: &[u32], table: &Table) {
        self.directory.extend([TABLE, table.values.len() as u8]);
        self.directory.extend(table.values.iter().flat_map(|value| value.to_le_bytes()));
        self.planes.extend(values.iter().map(|value| table.index_of(*value).unwrap_or(0)));
    }
}

/// Number of bytes that a value needs.
fn bytes_of(value: u32) -> usize {
    4 - value.leading_zeros() as usize / 8
}

/// The number of planes with the least cost, patches included, and that cost in bytes.
fn best_planes(values: &[u32]) -> (u8, usize) {
    let mut of_length = [0usize; 5];
    for value in values {
        if let Some(count) = of_length.get_mut(bytes_of(*value)) {
            *count += 1;
        }
    }
    let cost = |planes: u8| {
        let patches: usize = of_length.iter().skip(usize::from(planes) + 1).sum();
        usize::from(planes) * values.len() + patches * PATCH
    };
    let best = (1..=MOST_PLANES).min_by_key(|planes| cost(*planes)).unwrap_or(MOST_PLANES);
    (best, cost(best))
}

/// The different values of a column, if they are few, in the order of their appearance.
struct Table {
    values: Vec<u32>,
    /// Indices plus one, each in the first free entry from the hash of its value on; 0 is a free entry.
    entries: [u8; 4 * LARGEST_TABLE],
}

impl Table {
    fn of(values: &[u32]) -> Option<Table> {
        let mut table = Table { values: Vec::new(), entries: [0; 4 * LARGEST_TABLE] };
        for value in values {
            if table.index_of(*value).is_some() {
                continue;
            }
            if table.values.len() == LARGEST_TABLE {
                return None;
            }
            table.values.push(*value);
            let free = table.entries(*value).find(|entry| table.at(*entry) == 0)?;
            *table.entries.get_mut(free)? = table.values.len() as u8;
        }
        Some(table)
    }

    fn index_of(&self, value: u32) -> Option<u8> {
        for entry in self.entries(value) {
            let index = self.at(entry).checked_sub(1)?;
            if self.values.get(usize::from(index)) == Some(&value) {
                return Some(index);
            }
        }
        None
    }

    /// The entries in which a value may be, in the order of the search.
    fn entries(&self, value: u32) -> impl Iterator<Item = usize> + use<> {
        let first = (value.wrapping_mul(0x9e37_79b1) >> 16) as usize;
        (0..4 * LARGEST_TABLE).map(move |step| (first + step) % (4 * LARGEST_TABLE))
    }

    fn at(&self, entry: usize) -> u8 {
        self.entries.get(entry).copied().unwrap_or(0)
    }
}

/// Elements that receive a column's values: every `step`-th one, beginning with the first.
pub(crate) struct Targets<'t, T> {
    targets: &'t mut [T],
    step: usize,
}

impl<'t, T> Targets<'t, T> {
    /// Selects every `step`-th of these elements, beginning with number `first`.
    pub(crate) fn new(targets: &'t mut [T], first: usize, step: usize) -> Self {
        Targets { targets: targets.get_mut(first..).unwrap_or_default(), step }
    }

    fn count(&self) -> usize {
        self.targets.len().div_ceil(self.step)
    }

    /// Sets each element to its value by `put`.
    #[inline(always)]
    fn fill(&mut self, values: impl Iterator<Item = u32>, put: impl Fn(&mut T, u32)) {
        self.targets
            .iter_mut()
            .step_by(self.step)
            .zip(values)
            .for_each(|(to, value)| put(to, value));
    }

    fn at(&mut self, index: usize) -> Option<&mut T> {
        self.targets.get_mut(index.checked_mul(self.step)?)
    }
}

/// Reads a column of as many values as there are elements; `put` stores one.
#[inline(always)]
pub(crate) fn read<T>(
    directory: &mut Bytes<'_>,
    planes: &mut Bytes<'_>,
    mut to: Targets<'_, T>,
    put: impl Fn(&mut T, u32),
) -> Result<(), Wrong> {
    match directory.byte()? {
        ZERO => to.fill(repeat(0), put),
        SAME => to.fill(repeat(directory.u32()?), put),
        TABLE => {
            let table = read_table(directory)?;
            let plane = planes.take(to.count())?;
            to.fill(plane.iter().map(|index| table[usize::from(*index)]), put);
        }
        mode @ 1..=MOST_PLANES => {
            let patches = directory.u32()? as usize;
            let patches = directory.take(patches.checked_mul(PATCH).ok_or(Wrong("a length"))?)?;
            read_planes(mode, planes, &mut to, &put)?;
            for patch in patches.as_chunks::<PATCH>().0 {
                let [a, b, c, d, value @ ..] = *patch;
                let target = to.at(u32::from_le_bytes([a, b, c, d]) as usize);
                let target = target.ok_or(Wrong("a patch behind its column"))?;
                put(target, u32::from_le_bytes(value));
            }
        }
        _ => return Err(Wrong("a column of an unknown kind")),
    }
    Ok(())
}

/// The values of a table, after their number; the rest of the array is 0.
fn read_table(directory: &mut Bytes<'_>) -> Result<[u32; 256], Wrong> {
    let mut table = [0; 256];
    let count = usize::from(directory.byte()?);
    for value in table.iter_mut().take(count) {
        *value = directory.u32()?;
    }
    Ok(table)
}

/// Reads the planes of a column, with one loop for each number of planes, so that it has no branches.
#[inline(always)]
fn read_planes<T>(
    count: u8,
    planes: &mut Bytes<'_>,
    to: &mut Targets<'_, T>,
    put: impl Fn(&mut T, u32),
) -> Result<(), Wrong> {
    let values = to.count();
    let mut plane = |number: u8| planes.take(if count > number { values } else { 0 });
    let [a, b, c, d] = [plane(0)?.iter(), plane(1)?.iter(), plane(2)?.iter(), plane(3)?.iter()];
    let word = |a: &u8, b: &u8, c: &u8, d: &u8| u32::from_le_bytes([*a, *b, *c, *d]);
    match count {
        1 => to.fill(a.map(|a| u32::from(*a)), put),
        2 => to.fill(a.zip(b).map(|(a, b)| word(a, b, &0, &0)), put),
        3 => to.fill(a.zip(b).zip(c).map(|((a, b), c)| word(a, b, c, &0)), put),
        _ => to.fill(a.zip(b).zip(c.zip(d)).map(|((a, b), (c, d))| word(a, b, c, d)), put),
    }
    Ok(())
}
