//! The trait of those who write a timeline in windows, several at a time.

use crate::definitions::RunInfo;
use crate::sink::Sink;
use crate::summary::Summary;

/// Puts together what is made of the windows of a run.
pub trait Join {
    /// Who takes a window: made by [`Join::sink`], and in other threads than this.
    type Sink: Sink<Output: Send, Error: Send>;
    /// What all windows come to.
    type Output;

    /// The first call.
    fn start(&mut self, run: &RunInfo<'_>);

    /// Whether a run can be made in several windows, as far as this depends on what is made of it. Called after
    /// [`Join::start`].
    fn allows_windows(&self, _: &RunInfo<'_>) -> bool {
        true
    }

    /// Makes sinks for windows: for the `first` one, or for one of those behind it.
    fn sinks(&self) -> impl Fn(bool) -> Self::Sink + Sync + use<Self>;

    /// Takes what became of the next window, or of the next part of one, in the order of time.
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
