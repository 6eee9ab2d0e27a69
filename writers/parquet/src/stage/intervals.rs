//! The table of intervals: row groups of one thread each, in the order of time.

use super::Stage;
use crate::Error;
use crate::bins::Bins;
use crate::constructs::{Attribution, Constructs};
use crate::file::TableFile;
use crate::open::Interval;
use crate::rows::{IntervalRow, IntervalRows};
use ompttrace_report::State;

/// Rows of a row group.
const ROWS: usize = 1 << 17;
/// Maximum number of rows of all threads in memory: beyond it the thread with most rows gets a row group.
const KEPT: usize = 1 << 19;

/// The file of the table of intervals, and the number of rows that wait for it.
pub(crate) struct Intervals {
    file: TableFile,
    /// Number of rows of all threads that are not in the file.
    kept: usize,
}

impl Intervals {
    pub(crate) fn new(file: TableFile) -> Intervals {
        Intervals { file, kept: 0 }
    }

    /// Counts `more` new rows of a thread that now has `rows`. Returns true if a row group is to be written.
    #[inline]
    pub(crate) fn is_full(&mut self, more: usize, rows: usize) -> bool {
        self.kept += more;
        rows >= ROWS || self.kept >= KEPT
    }

    pub(crate) fn finish(self) -> Result<(), Error> {
        self.file.finish()
    }
}

impl Stage {
    /// Writes a thread's rows, or where those of all threads are too many, those of the thread that has most.
    pub(super) fn put_intervals(&mut self, t: u32) -> Result<(), Error> {
        let Some(intervals) = &mut self.intervals else { return Ok(()) };
        let most = || (0..).zip(&self.threads).max_by_key(|(_, thread)| thread.rows.len());
        let t = match intervals.kept >= KEPT {
            true => most().map_or(t, |(most, _)| most),
            false => t,
        };
        let Some(thread) = self.threads.get_mut(t as usize) else { return Ok(()) };
        let rows: IntervalRows = std::mem::take(&mut thread.rows);
        intervals.kept = intervals.kept.saturating_sub(rows.len());
        if rows.len() == 0 {
            return Ok(());
        }
        let number = self.numbers.get(t as usize).copied().unwrap_or(t);
        intervals.file.put(rows.columns(self.run, number))
    }
}

/// The row of an interval.
#[inline]
pub(super) fn row(
    interval: &Interval,
    constructs: &mut Constructs,
    (bins, numbers): (&Bins, &[u32]),
) -> IntervalRow {
    let duration = (interval.end - interval.begin) as i64;
    let blocker = interval.blocker.map(|by| {
        let number = numbers.get(by.thread as usize).copied().unwrap_or(by.thread);
        (constructs.attribution(by.account).site, number)
    });
    IntervalRow {
        at: bins.time_of_day(interval.begin),
        duration,
        self_ns: duration,
        state: interval.sort.state,
        attribution: constructs.attribution(interval.sort.account),
        region: interval.sort.region.0,
        task: interval.sort.task.0,
        blocker,
    }
}

/// A row that corrects the time in a state by `self_ns` nanoseconds, which may be negative.
pub(super) fn correction(
    (at, self_ns): (i64, i64),
    state: State,
    attribution: Attribution,
) -> IntervalRow {
    IntervalRow { at, duration: 0, self_ns, state, attribution, region: 0, task: 0, blocker: None }
}
