//! Interpretation on several cores: windows of records, each interpreted separately and passed to its own sink; the
//! sinks' outputs are joined in order.
//!
//! The recording alone determines the windows, so the output does not depend on the number of threads. The state at the
//! begin of a window comes from scanning each stream ([`crate::before`]), which is many times faster than
//! interpretation. If a scan does not know enough (see there), the rest of the run is one window.

mod board;
mod sample;
mod starts;
mod step_times;
mod sum;
mod worker;

use crate::checkpoints::Cuts;
use crate::run::TimelineError;
use crate::setup::Setup;
use board::Board;
use ompttrace_model::{Join, Sink, Summary};
use ompttrace_recording::Recording;
pub use sample::{Sample, sample_windows};
use starts::{Starts, Wanted};
use std::collections::HashSet;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread::{Builder, scope};
use step_times::timed;
pub use step_times::{StepKind, StepTimes};
use worker::Stops;

/// How a timeline is made in windows.
#[derive(Clone, Copy, Debug)]
pub struct WindowOptions<'o, W> {
    /// As [`crate::Options::min_resume_ns`].
    pub min_resume_ns: u64,
    /// Threads that interpret, in addition to the calling one, which joins the results.
    pub jobs: NonZero<usize>,
    /// Bytes of records of a window, if not the default: for tests.
    pub window: Option<u64>,
    /// As [`crate::Options::watch`].
    pub watch: W,
    /// Where what each step takes is noted, if that is wanted.
    pub step_times: Option<&'o StepTimes>,
}

/// The result of all windows.
#[derive(Debug)]
pub struct Joined<O> {
    /// The joined output.
    pub output: O,
    /// The counts.
    pub summary: Summary,
    /// Of a large recording: what a later pass over it begins with, for [`Recording::leave_index`].
    pub checkpoints: Option<Vec<u64>>,
}

type Outcome<J> =
    Result<Joined<<J as Join>::Output>, TimelineError<<<J as Join>::Sink as Sink>::Error>>;

/// As [`crate::run`], in windows.
///
/// # Errors
/// What the sinks or `join` could not do.
pub fn run_in_windows<J: Join, W: FnMut(u64, u64)>(
    recording: &Recording,
    mut join: J,
    options: WindowOptions<'_, W>,
) -> Outcome<J> {
    let setup = Setup::of(recording);
    join.start(&setup.run_info());
    let allows_windows = join.allows_windows(&setup.run_info());
    let cuts = if allows_windows { cuts::<J>(&setup, options.window) } else { Cuts::default() };
    let (summary, starts) =
        interpret(&setup, &mut join, Starts::new(&setup, cuts, Wanted::All), options)?;
    let output = join.finish(&summary).map_err(TimelineError::Sink)?;
    Ok(Joined { output, summary, checkpoints: starts.into_checkpoints() })
}

/// Where a run is cut into windows; nowhere, if that is not possible.
fn cuts<J: Join>(setup: &Setup<'_>, window: Option<u64>) -> Cuts {
    // Samples are counted from the begin of a run on.
    if !setup.is_simple() || !setup.recording.samples.is_empty() {
        return Cuts::default();
    }
    let wanted = J::BYTES_PER_THREAD.saturating_mul(setup.own().into());
    let in_one = if window.is_some() { 1 } else { wanted.div_ceil(setup.window()) };
    Cuts::of(setup.cuts(window), in_one)
}

/// What was counted in the windows that were interpreted, and what found them.
type Interpreted<'a, J> =
    Result<(Summary, Starts<'a>), TimelineError<<<J as Join>::Sink as Sink>::Error>>;

/// Interprets the windows that are wanted, and joins their results.
fn interpret<'a, J: Join, W: FnMut(u64, u64)>(
    setup: &Setup<'a>,
    join: &mut J,
    starts: Starts<'a>,
    options: WindowOptions<'_, W>,
) -> Interpreted<'a, J> {
    let WindowOptions { min_resume_ns, jobs, mut watch, step_times, .. } = options;
    let (sinks, all) = (join.sinks(), setup.recording.bytes());
    let board = Board::new(starts, jobs.get());
    let (mut summary, mut outcome) = (Summary::default(), Ok(()));
    let (mut done, mut paths) = (0, HashSet::new());
    // Takes the result of the next window, or of the next part of one; whether there is use for more.
    let mut take = |next: board::Outcome<_, _>| {
        outcome = next.and_then(|window| {
            done += window.bytes;
            paths.extend(window.paths);
            summary.logical_threads = paths.len() as u64;
            sum::add(&mut summary, window.summary);
            watch(done.min(all), all);
            let take = || join.take(window.output).map_err(TimelineError::Sink);
            timed(step_times, StepKind::Join, take)
        });
        outcome.is_ok()
    };
    let how = (min_resume_ns, step_times);
    scope(|scope| {
        let _stops = Stops(&board);
        let mut workers = Vec::new();
        let work = || {
            worker::work(&board, setup, &sinks, how, &mut |of, made| board.interpreted(of, made))
        };
        for _ in 0..jobs.get() {
            match Builder::new().name("timeline".into()).spawn_scoped(scope, work) {
                Ok(worker) => workers.push(worker),
                // The others do its part.
                Err(_) => break,
            }
        }
        if workers.is_empty() {
            worker::work(&board, setup, &sinks, how, &mut |of, made| {
                let goes_on =
                    board.interpreted(of, made) && board.next_done().is_some_and(&mut take);
                if !goes_on {
                    board.stop();
                }
                goes_on
            });
        }
        while let Some(next) = board.next_done() {
            if !take(next) {
                break;
            }
        }
        board.stop();
        for worker in workers {
            if let Err(panic) = worker.join() {
                resume_unwind(panic);
            }
        }
    });
    outcome?;
    Ok((summary, board.into_starts()))
}
