//! Interprets a small part of a run, a few windows spread evenly over its records or its begin, to estimate the size of the
//! output of all.

use super::starts::{Starts, Wanted};
use super::{WindowOptions, cuts, join_all};
use crate::checkpoints::Cuts;
use crate::run::TimelineError;
use crate::setup::Setup;
use ompttrace_model::Windows;
use ompttrace_recording::Recording;

/// Approximate number of windows of a large run that are interpreted.
const WINDOWS: usize = 12;
/// About one of so many at most, so that this takes little of the time that all would take.
const SAMPLED_OF: usize = 8;
/// Minimum number of windows in a sample: fewer say too little of the others, even if they are up to a third of a small
/// run.
const FEWEST: usize = 4;
const LEAST_STEP: usize = 3;
/// Bytes of records of a run's begin that are a sample of it: so many, or this fraction of a long run, as its divisor.
const BEGIN: u64 = 1_000_000;
const BEGIN_SHARE: u64 = 50;

/// A small part of a run, joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<O> {
    /// The joined output.
    pub output: O,
    /// Number of bytes of the part's records.
    pub read: u64,
    /// Number of bytes of all records of the run.
    pub all: u64,
}

impl<O> Sample<O> {
    /// The expected size of the output of all, if that of the sample is `bytes`.
    pub fn of_all(&self, bytes: u64) -> u64 {
        (u128::from(bytes) * u128::from(self.all) / u128::from(self.read.max(1))) as u64
    }
}

/// Interprets a few windows, as [`run_in_windows`](super::run_in_windows) would, and nothing between them. Returns nothing
/// where the run is too short, or cannot be cut into windows where it is to be. `bytes_per_thread` is that of the windows which
/// `make` returns; it is called with the number of windows that each stands for. `options.watch` is not called.
///
/// # Errors
/// The first error of a sink or of its `Windows`.
pub fn sample_windows<'j, O, E>(
    recording: &Recording,
    bytes_per_thread: u64,
    make: impl FnOnce(u64) -> Windows<'j, O, E>,
    options: WindowOptions<'_>,
) -> Result<Option<Sample<O>>, TimelineError<E>> {
    let setup = Setup::of(recording);
    let all = all_cuts(&setup, bytes_per_thread, options.window);
    let cuts = spread(&all);
    let wanted = cuts.len() / 2;
    if wanted < FEWEST {
        return Ok(None);
    }
    let mut windows = make((all.len() / wanted) as u64);
    windows.start(&setup.run_info());
    if !windows.allows_windows(&setup.run_info()) {
        return Ok(None);
    }
    let starts = Starts::new(&setup, Cuts::alone(cuts), Wanted::EverySecond);
    let (sample, found) = join(&setup, windows, starts, options)?;
    // Where a scan can no longer follow there are no more cuts, and one of which too little is known takes its window away.
    let is_spread = 8 * found >= 7 * wanted && sample.read > 0;
    Ok(is_spread.then_some(sample))
}

/// Interprets the begin of a run, which any run has. `options.watch` is not called.
///
/// # Errors
/// The first error of a sink or of its `Windows`.
pub fn sample_begin<O, E>(
    recording: &Recording,
    mut windows: Windows<'_, O, E>,
    options: WindowOptions<'_>,
) -> Result<Sample<O>, TimelineError<E>> {
    let setup = Setup::of(recording);
    windows.start(&setup.run_info());
    let starts = Starts::new(&setup, Cuts::default(), Wanted::All).until(end_of_begin(&setup));
    Ok(join(&setup, windows, starts, options)?.0)
}

/// Interprets windows and joins them; also returns how many of those that are wanted were found.
fn join<'a, O, E>(
    setup: &Setup<'a>,
    mut windows: Windows<'_, O, E>,
    starts: Starts<'a>,
    options: WindowOptions<'_>,
) -> Result<(Sample<O>, usize), TimelineError<E>> {
    let mut read = 0;
    let options = WindowOptions { watch: &mut |done, _| read = done, ..options };
    let (summary, starts) = join_all(setup, &mut windows, starts, options)?;
    let output = windows.finish(&summary).map_err(TimelineError::Sink)?;
    Ok((Sample { output, read, all: setup.recording.bytes() }, starts.wanted_found()))
}

/// Ticks of the last record of the run's begin. Where nothing says where the records lie they are taken to be evenly distributed.
fn end_of_begin(setup: &Setup<'_>) -> u64 {
    let of_threads = setup.recording.bytes_of_threads();
    let wanted = BEGIN.max(of_threads / BEGIN_SHARE);
    if wanted >= of_threads {
        return u64::MAX;
    }
    let cut = setup.recording.cuts(wanted, setup.last).first().copied();
    cut.unwrap_or_else(|| {
        let first = setup.first;
        let whole = u128::from(setup.last.saturating_sub(first));
        first + (whole * u128::from(wanted) / u128::from(of_threads)) as u64
    })
}

/// Borders of windows, in ticks. Windows of a small run are half as large as usual. Both windows at a border draw the slices that are
/// open there, so still smaller windows would seem to need much more output than usual ones.
fn all_cuts(setup: &Setup<'_>, bytes_per_thread: u64, window: Option<u64>) -> Vec<u64> {
    let usual = cuts(setup, bytes_per_thread, window).at;
    if usual.len() >= FEWEST * LEAST_STEP || window.is_some() {
        return usual;
    }
    let of_threads = bytes_per_thread.saturating_mul(setup.own().into());
    cuts(setup, bytes_per_thread, Some(setup.window().max(of_threads) / 2)).at
}

/// Begin and end, in turn, of a few of the windows between the cuts, in ticks.
fn spread(cuts: &[u64]) -> Vec<u64> {
    let few = (cuts.len() / FEWEST).clamp(LEAST_STEP, SAMPLED_OF);
    let step = few.max(cuts.len() / WINDOWS);
    let bounded = cuts.windows(2).skip(step / 2).step_by(step);
    bounded.flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_windows_are_taken_from_all_parts_of_a_run() {
        let cuts = |count: u64| (1..count).collect::<Vec<_>>();
        assert_eq!(spread(&cuts(9)).len(), 2 * 2);
        assert_eq!(spread(&cuts(13)), [2, 3, 5, 6, 8, 9, 11, 12]);
        assert_eq!(spread(&cuts(17)), [3, 4, 7, 8, 11, 12, 15, 16]);
        assert_eq!(spread(&cuts(64)).len(), 2 * 8);
        let of_many = spread(&cuts(4096));
        assert_eq!(of_many[..4], [171, 172, 512, 513]);
        assert_eq!((of_many.len(), of_many.last()), (24, Some(&3923)));
    }
}
