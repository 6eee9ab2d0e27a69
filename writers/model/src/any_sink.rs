//! A sink behind a pointer: what calls sinks, the interpretation of recordings above all, is large, and so it is compiled
//! once and not for each type of sink.

use crate::border::Border;
use crate::definitions::{Definitions, RunInfo};
use crate::event::Event;
use crate::sink::Sink;
use crate::summary::Summary;
use crate::takes::Takes;
use std::any::Any;

/// A sink of any type; its result stays with it.
pub trait AnySink {
    /// As [`Sink::TAKES`].
    fn takes(&self) -> Takes;
    /// As [`Sink::start`].
    fn start(&mut self, run: &RunInfo<'_>);
    /// As [`Sink::event`].
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>);
    /// As [`Sink::begin_window`].
    fn begin_window(&mut self, definitions: &Definitions, border: &Border);
    /// As [`Sink::end_window`].
    fn end_window(&mut self, definitions: &Definitions, border: &Border);
    /// As [`Sink::part`].
    fn part(&mut self) -> Option<AnyOutput>;
    /// As [`Sink::finish`].
    fn finish(&mut self, definitions: &Definitions, summary: &Summary);
    /// The result, once it has finished.
    ///
    /// # Errors
    /// The error of the sink.
    fn finished(self: Box<Self>) -> Result<AnyOutput, AnyOutput>;
}

/// An output of a sink, or an error, of any type.
pub type AnyOutput = Box<dyn Any + Send>;

/// A sink, until it is finished, and then its result.
pub struct Kept<S: Sink>(State<S>);

enum State<S: Sink> {
    /// The sink takes events.
    Open(S),
    /// The sink is being finished.
    Finishing,
    /// The sink has finished, with this result.
    Finished(Result<S::Output, S::Error>),
}

impl<S: Sink> Kept<S> {
    /// Keeps a sink that was not started.
    pub fn new(sink: S) -> Kept<S> {
        Kept(State::Open(sink))
    }

    /// The sink, until it is finished.
    pub fn open(&mut self) -> Option<&mut S> {
        match &mut self.0 {
            State::Open(sink) => Some(sink),
            State::Finishing | State::Finished(_) => None,
        }
    }

    /// The result.
    ///
    /// # Errors
    /// The error of the sink.
    ///
    /// # Panics
    /// Panics if the sink was not finished.
    pub fn result(self) -> Result<S::Output, S::Error> {
        match self.0 {
            State::Finished(result) => result,
            State::Open(_) | State::Finishing => unreachable!("the last call is `finish`"),
        }
    }

    /// A result of a sink of this type, as [`AnySink::finished`] gave it.
    ///
    /// # Errors
    /// The error of the sink.
    ///
    /// # Panics
    /// Panics if the result is of another type of sink.
    pub fn downcast(result: Result<AnyOutput, AnyOutput>) -> Result<S::Output, S::Error> {
        match result.map(|output| output.downcast()).map_err(|error| error.downcast()) {
            Ok(Ok(output)) => Ok(*output),
            Err(Ok(error)) => Err(*error),
            Ok(Err(_)) | Err(Err(_)) => unreachable!("it is of a sink of this type"),
        }
    }
}

impl<S: Sink> AnySink for Kept<S> {
    fn takes(&self) -> Takes {
        S::TAKES
    }

    fn start(&mut self, run: &RunInfo<'_>) {
        if let Some(sink) = self.open() {
            sink.start(run);
        }
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if let Some(sink) = self.open() {
            sink.event(definitions, at, event);
        }
    }

    fn begin_window(&mut self, definitions: &Definitions, border: &Border) {
        if let Some(sink) = self.open() {
            sink.begin_window(definitions, border);
        }
    }

    fn end_window(&mut self, definitions: &Definitions, border: &Border) {
        if let Some(sink) = self.open() {
            sink.end_window(definitions, border);
        }
    }

    fn part(&mut self) -> Option<AnyOutput> {
        Some(Box::new(self.open()?.part()?))
    }

    fn finish(&mut self, definitions: &Definitions, summary: &Summary) {
        if let State::Open(sink) = std::mem::replace(&mut self.0, State::Finishing) {
            self.0 = State::Finished(sink.finish(definitions, summary));
        }
    }

    fn finished(self: Box<Self>) -> Result<AnyOutput, AnyOutput> {
        match self.result() {
            Ok(output) => Ok(Box::new(output)),
            Err(error) => Err(Box::new(error)),
        }
    }
}
