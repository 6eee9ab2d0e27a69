//! The numbers of every construct, as they grow with the timeline.

use crate::blame::Absence;
use crate::construct_table::{ConstructRef, OUTSIDE};
use crate::model::Balance;
use crate::state::Times;
use crate::what_if::{Instance, Sums as WhatIfs};

/// Thread numbers that are distinguished; those beyond count as the last one.
const MAX_THREAD_NUMS: usize = 1024;

/// One construct's numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    /// Exclusive time of all threads.
    pub times: Times,
    pub calls: u64,
    pub threads: u64,
    /// Elapsed time of a region from its begins to its ends, in nanoseconds.
    pub wall: u64,
    /// Elapsed time of each instance of a region times its team threads, in nanoseconds.
    pub capacity: u64,
    pub balance: Shares,
    /// Estimated times of its instances if they were shared otherwise.
    pub what_if: WhatIfs,
    /// Work by thread number.
    pub by_thread_num: Vec<u64>,
    pub chunks: u64,
    /// True if the end of a chunk was reported before the begin of the next one.
    pub chunks_end: bool,
    pub first_chunks: FirstChunks,
    pub iterations: u64,
    pub static_loops_unreported: bool,
    /// Overhead while a thread wanted a core and had none.
    pub lacked: Times,
    /// Waiting at its barriers, and of a region its time, with a core for each thread that wanted one.
    pub replayed_wait: i64,
    pub replayed_wall: u64,
    /// Idleness, waiting and absence of threads and waiting for mutexes that are charged to the construct, in
    /// nanoseconds.
    pub idle: f64,
    pub wait: f64,
    pub absence: Absence,
    pub mutex: u64,
}

impl Numbers {
    /// A thread begins a work-sharing construct: whether it is the first of its instance counts.
    pub(crate) fn begins(&mut self, first: bool, iterations: u64) {
        if first {
            self.calls += 1;
            self.iterations = self.iterations.saturating_add(iterations);
        }
    }

    /// A thread of the team did so much work in it.
    pub(crate) fn add_thread_work(&mut self, number: u64, work: u64) {
        let at = usize::try_from(number).unwrap_or(MAX_THREAD_NUMS).min(MAX_THREAD_NUMS - 1);
        if self.by_thread_num.len() <= at {
            self.by_thread_num.resize(at + 1, 0);
        }
        if let Some(sum) = self.by_thread_num.get_mut(at) {
            *sum += work;
        }
    }
}

/// Times that threads waited for the first chunk of a loop, where the end of a chunk is not reported.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FirstChunks {
    count: u64,
    least: u64,
}

impl FirstChunks {
    /// First chunks of which the shortest is taken for what handing out takes: caches and pages are cold for the others.
    const ENOUGH: u64 = 4;

    /// A thread has its first chunk after so many nanoseconds in the loop.
    pub(crate) fn add(&mut self, waited: u64) {
        self.least = if self.count == 0 { waited } else { self.least.min(waited) };
        self.count += 1;
    }

    /// The shortest time to a first chunk, in nanoseconds; none of a few.
    pub(crate) fn least(&self) -> Option<u64> {
        (self.count >= FirstChunks::ENOUGH).then_some(self.least)
    }
}

/// Distribution of work among threads, summed over instances.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shares {
    instances: u64,
    longest: u64,
    mean: u64,
    lost: u64,
}

impl Shares {
    /// An instance is over.
    pub(crate) fn add(&mut self, instance: &Instance) {
        if instance.threads < 2 {
            return;
        }
        self.instances += 1;
        self.longest += instance.longest;
        self.mean += instance.sum / instance.threads;
        self.lost += instance.longest * instance.threads - instance.sum;
    }

    pub(crate) fn report(&self) -> Balance {
        let Shares { instances, longest, mean, lost } = *self;
        let imbalance = if mean == 0 { 0.0 } else { longest as f64 / mean as f64 - 1.0 };
        Balance { instances, longest_ns: longest, mean_ns: mean, imbalance, lost_ns: lost }
    }
}

/// The numbers of all constructs.
#[derive(Debug)]
pub(crate) struct Sums(Vec<Numbers>);

impl Sums {
    pub(crate) fn new() -> Sums {
        Sums(vec![Numbers::default()])
    }

    /// A construct's numbers.
    #[inline(always)]
    pub(crate) fn of(&mut self, construct: ConstructRef) -> &mut Numbers {
        let at = construct as usize;
        if self.0.len() <= at {
            self.grow(at);
        }
        &mut self.0[at]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, at: usize) {
        self.0.resize(at + 1, Numbers::default());
    }

    /// Numbers of all constructs, for as many constructs as there are.
    pub(crate) fn finish(mut self, constructs: usize) -> Vec<Numbers> {
        self.0.resize(constructs.max(OUTSIDE as usize + 1), Numbers::default());
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imbalance_is_the_longest_over_the_mean() {
        let mut shares = Shares::default();
        let mut instance = Instance::default();
        [10, 10, 10, 50].iter().for_each(|work| instance.add(*work));
        shares.add(&instance);
        let balance = shares.report();
        assert_eq!((balance.longest_ns, balance.mean_ns, balance.lost_ns), (50, 20, 120));
        assert_eq!(balance.imbalance, 1.5);
    }
}
