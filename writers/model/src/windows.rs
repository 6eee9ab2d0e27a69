//! A [`Join`] behind a pointer, as [`AnySink`] is a sink behind one.

use crate::any_sink::{AnyOutput, AnySink, Kept};
use crate::definitions::RunInfo;
use crate::join::Join;
use crate::sink::Sink;
use crate::summary::Summary;
use crate::takes::Takes;

/// A [`Join`] of any type. A crate of sinks makes it in a function without type parameters: then all that it calls is compiled
/// in that crate, beside others, and not in the last crate of each program.
pub struct Windows<'j, O, E>(Box<dyn AnyJoin<'j, O, E> + 'j>);

/// Makes sinks for windows, as [`Join::sinks`].
pub type Sinks<'j> = Box<dyn Fn(bool) -> Box<dyn AnySink> + Sync + 'j>;

trait AnyJoin<'j, O, E> {
    fn takes(&self) -> Takes;
    fn bytes_per_thread(&self) -> u64;
    fn start(&mut self, run: &RunInfo<'_>);
    fn allows_windows(&self, run: &RunInfo<'_>) -> bool;
    fn sinks(&self) -> Sinks<'j>;
    fn take(&mut self, output: Result<AnyOutput, AnyOutput>) -> Result<(), E>;
    fn finish(self: Box<Self>, summary: &Summary) -> Result<O, E>;
}

impl<'j, J: Join + 'j> AnyJoin<'j, J::Output, <J::Sink as Sink>::Error> for J {
    fn takes(&self) -> Takes {
        J::Sink::TAKES
    }

    fn bytes_per_thread(&self) -> u64 {
        J::BYTES_PER_THREAD
    }

    fn start(&mut self, run: &RunInfo<'_>) {
        Join::start(self, run);
    }

    fn allows_windows(&self, run: &RunInfo<'_>) -> bool {
        Join::allows_windows(self, run)
    }

    fn sinks(&self) -> Sinks<'j> {
        let sinks = Join::sinks(self);
        Box::new(move |is_first| Box::new(Kept::new(sinks(is_first))))
    }

    fn take(
        &mut self,
        output: Result<AnyOutput, AnyOutput>,
    ) -> Result<(), <J::Sink as Sink>::Error> {
        match Kept::<J::Sink>::downcast(output) {
            Ok(output) => Join::take(self, output),
            Err(error) => Err(error),
        }
    }

    fn finish(self: Box<Self>, summary: &Summary) -> Result<J::Output, <J::Sink as Sink>::Error> {
        Join::finish(*self, summary)
    }
}

impl<'j, O, E> Windows<'j, O, E> {
    /// Joins windows as `join` does.
    pub fn new<J>(join: J) -> Windows<'j, O, E>
    where
        J: Join<Output = O, Sink: Sink<Error = E>> + 'j,
    {
        Windows(Box::new(join))
    }

    /// [`Sink::TAKES`] of the windows' sinks.
    pub fn takes(&self) -> Takes {
        self.0.takes()
    }

    /// [`Join::BYTES_PER_THREAD`].
    pub fn bytes_per_thread(&self) -> u64 {
        self.0.bytes_per_thread()
    }

    /// As [`Join::start`].
    pub fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    /// As [`Join::allows_windows`].
    pub fn allows_windows(&self, run: &RunInfo<'_>) -> bool {
        self.0.allows_windows(run)
    }

    /// As [`Join::sinks`].
    pub fn sinks(&self) -> Sinks<'j> {
        self.0.sinks()
    }

    /// As [`Join::take`], with what [`AnySink::part`] or [`AnySink::finished`] of one of its sinks gave.
    ///
    /// # Errors
    /// The first error of a sink or of the join: nothing else is called then.
    pub fn take(&mut self, output: Result<AnyOutput, AnyOutput>) -> Result<(), E> {
        self.0.take(output)
    }

    /// As [`Join::finish`].
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub fn finish(self, summary: &Summary) -> Result<O, E> {
        self.0.finish(summary)
    }
}
