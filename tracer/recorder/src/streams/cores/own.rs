//! State of a thread's core stream: on the private page of its block, which is empty in a forked child.
//!
//! All of it is guarded by the block's lock, except for the fast path's limit, which is the owner's alone.

use super::line::Line;
use crate::host::sync::Ordering;
use ompttrace_recording::facts::ClockPair;
// Guarded or one thread's: never what threads meet by.
use std::sync::atomic::AtomicU64;

/// Words of records that wait to be written: what a private page has left.
pub(super) const BUFFER_WORDS: usize = 391;
/// Nanoseconds between two readings, approximately.
const BETWEEN: u64 = 10_000_000;
/// Ticks between two readings while the rate of the clock is not known: a short time on any clock.
const FIRST: u64 = 1 << 18;
/// More changes than this between two readings are a storm: each takes the kernel about a microsecond to note, and the
/// switches of a thread that yields all the time carry no information.
const STORM: u64 = 600;
/// Number of readings over which the changes are counted: bursts are no storm.
const LASTING: u64 = 10;
/// Readings for which a thread that is in a storm has the kernel's sums instead: about a second.
const REST: u64 = 100;
/// The first distance, in bytes of records, to the next event that looks again.
const NEAREST: u64 = 64;

/// The source of a thread's core stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Source {
    /// The thread has recorded nothing yet; also the value of an empty page.
    New = 0,
    /// The kernel's buffer.
    Switches = 1,
    /// The kernel's sums.
    Accounts = 2,
    /// Nothing is known of the thread's cores.
    Nothing = 3,
    /// The recording or the thread has ended.
    Over = 4,
}

/// The thread's core, according to the last record.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Core {
    Unknown = 0,
    On = 1,
    Off = 2,
}

/// Switches that the kernel's buffer had no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Gap {
    /// All missing entries are reported, with the sums of their time.
    None = 0,
    /// The stream reports that some are missing, and the sums of that time are still to come.
    Open = 1,
    /// Some are missing after the last entry of the kernel's buffer.
    Ahead = 3,
    /// The stream reports the gap and its sums; the kernel's own entry with the number of missing ones is still to come.
    Reported = 2,
}

/// The state of one thread's stream.
pub(crate) struct Own {
    source: AtomicU64,
    /// Address of the kernel's buffer; 0: there is none.
    pub(super) ring: AtomicU64,
    /// The thread's core according to its last record: a [`Core`].
    core: AtomicU64,
    /// The state of its missing switches: a [`Gap`].
    gap: AtomicU64,
    /// The clock pair of the last reading.
    pair: [AtomicU64; 2],
    /// Ticks between two readings.
    between: AtomicU64,
    /// Bytes of records to the next event that checks if it is time for a reading.
    reach: AtomicU64,
    /// Ticks of the last record.
    last: AtomicU64,
    /// Number of changes that were read since `counted_from`, in ticks.
    changes: AtomicU64,
    counted_from: AtomicU64,
    /// Ticks until which the thread rests from its switches; 0: it does not.
    rests_until: AtomicU64,
    /// Nanoseconds that the thread had spent writing when it last wrote here.
    pub(super) written_at: AtomicU64,
    /// The number of the fragment that is being filled.
    pub(super) chunk: AtomicU64,
    /// Words of it.
    pub(super) used: AtomicU64,
    pub(super) buffer: [AtomicU64; BUFFER_WORDS],
}

impl Own {
    /// The state of an empty page.
    #[cfg(test)]
    pub(crate) const fn new() -> Own {
        #[allow(clippy::declare_interior_mutable_const, reason = "a value to repeat, not a static")]
        const ZERO: AtomicU64 = AtomicU64::new(0);
        Own {
            source: ZERO,
            ring: ZERO,
            core: ZERO,
            gap: ZERO,
            pair: [ZERO; 2],
            between: ZERO,
            reach: ZERO,
            last: ZERO,
            changes: ZERO,
            counted_from: ZERO,
            rests_until: ZERO,
            written_at: ZERO,
            chunk: ZERO,
            used: ZERO,
            buffer: [ZERO; BUFFER_WORDS],
        }
    }

    /// Prepares the state for a block's next owner.
    pub(crate) fn reset(&self, is_off: bool) {
        self.set_source(if is_off { Source::Over } else { Source::New });
        let words = [&self.ring, &self.core, &self.gap, &self.rests_until, &self.written_at];
        for word in words.into_iter().chain([&self.chunk, &self.used]) {
            word.store(0, Ordering::Relaxed);
        }
    }

    pub(super) fn begin(&self, pair: ClockPair) {
        self.set_pair(pair);
        self.between.store(FIRST, Ordering::Relaxed);
        self.reach.store(0, Ordering::Relaxed);
        self.last.store(pair.ticks, Ordering::Relaxed);
        self.changes.store(0, Ordering::Relaxed);
        self.counted_from.store(pair.ticks, Ordering::Relaxed);
    }

    /// Counts changes that are read.
    pub(super) fn add_changes(&self, changes: u64) {
        self.changes.fetch_add(changes, Ordering::Relaxed);
    }

    /// Returns true if changes come as a storm, from which the thread rests from now on.
    pub(super) fn is_stormy(&self, now: u64) -> bool {
        let changes = self.changes.load(Ordering::Relaxed);
        let from = self.counted_from.load(Ordering::Relaxed);
        let between = self.between.load(Ordering::Relaxed);
        if now.saturating_sub(from) < LASTING * between {
            return false;
        }
        self.changes.store(0, Ordering::Relaxed);
        self.counted_from.store(now, Ordering::Relaxed);
        let most = STORM.saturating_mul(now.saturating_sub(from)) / between.max(1);
        let is_stormy = changes > most;
        if is_stormy {
            self.rests_until.store(now + REST * between, Ordering::Relaxed);
        }
        is_stormy
    }

    /// Returns true, only once, if the thread has rested from its switches long enough.
    pub(super) fn has_rested(&self, now: u64) -> bool {
        let until = self.rests_until.load(Ordering::Relaxed);
        let has_rested = until != 0 && now >= until;
        if has_rested {
            self.rests_until.store(0, Ordering::Relaxed);
        }
        has_rested
    }

    pub(super) fn source(&self) -> Source {
        match self.source.load(Ordering::Relaxed) {
            0 => Source::New,
            1 => Source::Switches,
            2 => Source::Accounts,
            3 => Source::Nothing,
            _ => Source::Over,
        }
    }

    pub(super) fn set_source(&self, source: Source) {
        self.source.store(source as u64, Ordering::Relaxed);
    }

    /// Returns true if the stream may have work to do after events.
    #[inline(always)]
    pub(crate) fn may_look(&self) -> bool {
        self.source.load(Ordering::Relaxed) <= Source::Accounts as u64
    }

    /// Returns true if the stream has a source to be read now and then.
    pub(super) fn is_read(&self) -> bool {
        matches!(self.source(), Source::Switches | Source::Accounts)
    }

    /// Notes if the thread has a core; returns true if that is a change, and so a record.
    pub(super) fn becomes(&self, core: Core) -> bool {
        let before = self.core.load(Ordering::Relaxed);
        self.core.store(core as u64, Ordering::Relaxed);
        before != core as u64
    }

    pub(super) fn gap(&self) -> Gap {
        match self.gap.load(Ordering::Relaxed) {
            0 => Gap::None,
            1 => Gap::Open,
            2 => Gap::Reported,
            _ => Gap::Ahead,
        }
    }

    pub(super) fn set_gap(&self, gap: Gap) {
        self.gap.store(gap as u64, Ordering::Relaxed);
    }

    /// A time for the next record, never before that of the last one.
    pub(super) fn not_before_last(&self, ticks: u64) -> u64 {
        let ticks = ticks.max(self.last());
        self.last.store(ticks, Ordering::Relaxed);
        ticks
    }

    pub(super) fn last(&self) -> u64 {
        self.last.load(Ordering::Relaxed)
    }

    /// The line from the last reading to this one, which is the last from now on.
    pub(super) fn line_to(&self, pair: ClockPair) -> Line {
        let line = Line::through(self.pair(), pair);
        if let Some(between) = line.ticks_in(BETWEEN) {
            self.between.store(between, Ordering::Relaxed);
        }
        self.set_pair(pair);
        line
    }

    /// The clock pair of the last reading.
    pub(super) fn pair(&self) -> ClockPair {
        let [ticks, monotonic] = &self.pair;
        ClockPair {
            ticks: ticks.load(Ordering::Relaxed),
            monotonic: monotonic.load(Ordering::Relaxed),
        }
    }

    /// Takes the reading at `pair` for the last one again, because not all was read after all: between this one and
    /// the next, which may be a microsecond, no line runs on which old times can be found.
    pub(super) fn goes_on_from(&self, pair: ClockPair) {
        self.set_pair(pair);
    }

    fn set_pair(&self, pair: ClockPair) {
        let [ticks, monotonic] = &self.pair;
        ticks.store(pair.ticks, Ordering::Relaxed);
        monotonic.store(pair.monotonic, Ordering::Relaxed);
    }

    /// Returns true if it is time to read at an event of the owner, at `now`. If not, the next look is twice as far
    /// away as this one was; after a reading it is at the very next event, which may be late.
    pub(super) fn is_due(&self, now: u64, fills: bool) -> bool {
        let [read_at, _] = &self.pair;
        let since = now.saturating_sub(read_at.load(Ordering::Relaxed));
        let is_due = fills || since >= self.between.load(Ordering::Relaxed);
        let reach = self.reach.load(Ordering::Relaxed);
        let next = if is_due { 0 } else { reach.saturating_mul(2).max(NEAREST) };
        self.reach.store(next, Ordering::Relaxed);
        is_due
    }

    /// Bytes of the owner's records to the next event that looks; `u64::MAX`: none does.
    pub(crate) fn reach(&self) -> u64 {
        if self.is_read() { self.reach.load(Ordering::Relaxed) } else { u64::MAX }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_farther_and_farther_apart_until_it_is_time() {
        let own = Own::new();
        assert_eq!(own.reach(), u64::MAX, "nothing to look for");
        own.set_source(Source::Switches);
        own.begin(ClockPair { ticks: 1000, monotonic: 0 });
        assert_eq!(own.reach(), 0, "the very next event");
        for reach in [NEAREST, 2 * NEAREST, 4 * NEAREST] {
            assert!(!own.is_due(1001, false));
            assert_eq!(own.reach(), reach);
        }
        assert!(own.is_due(1001, true));
        assert_eq!(own.reach(), 0);
        assert!(!own.is_due(1000 + FIRST - 1, false) && own.is_due(1000 + FIRST, false));
        // Half a tick a nanosecond.
        own.line_to(ClockPair { ticks: 1000 + FIRST, monotonic: 2 * FIRST });
        assert!(!own.is_due(999 + FIRST + BETWEEN / 2, false));
        assert!(own.is_due(1000 + FIRST + BETWEEN / 2, false));
    }

    #[test]
    fn what_is_not_read_to_its_end_is_due_at_once_and_keeps_its_line() {
        let own = Own::new();
        let pair = |ticks, monotonic| ClockPair { ticks, monotonic };
        own.begin(pair(0, 0));
        let before = own.pair();
        own.line_to(pair(50_000_000, 100_000_000));
        own.goes_on_from(before);
        assert!(own.is_due(50_000_001, false));
        // One tick too many in a microsecond: extrapolated over 100 ms that would be 100,000.
        let line = own.line_to(pair(50_000_501, 100_001_000));
        assert!(line.ticks_of(20_000_000).abs_diff(10_000_000) <= 1);
        assert!(!own.is_due(50_000_502, false));
    }

    #[test]
    fn a_storm_is_a_rate_and_passes() {
        let own = Own::new();
        own.begin(ClockPair { ticks: 1000, monotonic: 0 });
        let lasting = LASTING * FIRST;
        own.add_changes(LASTING * STORM + 1);
        assert!(!own.is_stormy(1000 + lasting - 1), "too early to tell");
        assert!(own.is_stormy(1000 + lasting) && !own.has_rested(1000 + lasting + FIRST));
        assert!(own.has_rested(1000 + lasting + REST * FIRST) && !own.has_rested(u64::MAX));
        own.begin(ClockPair { ticks: 1000, monotonic: 0 });
        own.add_changes(10 * STORM);
        assert!(!own.is_stormy(1000 + 10 * FIRST), "no more than it may be in that time");
        own.add_changes(10 * STORM + 1);
        assert!(own.is_stormy(1000 + 20 * FIRST));
    }

    #[test]
    fn records_alternate_and_time_stands_rather_than_run_backwards() {
        let own = Own::new();
        assert!(own.becomes(Core::On) && !own.becomes(Core::On) && own.becomes(Core::Off));
        assert_eq!([5, 3, 6].map(|ticks| own.not_before_last(ticks)), [5, 5, 6]);
    }
}
