//! Bins of time, in which the rollup adds up: as wide for every run, and on the same edges of the time of day.

use ompttrace_report::journal::{Edges, Running};

/// Bins of one run at most: beyond that they get ten times as wide.
const MOST: u64 = 10_000;

/// The bins of a run.
#[derive(Debug)]
pub(crate) struct Bins {
    /// Time at which the first bin begins, in CLOCK_MONOTONIC nanoseconds; negative if that is before the start of the
    /// machine.
    origin: i128,
    width: u64,
    /// Difference between the time of day and CLOCK_MONOTONIC, in nanoseconds.
    offset: i64,
    count: u32,
    /// The running sums of blame at each edge between two bins, as far as the run has come.
    at_edges: Vec<Running>,
}

impl Bins {
    /// Bins that are `width` wide or, where the run from `begin` to `end` is long, wider.
    pub(crate) fn of((begin, end): (u64, u64), offset: i64, width: u64) -> Bins {
        let mut width = width.max(1);
        while end.saturating_sub(begin) / width >= MOST {
            width = width.saturating_mul(10);
        }
        let first = i128::from(begin) + i128::from(offset);
        let origin = first.div_euclid(width.into()) * i128::from(width) - i128::from(offset);
        let all = (i128::from(end.max(begin)) - origin) / i128::from(width) + 1;
        let count = u32::try_from(all).unwrap_or(u32::MAX);
        Bins { origin, width, offset, count, at_edges: Vec::new() }
    }

    /// The edges at which the running sums are wanted.
    pub(crate) fn edges(&self) -> Edges {
        let next = u64::try_from(self.origin + i128::from(self.width)).unwrap_or(0);
        Edges { next, distance: self.width, left: self.count - 1 }
    }

    pub(crate) fn width(&self) -> u64 {
        self.width
    }

    /// The running sums at the next edge.
    pub(crate) fn put_edge(&mut self, sums: Running) {
        self.at_edges.push(sums);
    }

    /// The bin that a time, in CLOCK_MONOTONIC nanoseconds, belongs to; the last bin has no end.
    #[inline]
    pub(crate) fn bin(&self, at: u64) -> u32 {
        let since = u64::try_from(i128::from(at) - self.origin).unwrap_or(0);
        u32::try_from(since / self.width).unwrap_or(u32::MAX).min(self.count - 1)
    }

    /// The bin in which an interval ends that lasts until `end`; a bin that begins at `end` is not meant.
    #[inline]
    pub(crate) fn bin_of_end(&self, end: u64) -> u32 {
        self.bin(end.saturating_sub(1))
    }

    /// Time at which a bin begins, in CLOCK_MONOTONIC nanoseconds; 0 if that is before the start of the machine.
    pub(crate) fn begin(&self, bin: u32) -> u64 {
        u64::try_from(self.origin + i128::from(self.width) * i128::from(bin)).unwrap_or(0)
    }

    /// Time at which a bin ends, in CLOCK_MONOTONIC nanoseconds; `u64::MAX` for the last bin, which has no end.
    #[inline]
    pub(crate) fn end(&self, bin: u32) -> u64 {
        if bin + 1 >= self.count {
            return u64::MAX;
        }
        u64::try_from(self.origin + i128::from(self.width) * i128::from(bin + 1)).unwrap_or(0)
    }

    /// Time at which a bin begins, in nanoseconds of the time of day.
    pub(crate) fn begin_of_day(&self, bin: u32) -> i64 {
        let at = self.origin + i128::from(self.width) * i128::from(bin) + i128::from(self.offset);
        i64::try_from(at).unwrap_or(i64::MAX)
    }

    /// The running sums of blame at the end of a bin, limited to the range from `first` to `last`.
    pub(crate) fn sums_at_end(&self, bin: u32, (first, last): (Running, Running)) -> Running {
        let at = self.at_edges.get(bin as usize).copied().unwrap_or(last);
        let within = |at: f64, first: f64, last: f64| at.max(first).min(last.max(first));
        Running {
            idle: within(at.idle, first.idle, last.idle),
            wait: within(at.wait, first.wait, last.wait),
        }
    }

    /// A time as nanoseconds of the time of day.
    #[inline]
    pub(crate) fn time_of_day(&self, at: u64) -> i64 {
        (at as i64).wrapping_add(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_those_of_the_time_of_day() {
        // It is 12.3 s by the one clock when the other says 2.1 s.
        let offset = 10_200_000_000;
        let bins = Bins::of((2_100_000_000, 5_000_000_000), offset, 1_000_000_000);
        assert_eq!(bins.begin_of_day(0), 12_000_000_000);
        assert_eq!(bins.bin(2_100_000_000), 0);
        assert_eq!((bins.bin(2_799_999_999), bins.bin(2_800_000_000)), (0, 1));
        assert_eq!(bins.bin_of_end(2_800_000_000), 0);
        assert_eq!((bins.end(0), bins.end(3)), (2_800_000_000, u64::MAX));
        let edges = bins.edges();
        assert_eq!((edges.next, edges.distance, edges.left), (2_800_000_000, 1_000_000_000, 3));
        assert_eq!(bins.time_of_day(2_100_000_000), 12_300_000_000);
    }

    #[test]
    fn a_long_run_has_wider_bins() {
        let day = 86_400_000_000_000;
        assert_eq!(Bins::of((0, day), 0, 1_000_000_000).width(), 10_000_000_000);
        let endless = Bins::of((0, u64::MAX), i64::MAX, 1);
        assert!(endless.count <= 10_001 && endless.bin(u64::MAX) < endless.count);
    }

    #[test]
    fn a_machine_that_has_just_started_has_a_bin_that_began_before() {
        let bins = Bins::of((100, 1_000), 5, 1_000);
        assert_eq!((bins.bin(100), bins.bin(994), bins.bin(995)), (0, 0, 1));
        assert_eq!(bins.edges().next, 995);
    }
}
