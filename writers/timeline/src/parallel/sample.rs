//! A few windows of a run, spread evenly over its records: what they take shows what all would take.

use super::starts::{Starts, Wanted};
use super::{WindowOptions, cuts, interpret};
use crate::checkpoints::Cuts;
use crate::run::TimelineError;
use crate::setup::Setup;
use ompttrace_model::{Join, Sink};
use ompttrace_recording::Recording;

/// How many windows of a large run are interpreted, about.
const WINDOWS: usize = 12;
/// About one of so many at most, so that this takes little of the time that all would take.
const SAMPLED_OF: usize = 8;
/// Fewer say too little of the others.
const FEWEST: usize = 4;
/// Where there are fewer in all, they are smaller for this, but for so many bytes of each thread: of what is open at a border
/// both windows draw something.
const ENOUGH: usize = 64;
const BYTES_PER_THREAD: u64 = 4 << 10;

/// A few windows of a run, joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<O> {
    /// The joined output.
    pub output: O,
    /// Bytes of their records.
    pub read: u64,
    /// Bytes of all records.
    pub all: u64,
}

type Sampled<J> =
    Result<Option<Sample<<J as Join>::Output>>, TimelineError<<<J as Join>::Sink as Sink>::Error>>;

/// Interprets a few windows, as [`run_in_windows`](super::run_in_windows) would, and nothing between them. Returns nothing
/// where the run is too short, or cannot be cut into windows where it is to be. `join` is made once it is known of how many
/// windows each stands for.
///
/// # Errors
/// What the sinks or `join` could not do.
pub fn sample_windows<J: Join>(
    recording: &Recording,
    join: impl FnOnce(u64) -> J,
    options: WindowOptions<'_, ()>,
) -> Sampled<J> {
    let setup = Setup::of(recording);
    let all = all_cuts::<J>(&setup, options.window);
    let cuts = spread(&all);
    let wanted = cuts.len() / 2;
    if wanted < FEWEST {
        return Ok(None);
    }
    let mut join = join((all.len() / wanted) as u64);
    join.start(&setup.run_info());
    if !join.allows_windows(&setup.run_info()) {
        return Ok(None);
    }
    let WindowOptions { min_resume_ns, jobs, window, step_times, .. } = options;
    let mut read = 0;
    let watch = |done, _| read = done;
    let options = WindowOptions { min_resume_ns, jobs, window, watch, step_times };
    let starts = Starts::new(&setup, Cuts::alone(cuts), Wanted::EverySecond);
    let (summary, starts) = interpret(&setup, &mut join, starts, options)?;
    let output = join.finish(&summary).map_err(TimelineError::Sink)?;
    // Where a scan can no longer follow there are no more cuts, and one of which too little is known takes its window away.
    let is_spread = 8 * starts.wanted_found() >= 7 * wanted && read > 0;
    Ok(is_spread.then(|| Sample { output, read, all: recording.bytes() }))
}

/// Where windows could begin.
fn all_cuts<J: Join>(setup: &Setup<'_>, window: Option<u64>) -> Vec<u64> {
    let usual = cuts::<J>(setup, window).at;
    if usual.len() >= ENOUGH || window.is_some() {
        return usual;
    }
    let least = BYTES_PER_THREAD * u64::from(setup.own());
    cuts::<J>(setup, Some(least.max(setup.recording.bytes_of_threads() / ENOUGH as u64))).at
}

/// Where some of the windows begin and end, in turn.
fn spread(cuts: &[u64]) -> Vec<u64> {
    let step = (cuts.len() / WINDOWS).max(SAMPLED_OF);
    let bounded = cuts.windows(2).skip(step / 2).step_by(step);
    bounded.flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_windows_are_taken_from_all_parts_of_a_run() {
        let cuts = |count: u64| (1..count).collect::<Vec<_>>();
        assert!(spread(&cuts(4)).is_empty());
        assert_eq!(spread(&cuts(16)), [5, 6, 13, 14]);
        let of_many = spread(&cuts(4096));
        assert_eq!(of_many[..4], [171, 172, 512, 513]);
        assert_eq!((of_many.len(), of_many.last()), (24, Some(&3923)));
    }
}
