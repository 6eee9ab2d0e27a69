//! The trait of writers that write a timeline in windows, several at a time.

use crate::definitions::RunInfo;
use crate::sink::Sink;
use crate::summary::Summary;

/// Puts together what is made of the windows of a run.
pub trait Join {
    /// The sink of a window: made by [`Join::sink`], and used in other threads.
    type Sink: Sink<Output: Send, Error: Send>;
    /// What all windows come to.
    type Output;

    /// The first call.
    fn start(&mut self, run: &RunInfo<'_>);

    /// Makes sinks for windows: for the `first` one, or for one of those behind it.
    fn sinks(&self) -> impl Fn(bool) -> Self::Sink + Sync + use<Self>;

    /// Takes what became of the next window, in the order of time.
    ///
    /// # Errors
    /// What went wrong: then nothing else is asked for.
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
