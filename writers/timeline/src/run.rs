//! Makes a timeline: records in the order of time, their interpretation, and a summary.

use crate::before::{self, Before};
use crate::checkpoints;
use crate::matching::OfJob;
use crate::merge::Merge;
use crate::setup::Setup;
use ompttrace_model::{AnySink, Kept};
use ompttrace_model::{Sink, Summary};
use ompttrace_recording::Recording;
use ompttrace_recording::reader::Stream;
use thiserror::Error;

/// Records between two calls of a watcher.
const WATCH: u64 = 1 << 18;

/// Why there is no timeline.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TimelineError<E> {
    /// The sink could not do its work.
    #[error("{0}")]
    Sink(E),
    /// The part of the run that is wanted begins where the run is over; with the run's length in nanoseconds.
    #[error("nothing is left of the run, which lasts {:.9} s", *.0 as f64 / 1e9)]
    Empty(u64),
}

/// Hands the timeline of `recording` to `sink`.
pub fn run<S: Sink>(
    recording: &Recording,
    sink: S,
) -> Result<(S::Output, Summary), TimelineError<S::Error>> {
    run_with(
        recording,
        sink,
        Options { min_resume_ns: S::MIN_RESUME_NS, window: (None, None), watch: |_, _| {} },
    )
}

/// Options of making a timeline.
#[derive(Clone, Copy, Debug)]
pub struct Options<W> {
    /// Minimum duration of a resumption, in nanoseconds, which replaces [`Sink::MIN_RESUME_NS`].
    pub min_resume_ns: u64,
    /// Begin and end of the part of the run's time that is wanted, in nanoseconds since the run's begin. Events before or after it may be
    /// left out if they do not matter for it.
    pub window: (Option<u64>, Option<u64>),
    /// Called from time to time, and after the last record, with the approximate number of bytes of records that are
    /// done, and that of all.
    pub watch: W,
}

/// Hands the timeline of `recording` to `sink`, with options.
pub fn run_with<S: Sink, W: FnMut(u64, u64)>(
    recording: &Recording,
    sink: S,
    options: Options<W>,
) -> Result<(S::Output, Summary), TimelineError<S::Error>> {
    run_of_job(recording, sink, options, None)
}

/// As [`run_with`]; of a rank of a job, messages and collective operations have their numbers in the job.
pub fn run_of_job<S: Sink, W: FnMut(u64, u64)>(
    recording: &Recording,
    sink: S,
    options: Options<W>,
    job: Option<OfJob<'_>>,
) -> Result<(S::Output, Summary), TimelineError<S::Error>> {
    let Options { min_resume_ns, window, mut watch } = options;
    let options = Options { min_resume_ns, window, watch: &mut watch as &mut dyn FnMut(u64, u64) };
    let mut kept = Kept::new(sink);
    let summary = run_any(recording, &mut kept, options, job);
    kept.result().map(|output| (output, summary)).map_err(TimelineError::Sink)
}

/// Hands the timeline of `recording` to `sink`, as [`run_with`] does; the output stays in the sink.
fn run_any(
    recording: &Recording,
    sink: &mut dyn AnySink,
    options: Options<&mut dyn FnMut(u64, u64)>,
    job: Option<OfJob<'_>>,
) -> Summary {
    let Options { min_resume_ns, window, watch } = options;
    let setup = Setup::of(recording);
    let mut interpreter = setup.interpreter(sink, min_resume_ns, setup.code_names());
    interpreter.expect_job(job);
    let (from, until) = ticks(window, &setup);
    let streams = match from.filter(|_| setup.is_simple()).and_then(|from| begin(&setup, from)) {
        Some((moved, before)) => {
            interpreter.know(&setup, &before);
            moved
        }
        None => setup.streams(),
    };
    let (own, all) = (setup.own(), recording.bytes());
    let mut until_watched = WATCH;
    let read = Merge::new(streams).until(until).run(|thread, record| {
        if thread < own {
            interpreter.record(thread, record);
        } else {
            setup.other_record(&mut interpreter, thread, record);
        }
        until_watched -= 1;
        if until_watched == 0 {
            until_watched = WATCH;
            watch(interpreter.bytes().min(all), all);
        }
    });
    watch(interpreter.bytes().min(all), all);
    if until != u64::MAX {
        interpreter.come_to(setup.clock.nanoseconds(until));
    }
    interpreter.finish(recording, read).summary
}

/// The streams from the last checkpoint on that is not after `from`, and what is known there: by the recording's index,
/// or else by what is before. `None`: that has to be interpreted.
pub(crate) fn begin<'a>(setup: &Setup<'a>, from: u64) -> Option<(Vec<Stream<'a>>, Before)> {
    let cuts = checkpoints::before(setup, from);
    let streams = setup.streams();
    let known = checkpoints::find(&setup.recording.checkpoints, *cuts.last()?, &streams);
    known.or_else(|| before::read(streams, &setup.numbers, &cuts))
}

/// Nanoseconds around a window that are read as well: what is known of an event may come a little later.
const AROUND: u64 = 1_000_000;

/// Ticks of the first record that may matter for a window, `None` for the begin of the run, and ticks of the last one.
pub(crate) fn ticks(window: (Option<u64>, Option<u64>), setup: &Setup<'_>) -> (Option<u64>, u64) {
    let from = window.0.map(|from| setup.first_ticks(from.saturating_sub(AROUND)));
    let until = window.1.map(|to| setup.first_ticks(to.saturating_add(AROUND)));
    (from, until.unwrap_or(u64::MAX))
}
