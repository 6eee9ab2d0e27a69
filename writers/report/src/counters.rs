//! Values of performance counters, added up by thread and by region.
//!
//! A value is read behind the bounds of regions, implicit tasks and task switches: its growth since the previous
//! reading belongs to the region that the thread was in up to that bound.

use crate::construct_table::{ConstructRef, OUTSIDE};
use ompttrace_model::ThreadRef;
use ompttrace_recording::facts;
use std::collections::{BTreeMap, HashMap};

/// The values of one thread or region, by counter.
pub(crate) type Values = Vec<u64>;

/// All counters of a run with their values.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) counters: Vec<facts::Counter>,
    /// Values at the last readings of each thread.
    last: HashMap<ThreadRef, Values>,
    /// Sums for each thread.
    threads: HashMap<ThreadRef, Values>,
    /// Sums over all threads for each region, and for the time outside of regions.
    regions: HashMap<ConstructRef, Values>,
}

impl Counted {
    pub(crate) fn of(facts: &facts::Facts) -> Counted {
        Counted { counters: facts.counters.counted.clone(), ..Counted::default() }
    }

    /// A counter of a thread was read, which was in this region since that was done before; whether that counts.
    pub(crate) fn read(
        &mut self,
        (t, counter): (ThreadRef, u32),
        value: u64,
        region: ConstructRef,
        counts: bool,
    ) {
        let (count, at) = (self.counters.len(), counter as usize);
        let before = at_least(self.last.entry(t).or_default(), count).get_mut(at);
        let Some(before) = before else { return };
        let grown = value.saturating_sub(std::mem::replace(before, value));
        let sums = [self.threads.entry(t).or_default(), self.regions.entry(region).or_default()];
        for sum in sums.into_iter().filter_map(|sums| at_least(sums, count).get_mut(at)) {
            *sum += if counts { grown } else { 0 };
        }
    }

    /// Values of a thread, by the counter's name.
    pub(crate) fn of_thread(&self, t: ThreadRef) -> BTreeMap<String, u64> {
        self.named(self.threads.get(&t))
    }

    /// Values of a region, by the counter's name.
    pub(crate) fn of_region(&self, region: ConstructRef) -> BTreeMap<String, u64> {
        self.named(self.regions.get(&region))
    }

    /// Values of the time outside of regions, by the counter's name.
    pub(crate) fn outside(&self) -> BTreeMap<String, u64> {
        self.of_region(OUTSIDE)
    }

    /// Every counter's sum over all threads.
    pub(crate) fn sum(&self, counter: usize) -> u64 {
        self.threads.values().filter_map(|values| values.get(counter)).sum()
    }

    fn named(&self, values: Option<&Values>) -> BTreeMap<String, u64> {
        let value = |at| values.and_then(|values| values.get(at)).copied().unwrap_or(0);
        let counters = self.counters.iter().enumerate();
        counters.map(|(at, counter)| (counter.name.clone(), value(at))).collect()
    }
}

/// The values, of so many counters at least.
fn at_least(values: &mut Values, count: usize) -> &mut Values {
    if values.len() < count {
        values.resize(count, 0);
    }
    values
}
