//! The times for which threads waited for their own full slots to be written, counted for `recording.json`.

use crate::host::sync::{AtomicU64, Ordering};
use ompttrace_recording::facts::Drains;

/// Buckets of a histogram with four to an octave, so that a quantile is known to a quarter.
const BUCKETS: usize = 256;

/// Drains by the ticks that they took.
pub(crate) struct Waits {
    ticks: AtomicU64,
    longest: AtomicU64,
    buckets: [AtomicU64; BUCKETS],
}

impl Waits {
    pub(crate) const fn new() -> Waits {
        Waits {
            ticks: AtomicU64::new(0),
            longest: AtomicU64::new(0),
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
        }
    }

    pub(crate) fn add(&self, ticks: u64) {
        self.ticks.fetch_add(ticks, Ordering::Relaxed);
        self.longest.fetch_max(ticks, Ordering::Relaxed);
        if let Some(bucket) = self.buckets.get(bucket_of(ticks)) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The cost of the drains until now.
    pub(crate) fn drains(&self, nanoseconds_per_tick: f64) -> Drains {
        let counts = || self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed));
        let count: u64 = counts().sum();
        let longest = self.longest.load(Ordering::Relaxed);
        let mut below = 0;
        let mut slow = 0;
        for (bucket, in_it) in counts().enumerate() {
            // The last bucket that is needed to have all but one in a thousand.
            if (below as f64) < count as f64 * 0.999 && in_it > 0 {
                slow = end_of(bucket).min(longest);
            }
            below += in_it;
        }
        let nanoseconds = |ticks: u64| (ticks as f64 * nanoseconds_per_tick) as u64;
        Drains {
            count,
            nanoseconds: nanoseconds(self.ticks.load(Ordering::Relaxed)),
            longest: nanoseconds(longest),
            longest_of_999_in_1000: nanoseconds(slow),
        }
    }
}

/// Below 4 a bucket for each number, then four to an octave.
fn bucket_of(ticks: u64) -> usize {
    let octave = ticks.max(1).ilog2();
    match octave {
        0 | 1 => ticks as usize,
        _ => (4 * (octave - 1)) as usize + (ticks >> (octave - 2) & 3) as usize,
    }
}

/// The largest number in a bucket.
fn end_of(bucket: usize) -> u64 {
    let (octave, quarter) = (bucket as u32 / 4 + 1, bucket as u64 % 4);
    match octave {
        1 => quarter,
        _ => ((5 + quarter) << (octave - 2)).wrapping_sub(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_what_lies_up_to_its_end() {
        let numbers = (0..2000).chain((11..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit]));
        for ticks in numbers.chain([u64::MAX]) {
            let bucket = bucket_of(ticks);
            assert!(bucket < BUCKETS && ticks <= end_of(bucket), "{ticks}");
            assert!(bucket == 0 || ticks > end_of(bucket - 1), "{ticks}");
        }
    }

    #[test]
    fn one_in_a_thousand_is_not_in_the_quantile() {
        let waits = Waits::new();
        (0..999).for_each(|_| waits.add(1000));
        waits.add(1_000_000);
        let drains = waits.drains(0.5);
        assert_eq!((drains.count, drains.longest, drains.nanoseconds), (1000, 500_000, 999_500));
        assert!((500..625).contains(&drains.longest_of_999_in_1000), "{drains:?}");
        waits.add(1_000_000);
        assert_eq!(waits.drains(0.5).longest_of_999_in_1000, 500_000);
    }
}
