//! The trait of writers of a timeline, in any format.

use crate::border::Border;
use crate::definitions::{Definitions, RunInfo};
use crate::event::Event;
use crate::summary::Summary;
use crate::takes::Takes;

/// The default of [`Sink::MIN_RESUME_NS`]: between two tasks a thread looked into the waiting one for one to two
/// microseconds where that was measured (LLVM's runtime, n-queens).
pub const MIN_RESUME_NS: u64 = 2_000;

/// A writer of a trace.
///
/// It keeps its first error and returns it from `finish`: the calls on the way are infallible.
pub trait Sink {
    /// The result that `finish` returns when all went well.
    type Output: Send + 'static;
    /// The error of a trace that could not be written.
    type Error: Send + 'static;

    /// The minimum duration, in nanoseconds, for which a resumed task or wait gets slices again. Between any two
    /// tasks that a thread runs it looks into the waiting one: drawing that would not improve a trace.
    /// 0: everything is reported.
    const MIN_RESUME_NS: u64 = MIN_RESUME_NS;

    /// The frequent events that it has a use for.
    const TAKES: Takes = Takes::ALL;

    /// The first call.
    fn start(&mut self, run: &RunInfo<'_>);

    /// One event, at CLOCK_MONOTONIC nanoseconds. All that it refers to is defined; definitions only grow.
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>);

    /// Begins the window: the events so far only showed what is open at this border, and the previous window's sink
    /// writes them; from here on everything is to be written. Called for sinks of all windows of a run but the first.
    fn begin_window(&mut self, _: &Definitions, _: &Border) {}

    /// The window ends at this border, and nothing else comes but `finish`: what is open continues in the next one.
    fn end_window(&mut self, _: &Definitions, _: &Border) {}

    /// Takes the output that was made since the last part, if it need not wait for the rest. Called now and then for
    /// sinks whose window may be all of a large run, or is drawn several times. `None`: the output comes later, with
    /// [`Sink::finish`] at the latest.
    fn part(&mut self) -> Option<Self::Output> {
        None
    }

    /// The last call.
    ///
    /// # Errors
    /// The first error of the writer.
    fn finish(
        self,
        definitions: &Definitions,
        summary: &Summary,
    ) -> Result<Self::Output, Self::Error>;
}
