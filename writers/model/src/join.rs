//! The trait of writers that write a timeline in windows, several at a time.

use crate::definitions::RunInfo;
use crate::sink::Sink;
use crate::summary::Summary;

/// Joins the results of the windows of a run.
pub trait Join {
    /// Bytes of records of a window for each thread, at least, if the run is long: for what grows with both.
    const BYTES_PER_THREAD: u64 = 0;

    /// The sink of a window: made by [`Join::sink`], and used in other threads.
    type Sink: Sink + 'static;
    /// The result of all windows.
    type Output;

    /// The first call.
    fn start(&mut self, run: &RunInfo<'_>);

    /// Whether a run can be made in several windows, as far as the writer is concerned. Called after [`Join::start`].
    fn allows_windows(&self, _: &RunInfo<'_>) -> bool {
        true
    }

    /// Makes sinks for windows: for the `first` one, or for a later one.
    fn sinks(&self) -> impl Fn(bool) -> Self::Sink + Sync + use<Self>;

    /// Takes the result of the next window, or of the next part of one, in time order.
    ///
    /// # Errors
    /// What went wrong: nothing else is called then.
    fn take(
        &mut self,
        output: <Self::Sink as Sink>::Output,
    ) -> Result<(), <Self::Sink as Sink>::Error>;

    /// The last call.
    ///
    /// # Errors
    /// The first thing that went wrong.
    fn finish(self, summary: &Summary) -> Result<Self::Output, <Self::Sink as Sink>::Error>;
}
