//! Interpretation on several cores: windows of records, each interpreted separately and passed to its own sink; the
//! sinks' outputs are joined in order.
//!
//! The recording alone determines the windows, so the output does not depend on the number of threads. The state at the
//! begin of a window comes from scanning each stream ([`crate::before`]), which is many times faster than
//! interpretation. If a scan does not know enough (see there), the rest of the run is one window.

mod board;
mod starts;
mod sum;
mod worker;

use crate::run::TimelineError;
use crate::setup::Setup;
use board::Board;
use ompttrace_model::{Join, Sink, Summary};
use ompttrace_recording::Recording;
use starts::Starts;
use std::collections::HashSet;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// How a timeline is made in windows.
#[derive(Clone, Copy, Debug)]
pub struct WindowOptions<W> {
    /// As [`crate::Options::min_resume_ns`].
    pub min_resume_ns: u64,
    /// Threads that interpret, in addition to the calling one, which joins the results.
    pub jobs: NonZero<usize>,
    /// Bytes of records of a window, if not the default: for tests.
    pub window: Option<u64>,
    /// As [`crate::Options::watch`].
    pub watch: W,
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
    options: WindowOptions<W>,
) -> Outcome<J> {
    let WindowOptions { min_resume_ns, jobs, window, mut watch } = options;
    let setup = Setup::of(recording);
    join.start(&setup.run_info());
    let (sinks, all) = (join.sinks(), setup.bytes());
    // Samples are counted from the begin of a run on.
    let is_simple = setup.is_simple() && recording.samples.is_empty();
    let cuts = match is_simple && join.allows_windows(&setup.run_info()) {
        true => setup.cuts(window),
        false => Vec::new(),
    };
    let board = Board::new(Starts::new(&setup, cuts), jobs.get());
    let mut summary = Summary::default();
    scope(|scope| {
        let mut workers = Vec::new();
        let work = || worker::work(&board, &setup, &sinks, min_resume_ns);
        for _ in 0..jobs.get() {
            match Builder::new().name("timeline".into()).spawn_scoped(scope, work) {
                Ok(worker) => workers.push(worker),
                // The others do its part; the first one is there or nothing is done.
                Err(_) if !workers.is_empty() => break,
                Err(_) => {
                    board.work_alone();
                    work();
                    break;
                }
            }
        }
        let mut outcome = Ok(());
        let (mut done, mut paths) = (0, HashSet::new());
        while let Some(next) = board.next_done() {
            outcome = next.and_then(|window| {
                done += window.bytes;
                paths.extend(window.paths);
                summary.logical_threads = paths.len() as u64;
                sum::add(&mut summary, window.summary);
                watch(done.min(all), all);
                join.take(window.output).map_err(TimelineError::Sink)
            });
            if outcome.is_err() {
                break;
            }
        }
        board.stop();
        for worker in workers {
            if let Err(panic) = worker.join() {
                resume_unwind(panic);
            }
        }
        outcome
    })?;
    let output = join.finish(&summary).map_err(TimelineError::Sink)?;
    Ok(Joined { output, summary, checkpoints: board.into_checkpoints() })
}
