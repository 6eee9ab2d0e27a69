//! Address ranges that a module was unmapped from: there one code address may mean several things in one run, and
//! only the module that is mapped at the time says which.

use crate::host::sync::{AtomicU64, Locked, Ordering};
use crate::tables::modules::module_of;

/// Ranges that are distinguished; what leaves others makes all code new.
const RANGES: usize = 64;

/// A range, its first module and the one that is there now, 0 while nobody has asked; and how often one left it.
struct Range {
    start: AtomicU64,
    /// Stored last: 0 while the slot is free.
    end: AtomicU64,
    first: AtomicU64,
    now: AtomicU64,
    departures: AtomicU64,
}

static TABLE: [Range; RANGES] = [const {
    Range {
        start: AtomicU64::new(0),
        end: AtomicU64::new(0),
        first: AtomicU64::new(0),
        now: AtomicU64::new(0),
        departures: AtomicU64::new(0),
    }
}; RANGES];
/// Unmapped ranges for which there was no slot.
static BEYOND: AtomicU64 = AtomicU64::new(0);
static ONE_AT_A_TIME: Locked<()> = Locked::new(());

fn ranges() -> impl Iterator<Item = &'static Range> {
    TABLE.iter().take_while(|range| range.end.load(Ordering::Acquire) != 0)
}

/// `module` leaves `start..end`.
pub(crate) fn left(start: u64, end: u64, module: u64) {
    ONE_AT_A_TIME.with(|()| {
        for range in &TABLE {
            let known = (range.start.load(Ordering::Relaxed), range.end.load(Ordering::Relaxed));
            if known == (start, end) || known.1 == 0 {
                range.departures.fetch_add(1, Ordering::Relaxed);
                range.now.store(0, Ordering::Release);
                if known.1 == 0 {
                    range.first.store(module, Ordering::Relaxed);
                    range.start.store(start, Ordering::Relaxed);
                    range.end.store(end, Ordering::Release);
                }
                return;
            }
        }
        BEYOND.fetch_add(1, Ordering::Relaxed);
    });
}

/// A number that distinguishes a code address from the same one of other modules; 0 where there was one module only, and
/// where the first one is mapped again.
pub(crate) fn variant(address: u64) -> u64 {
    let beyond = BEYOND.load(Ordering::Relaxed);
    let of_ranges = ranges().filter(|range| range.covers(address)).map(Range::variant);
    of_ranges.fold(beyond.rotate_right(16), |sum, one| sum ^ one)
}

impl Range {
    fn covers(&self, address: u64) -> bool {
        let start = self.start.load(Ordering::Relaxed);
        (start..self.end.load(Ordering::Relaxed)).contains(&address)
    }

    fn variant(&self) -> u64 {
        let now = match self.now.load(Ordering::Acquire) {
            0 => self.ask(),
            known => known,
        };
        if now == self.first.load(Ordering::Relaxed) { 0 } else { now }
    }

    fn ask(&self) -> u64 {
        let departures = self.departures.load(Ordering::Relaxed);
        // A module that nobody can name is another one each time.
        let module = match module_of(self.start.load(Ordering::Relaxed)) {
            0 => departures.rotate_right(8),
            known => known,
        };
        let _ = self.now.compare_exchange(0, module, Ordering::AcqRel, Ordering::Relaxed);
        module
    }
}
