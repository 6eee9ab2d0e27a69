//! The trait of writers that write a timeline in windows, several at a time.

use crate::definitions::RunInfo;
use crate::sink::Sink;
use crate::summary::Summary;

/// Joins the results of the windows of a run.
pub trait Join {
    /// Minimum number of bytes of records per thread in each window of a long run: limits the memory of writers that
    /// need some for each thread of each window.
    const BYTES_PER_THREAD: u64 = 0;

    /// The sink of a window: made by [`Join::sinks`], and used in other threads.
    type Sink: Sink + 'static;
    /// The result of all windows.
    type Output;

    /// The first call.
    fn start(&mut self, run: &RunInfo<'_>);

    /// Returns true if the writer can write this run in several windows. Called after [`Join::start`].
    fn allows_windows(&self, _: &RunInfo<'_>) -> bool {
        true
    }

    /// Makes sinks for windows: for the `first` one, or for a later one.
    fn sinks(&self) -> impl Fn(bool) -> Self::Sink + Sync + use<Self>;

    /// Takes the result of the next window, or of the next part of one, in time order.
    ///
    /// # Errors
    /// The first error of the writer; no other function is called after it.
    fn take(
        &mut self,
        output: <Self::Sink as Sink>::Output,
    ) -> Result<(), <Self::Sink as Sink>::Error>;

    /// The last call.
    ///
    /// # Errors
    /// The first error of the writer.
    fn finish(self, summary: &Summary) -> Result<Self::Output, <Self::Sink as Sink>::Error>;
}
