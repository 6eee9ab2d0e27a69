//! One thread that does what is to be done next.

use super::board::{Board, Made, Outcome, Step};
use super::starts::{Start, Window};
use super::step_times::{StepKind, StepTimes, timed};
use crate::interpret::Done;
use crate::merge::Merge;
use crate::names::CodeNames;
use crate::run::TimelineError;
use crate::setup::Setup;
use ompttrace_model::Sink;

/// Says that there is nothing more to wait for, should the thread panic.
pub(super) struct Stops<'b, 'a, O, E>(pub(super) &'b Board<'a, O, E>);

impl<O, E> Drop for Stops<'_, '_, O, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

/// Takes a result with the numbers of its window and of the part of it; whether anything is to be done with it.
///
/// A pointer, and so is what takes parts: this module is compiled once for each type of sink, not for each caller as well.
type Deliver<'d, S> =
    dyn FnMut((usize, usize), Outcome<<S as Sink>::Output, <S as Sink>::Error>) -> bool + 'd;

/// Works until nothing is left, and hands over what is made of each window, or of a part of it, to `deliver`, with their
/// numbers; it says whether anything is to be done with it.
pub(super) fn work<'a, S: Sink>(
    board: &Board<'a, S::Output, S::Error>,
    setup: &Setup<'a>,
    sinks: &(dyn Fn(bool) -> S + Sync),
    (min_resume_ns, step_times): (u64, Option<&StepTimes>),
    deliver: &mut Deliver<'_, S>,
) {
    let _stops = Stops(board);
    let mut code_names = None;
    while let Some(step) = board.next() {
        match step {
            Step::Scan(until, (at, mut scan)) => {
                timed(step_times, StepKind::Scan(until), || scan.read_to(until));
                timed(step_times, StepKind::Found(until), || board.scanned((at, scan)));
            }
            Step::Interpret(number, window) => {
                let names = code_names.take().unwrap_or_else(|| setup.code_names());
                let sink = sinks(window.start.before.is_none());
                let mut parts = 0;
                let mut part = |output, bytes| {
                    let (summary, paths) = Default::default();
                    let part = Made { output, summary, paths, bytes, ends: false };
                    parts += 1;
                    deliver((number, parts - 1), Ok(part))
                };
                let interpret =
                    || interpret(setup, window, (sink, min_resume_ns), names, &mut part);
                let made = timed(step_times, StepKind::Interpret(number), interpret);
                let made =
                    made.map(|(bytes, Done { output, summary, paths, code_names: names })| {
                        code_names = Some(names);
                        Made { output, summary, paths, bytes, ends: true }
                    });
                deliver((number, parts), made);
            }
        }
    }
}

/// The bytes of a window's records, and what was made of them.
type Interpreted<S> = Result<(u64, Done<<S as Sink>::Output>), TimelineError<<S as Sink>::Error>>;

/// Records between two parts of a window.
const PART: u32 = 1 << 13;

/// Interprets a window. Of the last one, which may be all of a large run, and of those of a sample, which are drawn at all
/// resolutions, parts are handed over on the way, with the bytes of their records, until `part` says that it is over.
fn interpret<S: Sink>(
    setup: &Setup<'_>,
    window: Window<'_>,
    (sink, min_resume_ns): (S, u64),
    code_names: CodeNames,
    part: &mut dyn FnMut(S::Output, u64) -> bool,
) -> Interpreted<S> {
    let Window { start: Start { streams, before }, end, in_parts } = window;
    let mut world = setup.world(sink, min_resume_ns, code_names);
    if let Some((before, border)) = &before {
        world.know(setup, before);
        world.begin_window(border);
    }
    let own = setup.own();
    let until = end.as_ref().map_or(u64::MAX, |(until, _)| *until);
    let (mut records, mut handed_over, mut is_over) = (0, 0, false);
    let read = Merge::new(streams).until(until).run(|thread, record| {
        if is_over {
            return;
        }
        if thread < own {
            world.record(thread, record);
        } else {
            setup.beside(&mut world, thread, record);
        }
        if in_parts {
            records += 1;
            if records == PART {
                records = 0;
                let bytes = world.bytes() - handed_over;
                if let Some(output) = world.part() {
                    is_over = !part(output, bytes);
                    handed_over += bytes;
                }
            }
        }
    });
    let bytes = world.bytes() - handed_over;
    let done = match end {
        Some((_, border)) => world.end_window(&border, read),
        None => world.finish(setup.recording, read),
    };
    done.map(|done| (bytes, done))
}
