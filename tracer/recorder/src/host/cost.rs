//! The cost of a record on this machine, measured once, before the first event.

use crate::host::clock;
use crate::host::sync::{AtomicU64, Ordering};

/// Words of a usual record.
const WORDS: usize = 3;
/// Records of one measurement, into a buffer that stays in the cache.
const RECORDS: usize = 256;
/// Measurements, of which the quickest counts: others may have been interrupted.
const TIMES: usize = 16;

/// Picoseconds that it takes to read the clock, store a usual record and commit it. Takes some tens
/// of microseconds.
pub fn record_cost() -> u64 {
    let buffer = [const { AtomicU64::new(0) }; WORDS * RECORDS];
    let cursor = AtomicU64::new(0);
    let measure = |_| {
        let begin = clock::monotonic();
        for record in buffer.chunks_exact(WORDS) {
            let ticks = clock::ticks();
            for word in record {
                word.store(ticks, Ordering::Relaxed);
            }
            cursor.store(ticks, Ordering::Release);
        }
        (clock::monotonic() - begin) * 1000 / RECORDS as u64
    };
    (0..TIMES).map(measure).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_costs_something() {
        let cost = record_cost();
        assert!(cost > 0 && cost < 1_000_000_000, "{cost}");
    }
}
