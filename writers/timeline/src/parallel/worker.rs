//! The work of one thread: it takes the next step from the board until none is left.

use super::board::{Board, Outcome, Step, WindowOutput};
use super::starts::{Start, Window};
use crate::interpret::Done;
use crate::matching::OfJob;
use crate::merge::Merge;
use crate::names::CodeNames;
use crate::setup::Setup;
use crate::time_windows::Bounded;
use ompttrace_model::{AnyOutput, AnySink, Sinks};

/// Says that there is nothing more to wait for, should the thread panic.
pub(super) struct Stops<'b, 'a>(pub(super) &'b Board<'a>);

impl Drop for Stops<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

/// Takes a result with the numbers of its window and of the part of it. Returns false if the result is not needed any
/// more.
type Deliver<'d> = dyn FnMut((usize, usize), Outcome) -> bool + 'd;

/// Options of the interpretation that all windows have in common.
#[derive(Clone, Copy)]
pub(super) struct How<'o> {
    pub min_resume_ns: u64,
    pub job: Option<OfJob<'o>>,
}

/// Works until nothing is left, and hands over what is made of each window, or of a part of it, to `deliver`, with their
/// numbers; it says whether anything is to be done with it.
pub(super) fn work<'a>(
    board: &Board<'a>,
    setup: &Setup<'a>,
    sinks: &Sinks<'_>,
    how: How<'_>,
    deliver: &mut Deliver<'_>,
) {
    let _stops = Stops(board);
    let mut code_names = None;
    while let Some(step) = board.next() {
        match step {
            Step::Scan(until, (at, mut scan)) => {
                scan.read_to(until);
                board.scanned((at, scan));
            }
            Step::Interpret(number, window) => {
                let names = code_names.take().unwrap_or_else(|| setup.code_names());
                let mut sink = sinks(window.is_first);
                let mut parts = 0;
                let mut part = |output, bytes| {
                    let (summary, paths) = Default::default();
                    let part = WindowOutput { output, summary, paths, bytes, ends: false };
                    parts += 1;
                    deliver((number, parts - 1), Ok(part))
                };
                let (bytes, done) =
                    interpret_in_bounds(setup, window, (&mut *sink, how), names, &mut part);
                let Done { summary, paths, code_names: names } = done;
                code_names = Some(names);
                let made = sink.finished();
                let made =
                    made.map(|output| WindowOutput { output, summary, paths, bytes, ends: true });
                deliver((number, parts), made);
            }
        }
    }
}

/// Interprets a window, of which only what lies in its bounds is for the sink.
fn interpret_in_bounds(
    setup: &Setup<'_>,
    window: Window<'_>,
    (sink, how): (&mut dyn AnySink, How<'_>),
    code_names: CodeNames,
    part: &mut dyn FnMut(AnyOutput, u64) -> bool,
) -> (u64, Done) {
    let Some(bounds) = window.bounds else {
        return interpret(setup, window, (sink, how), code_names, part);
    };
    let mut bounded = Bounded::new(sink, bounds);
    let (bytes, done) = interpret(setup, window, (&mut bounded, how), code_names, part);
    (bytes, Done { summary: bounded.into_summary(), ..done })
}

/// Records between two parts of a window.
const PART: u32 = 1 << 13;

/// Interprets a window. Of the last one, which may be all of a large run, and of those of a sample, which are drawn at all
/// resolutions, parts are handed over on the way, with the bytes of their records, until `part` says that it is over. Returns the
/// bytes of the records that no part has.
fn interpret(
    setup: &Setup<'_>,
    window: Window<'_>,
    (sink, how): (&mut dyn AnySink, How<'_>),
    code_names: CodeNames,
    part: &mut dyn FnMut(AnyOutput, u64) -> bool,
) -> (u64, Done) {
    let Window { start: Start { streams, before }, is_first, until, border: end, in_parts, .. } =
        window;
    let mut interpreter = setup.interpreter(sink, how.min_resume_ns, code_names);
    interpreter.expect_job(how.job);
    if let Some((before, border)) = &before {
        interpreter.know(setup, before);
        if !is_first {
            interpreter.begin_window(border);
        }
    }
    let own = setup.own();
    let (mut left, mut handed_over, mut is_over) = (PART, 0, false);
    let read = Merge::new(streams).until(until).run(|thread, record| {
        if left == 0 {
            if is_over {
                return;
            }
            let bytes = interpreter.bytes() - handed_over;
            if in_parts && let Some(output) = interpreter.part() {
                is_over = !part(output, bytes);
                handed_over += bytes;
                if is_over {
                    return;
                }
            }
            left = PART;
        }
        left -= 1;
        if thread < own {
            interpreter.record(thread, record);
        } else {
            setup.other_record(&mut interpreter, thread, record);
        }
    });
    let bytes = interpreter.bytes() - handed_over;
    let done = match end {
        Some(border) => interpreter.end_window(&border, read),
        None => {
            if until != u64::MAX {
                interpreter.come_to(setup.clock.nanoseconds(until));
            }
            interpreter.finish(setup.recording, read)
        }
    };
    (bytes, done)
}
