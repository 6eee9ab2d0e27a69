//! Ids of tasks and parallel regions: 64-bit numbers that describe themselves.
//!
//! An exporter can name a task's segment from the id alone, without a table of all tasks.

use std::fmt;

/// Slots in the table of code sites; slot 0 is never used.
pub const SITES: usize = 1 << SITE_BITS;

const COUNTER_BITS: u32 = 32;
const THREAD_BITS: u32 = 18;
const SITE_BITS: u32 = 12;
const THREAD_SHIFT: u32 = COUNTER_BITS;
const SITE_SHIFT: u32 = COUNTER_BITS + THREAD_BITS;
const IMPLICIT: u64 = 1 << 62;
const FRESH: u64 = 1 << 63;
/// Both marks at once, which no id of ours has: the runtime made the number.
const FROM_SOURCE: u64 = FRESH | IMPLICIT;
/// A runtime's number that does not fit: the rest of the id is a hash of it.
const HASHED: u64 = 1 << 61;

/// The id of a task or of a parallel region; 0 is "unknown".
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Id(pub u64);

impl Id {
    /// The id of a task or region that the source did not report.
    pub const NONE: Id = Id(0);

    /// The part of an id that one thread's ids share, to be added to a site and a counter.
    #[inline(always)]
    pub const fn thread_part(thread: u64) -> u64 {
        (thread & ((1 << THREAD_BITS) - 1)) << THREAD_SHIFT
    }

    /// The id of a parallel region.
    #[inline(always)]
    pub const fn region(thread_part: u64, counter: u32, site: u64) -> Id {
        Id(thread_part | counter as u64 | (site << SITE_SHIFT))
    }

    /// The id of an explicit task that has not run yet.
    #[inline(always)]
    pub const fn fresh_task(thread_part: u64, counter: u32, site: u64) -> Id {
        Id(thread_part | counter as u64 | (site << SITE_SHIFT) | FRESH)
    }

    /// The id of an implicit task of `region`, whose site it shares.
    #[inline(always)]
    pub const fn implicit_task(thread_part: u64, counter: u32, region: Id) -> Id {
        let site = region.0 & (((1 << SITE_BITS) - 1) << SITE_SHIFT);
        Id(thread_part | counter as u64 | site | IMPLICIT)
    }

    /// The id of a task or region that a source numbers itself, 0 for "none"; readers of the recording give such an
    /// id the form of other ids. Numbers below 2^61 stay as they are; of others 61 bits of a hash stay, so that two
    /// that are alive together are the same once in 10^18 pairs.
    #[inline(always)]
    pub const fn from_source(number: u64) -> Id {
        if number == 0 {
            Id::NONE
        } else if number < HASHED {
            Id(number | FROM_SOURCE)
        } else {
            Id((number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3) | HASHED | FROM_SOURCE)
        }
    }

    /// Returns true if the id is a source's own number.
    #[inline(always)]
    pub const fn is_from_source(self) -> bool {
        self.0 & FROM_SOURCE == FROM_SOURCE
    }

    /// The id that an explicit task has as soon as it has begun to run.
    #[inline(always)]
    pub const fn started(self) -> Id {
        Id(self.0 & !FRESH)
    }

    /// Returns true if the id is of an explicit task that has not run yet: this is the first mention of its run.
    #[inline(always)]
    pub const fn is_fresh(self) -> bool {
        self.0 & FROM_SOURCE == FRESH
    }

    /// Returns true for the id of an implicit or initial task.
    #[inline(always)]
    pub const fn is_implicit(self) -> bool {
        self.0 & FROM_SOURCE == IMPLICIT
    }

    /// Returns true if the source did not report which task or region it is.
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The index in the table of code sites; 0 is unknown.
    #[inline(always)]
    pub const fn site(self) -> usize {
        (self.0 >> SITE_SHIFT) as usize & (SITES - 1)
    }

    /// The number of the creating thread (modulo 2^18).
    #[inline(always)]
    pub const fn thread(self) -> u64 {
        (self.0 >> THREAD_SHIFT) & ((1 << THREAD_BITS) - 1)
    }

    /// The creating thread's running number (modulo 2^32).
    #[inline(always)]
    pub const fn counter(self) -> u32 {
        self.0 as u32
    }
}

impl fmt::Display for Id {
    /// `thread.counter`: short and unique among what is alive.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("?");
        }
        let mark = if self.is_implicit() { "i" } else { "" };
        write!(f, "{mark}{}.{}", self.thread(), self.counter())
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        if self.is_fresh() { f.write_str("*") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_an_id_do_not_touch_each_other() {
        let part = Id::thread_part((1 << 18) - 1);
        let task = Id::fresh_task(part, u32::MAX, 4095);
        assert!(task.is_fresh() && !task.is_implicit());
        assert_eq!((task.site(), task.thread(), task.counter()), (4095, (1 << 18) - 1, u32::MAX));
        assert!(!task.started().is_fresh());
        let region = Id::region(Id::thread_part(3), 9, 77);
        let implicit = Id::implicit_task(Id::thread_part(5), 2, region);
        assert!(implicit.is_implicit());
        assert_eq!((implicit.site(), implicit.thread(), implicit.counter()), (77, 5, 2));
    }

    #[test]
    fn a_sources_own_numbers_are_distinguished_from_ours_and_from_each_other() {
        assert_eq!(Id::from_source(0), Id::NONE);
        let numbers = [1, 2, (1 << 61) - 1, 1 << 61, 1 << 62, 3 << 62, u64::MAX - 1, u64::MAX];
        let ids = numbers.map(Id::from_source);
        for (at, id) in ids.iter().enumerate() {
            assert!(id.is_from_source() && !id.is_fresh() && !id.is_implicit());
            assert!(!ids[..at].contains(id), "{at}");
        }
        let ours = [Id::fresh_task(1, 2, 3), Id::region(1, 2, 3), Id::implicit_task(1, 2, Id(3))];
        assert!(ours.iter().all(|id| !id.is_from_source()));
    }
}
