//! Interprets a few windows of a run, spread evenly over its records, to estimate the size of the output of all.

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

/// A few windows of a run, joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<O> {
    /// The joined output.
    pub output: O,
    /// Number of bytes of the windows' records.
    pub read: u64,
    /// Number of bytes of all records of the run.
    pub all: u64,
}

/// Interprets a few windows, as [`run_in_windows`](super::run_in_windows) would, and nothing between them. Returns nothing
/// where the run is too short, or cannot be cut into windows where it is to be. `make` is called with the number of
/// windows that each stands for, once it is known. `options.watch` is not called.
///
/// # Errors
/// The first error of a sink or of its `Windows`.
pub fn sample_windows<'j, O, E>(
    recording: &Recording,
    make: impl Fn(u64) -> Windows<'j, O, E>,
    options: WindowOptions<'_>,
) -> Result<Option<Sample<O>>, TimelineError<E>> {
    let setup = Setup::of(recording);
    let bytes_per_thread = make(1).bytes_per_thread();
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
    let mut read = 0;
    let options = WindowOptions { watch: &mut |done, _| read = done, ..options };
    let starts = Starts::new(&setup, Cuts::alone(cuts), Wanted::EverySecond);
    let (summary, starts) = join_all(&setup, &mut windows, starts, options)?;
    let output = windows.finish(&summary).map_err(TimelineError::Sink)?;
    // Where a scan can no longer follow there are no more cuts, and one of which too little is known takes its window away.
    let is_spread = 8 * starts.wanted_found() >= 7 * wanted && read > 0;
    Ok(is_spread.then(|| Sample { output, read, all: recording.bytes() }))
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
