//! Interpretation on several cores: windows of records, each interpreted separately and passed to its own sink; the
//! sinks' outputs are joined in order.
//!
//! The recording alone determines the windows, so the output does not depend on the number of threads. The state at the
//! begin of a window comes from scanning each stream ([`crate::before`]), which is many times faster than
//! interpretation. If a scan does not know enough (see there), the rest of the run is one window.

mod board;
mod part;
mod sample;
mod starts;
mod sum;
mod worker;

use crate::checkpoints::Cuts;
use crate::matching::OfJob;
use crate::run::TimelineError;
use crate::setup::Setup;
use crate::time_windows::Window;
use board::Board;
use ompttrace_model::{AnyOutput, Sinks, Summary, Windows};
use ompttrace_recording::Recording;
use ompttrace_workers::with_helpers;
pub use sample::{Sample, sample_begin, sample_windows};
use starts::{Starts, Wanted};
use std::collections::HashSet;
use std::num::NonZero;
use worker::{How, Stops};

/// Options of a timeline that is made in windows.
pub struct WindowOptions<'o> {
    /// Minimum duration of a resumption, in nanoseconds, as in [`crate::Options::min_resume_ns`].
    pub min_resume_ns: u64,
    /// Number of threads that interpret, in addition to the calling thread, which joins the results.
    pub jobs: NonZero<usize>,
    /// Number of bytes of a window's records, if it is not the default: for tests.
    pub window: Option<u64>,
    /// Called with the numbers of bytes that were read and that there are, as [`crate::Options::watch`].
    pub watch: &'o mut dyn FnMut(u64, u64),
    /// The part of the run's time that is wanted. A short part is one window.
    pub shown: Window,
    /// The process's part in a job, of whose messages it has the numbers.
    pub job: Option<OfJob<'o>>,
}

/// The result of all windows.
#[derive(Debug)]
pub struct Joined<O> {
    /// The joined output.
    pub output: O,
    /// The counts.
    pub summary: Summary,
    /// Checkpoints of a large recording, from which a later pass can begin, for [`Recording::leave_index`].
    pub checkpoints: Option<Vec<u64>>,
}

/// Makes the timeline of a recording as [`crate::run`] does, but in windows.
///
/// # Errors
/// The first error of a sink or of `windows`, or that nothing of the run is wanted.
pub fn run_in_windows<O, E>(
    recording: &Recording,
    mut windows: Windows<'_, O, E>,
    options: WindowOptions<'_>,
) -> Result<Joined<O>, TimelineError<E>> {
    let setup = Setup::of(recording);
    let length = setup.end - setup.begin;
    if options.shown.from.is_some_and(|from| from > length) {
        return Err(TimelineError::Empty(length));
    }
    let setup = setup.showing(options.shown);
    windows.start(&setup.run_info());
    let cuts = match windows.allows_windows(&setup.run_info()) {
        true => cuts(&setup, windows.bytes_per_thread(), options.window),
        false => Cuts::default(),
    };
    let starts = match options.shown.is_whole() {
        true => Starts::new(&setup, cuts, Wanted::All),
        // What was suspended where a part begins is begun when it resumes: a sink without resumptions can do so in one window only.
        false if !windows.takes().resumptions => part::starts(&setup, &[], options.shown),
        false => part::starts(&setup, &cuts.at, options.shown),
    };
    let (summary, starts) = join_all(&setup, &mut windows, starts, options)?;
    let output = windows.finish(&summary).map_err(TimelineError::Sink)?;
    Ok(Joined { output, summary, checkpoints: starts.into_checkpoints() })
}

/// Times at which a run is cut into windows of at least `bytes_per_thread` bytes for each thread; none, if the run
/// cannot be cut.
fn cuts(setup: &Setup<'_>, bytes_per_thread: u64, window: Option<u64>) -> Cuts {
    // Samples are counted from the begin of a run on.
    if !setup.is_simple() || !setup.recording.samples.is_empty() {
        return Cuts::default();
    }
    let wanted = bytes_per_thread.saturating_mul(setup.own().into());
    let in_one = if window.is_some() { 1 } else { wanted.div_ceil(setup.window()) };
    Cuts::of(setup.cuts(window), in_one)
}

/// Interprets the windows that are wanted, and joins their results; gives what was counted, and what found the windows.
fn join_all<'a, O, E>(
    setup: &Setup<'a>,
    windows: &mut Windows<'_, O, E>,
    starts: Starts<'a>,
    options: WindowOptions<'_>,
) -> Result<(Summary, Starts<'a>), TimelineError<E>> {
    let (sinks, mut outcome) = (windows.sinks(), Ok(()));
    let mut take = |output| {
        outcome = windows.take(output);
        outcome.is_ok()
    };
    let interpreted = interpret(setup, &sinks, &mut take, starts, options);
    outcome.map(|()| interpreted).map_err(TimelineError::Sink)
}

/// Takes the results of sinks, in order. Returns false if no more are needed.
type Take<'t> = dyn FnMut(Result<AnyOutput, AnyOutput>) -> bool + 't;

/// Interprets the windows as [`join_all`] does, until `take` needs no more results. Returns the totals and the search
/// for windows.
fn interpret<'a>(
    setup: &Setup<'a>,
    sinks: &Sinks<'_>,
    take: &mut Take<'_>,
    starts: Starts<'a>,
    options: WindowOptions<'_>,
) -> (Summary, Starts<'a>) {
    let WindowOptions { min_resume_ns, jobs, watch, job, .. } = options;
    let all = setup.recording.bytes();
    let board = Board::new(starts, jobs.get());
    let mut summary = Summary::default();
    let (mut done, mut paths) = (0, HashSet::new());
    // Takes the result of the next window, or of the next part of one; whether there is use for more.
    let mut take = |next: board::Outcome| {
        let output = next.map(|window| {
            done += window.bytes;
            paths.extend(window.paths);
            summary.logical_threads = paths.len() as u64;
            sum::add(&mut summary, window.summary);
            watch(done.min(all), all);
            window.output
        });
        take(output)
    };
    let how = How { min_resume_ns, job };
    let work =
        || worker::work(&board, setup, sinks, how, &mut |of, made| board.interpreted(of, made));
    with_helpers("timeline", jobs.get(), work, |helpers| {
        let _stops = Stops(&board);
        if helpers == 0 {
            worker::work(&board, setup, sinks, how, &mut |of, made| {
                let goes_on =
                    board.interpreted(of, made) && board.next_done().is_some_and(&mut take);
                if !goes_on {
                    board.stop();
                }
                goes_on
            });
        }
        while board.next_done().is_some_and(&mut take) {}
        board.stop();
    });
    (summary, board.into_starts())
}
