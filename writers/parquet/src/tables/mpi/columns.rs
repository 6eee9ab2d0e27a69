//! Columns that tables of MPI have in common, and their values by what rows refer to.

use super::super::location;
use crate::bins::Bins;
use crate::column::{Column, Longs, Values, longs, optional_ints, texts};
use ompttrace_model::{CommunicatorRef, Definitions, NameRef, SourceRef};
use std::collections::HashMap;

/// Source locations in words: each is put together once.
#[derive(Debug, Default)]
pub(super) struct Locations(HashMap<SourceRef, Option<String>>);

/// Makes columns of a table's rows.
pub(super) struct Columns<'a> {
    pub run: i64,
    /// The number of each thread, by position.
    pub numbers: &'a [u32],
    pub bins: &'a Bins,
    pub definitions: &'a Definitions,
    pub locations: &'a mut Locations,
}

impl Columns<'_> {
    /// The run's number in each row.
    pub(super) fn run(&self, rows: usize) -> Column {
        Column::of(Values::Same(self.run, rows))
    }

    /// Numbers of threads, by their positions.
    pub(super) fn threads(&self, threads: impl Iterator<Item = u32>) -> Column {
        let number = |thread: u32| self.numbers.get(thread as usize).copied().unwrap_or_default();
        Column::of(Values::Int(threads.map(|thread| number(thread) as i32).collect()))
    }

    /// Times in nanoseconds of the time of day.
    pub(super) fn times_of_day(&self, times: impl Iterator<Item = u64>) -> Column {
        longs(times.map(|at| self.bins.time_of_day(at)))
    }

    /// Names; `is_optional`: rows may have none.
    pub(super) fn names(
        &self,
        names: impl Iterator<Item = Option<NameRef>>,
        is_optional: bool,
    ) -> Column {
        let strings = self.definitions.strings();
        let text = |name: NameRef| strings.get(name as usize).map(AsRef::as_ref);
        texts(names.map(|name| name.and_then(text)), is_optional)
    }

    /// Names of communicators.
    pub(super) fn communicators(&self, all: impl Iterator<Item = CommunicatorRef>) -> Column {
        let known = self.definitions.communicators();
        let name = |one: CommunicatorRef| known.get(one as usize).map(|one| one.name.as_str());
        texts(all.map(|one| name(one).filter(|name| !name.is_empty())), true)
    }

    /// Source locations, which rows may lack.
    pub(super) fn locations(
        &mut self,
        sources: impl Iterator<Item = Option<SourceRef>> + Clone,
    ) -> Column {
        let Columns { definitions, locations: Locations(known), .. } = self;
        for source in sources.clone().flatten() {
            known.entry(source).or_insert_with(|| location(definitions, source));
        }
        texts(sources.map(|source| known.get(&source?)?.as_deref()), true)
    }
}

/// Numbers that rows may lack.
pub(super) fn optional_longs(values: impl Iterator<Item = Option<u64>>) -> Column {
    let mut column = Longs::default();
    values.for_each(|value| column.push(value.map(super::super::long)));
    column.column()
}

/// Signed numbers that rows may lack.
pub(super) fn optional_signed(values: impl Iterator<Item = Option<i64>>) -> Column {
    let mut column = Longs::default();
    values.for_each(|value| column.push(value));
    column.column()
}

/// Ranks and tags as records have them: none that is negative.
pub(super) fn ranks(values: impl Iterator<Item = u32>) -> Column {
    optional_ints(values.map(|value| Some(value as i32).filter(|value| *value >= 0)))
}
