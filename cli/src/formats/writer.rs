//! The writers of one export: one after the other each in a pass of its own, several windows at a time, or all of them in
//! one pass for a part of the run's time.

use super::table::{Format, row};
use crate::arguments::ExportArguments;
use crate::export::{in_windows, interpret};
use crate::forecast::window_options;
use anyhow::{Error, Result, anyhow};
use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary, Windows};
use ompttrace_recording::Recording;
use ompttrace_timeline::{Sample, sample_begin, sample_windows};
use serde_json::{Map, Value, json};
use std::fmt::Display;

/// A writer of any format.
pub trait Writer {
    /// Does the same as [`Sink::start`].
    fn start(&mut self, run: &RunInfo<'_>);

    /// Does the same as [`Sink::event`].
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>);

    /// Does the same as [`Sink::finish`]; returns the trace that was kept.
    fn finish(self: Box<Self>, of: &Definitions, summary: &Summary) -> Result<Option<Kept>>;

    /// Makes its trace in a pass over the recording of its own. A pass that knows of no other writer is faster: several
    /// passes over windows take less time than one that serves all.
    fn make(
        self: Box<Self>,
        of: &Recording,
        by: &ExportArguments,
    ) -> Result<(Option<Kept>, Summary)>;

    /// Makes a part of its trace that is a sample of all. `None`: there is no such part, or the trace cannot be made.
    fn sample(
        self: Box<Self>,
        part: SampledPart,
        of: &Recording,
        by: &ExportArguments,
    ) -> Option<Sample<()>>;
}

/// The part of a run of which a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampledPart {
    /// A few windows from all of the run.
    Windows,
    /// The begin of the run.
    Begin,
}

/// Resolution and sizes of the trace that was kept, one of several or the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The shortest duration that is drawn as it is, nanoseconds; 0: everything is.
    pub resolution: u64,
    /// Bytes of the trace before any compression.
    pub bytes: u64,
    /// Bytes of a trace with everything, about, where that was tried and too large.
    pub whole: u64,
}

impl Kept {
    /// A trace of everything.
    pub fn whole(bytes: u64) -> Option<Kept> {
        Some(Kept { resolution: 0, bytes, whole: 0 })
    }

    /// The trace that an overview reports as kept.
    pub fn of<O>(written: Option<ompttrace_tracks::Written<O>>) -> Option<Kept> {
        written.map(|written| {
            let (resolution, whole) = (written.resolution, written.whole);
            let bytes = written.sizes.iter().find(|(of, _)| *of == resolution);
            Kept { resolution, bytes: bytes.map_or(0, |(_, bytes)| *bytes), whole }
        })
    }
}

/// Function that makes the sink of a single-threaded pass one that is made in windows.
type InWindows<S> = fn(S) -> Windows<'static, <S as Sink>::Output, <S as Sink>::Error>;

struct Typed<S: Sink> {
    sink: S,
    in_windows: Option<InWindows<S>>,
    kept: fn(S::Output) -> Option<Kept>,
}

/// A writer that is this sink.
pub fn of<S: Sink<Error: Display> + 'static>(
    sink: S,
    in_windows: Option<InWindows<S>>,
    kept: fn(S::Output) -> Option<Kept>,
) -> Box<dyn Writer> {
    Box::new(Typed { sink, in_windows, kept })
}

impl<S: Sink<Error: Display>> Writer for Typed<S> {
    fn start(&mut self, run: &RunInfo<'_>) {
        self.sink.start(run);
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.sink.event(definitions, at, event);
    }

    fn finish(self: Box<Self>, of: &Definitions, summary: &Summary) -> Result<Option<Kept>> {
        let finished = self.sink.finish(of, summary).map_err(|error| anyhow!("{error}"));
        finished.map(self.kept)
    }

    fn make(
        self: Box<Self>,
        of: &Recording,
        by: &ExportArguments,
    ) -> Result<(Option<Kept>, Summary)> {
        let (output, summary) = match self.in_windows {
            Some(windows) => in_windows(of, windows(self.sink), by)?,
            None => interpret(of, self.sink, by)?,
        };
        Ok(((self.kept)(output), summary))
    }

    fn sample(
        self: Box<Self>,
        part: SampledPart,
        of: &Recording,
        by: &ExportArguments,
    ) -> Option<Sample<()>> {
        let windows = (self.in_windows?)(self.sink);
        let bytes_per_thread = windows.bytes_per_thread();
        let watch = &mut |_, _| {};
        let options = window_options(by, watch);
        let sample = match part {
            SampledPart::Windows => sample_windows(of, bytes_per_thread, |_| windows, options),
            SampledPart::Begin => sample_begin(of, windows, options).map(Some),
        };
        // What fails here fails again when the trace is made, and is reported then.
        let Sample { read, all, .. } = sample.ok()??;
        Some(Sample { output: (), read, all })
    }
}

/// Overviews that were kept, by format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overviews(pub Vec<(Format, Kept)>);

impl Overviews {
    /// The overview of a format.
    pub fn of(&self, format: Format) -> Option<Kept> {
        self.0.iter().find(|(of, _)| *of == format).map(|(_, kept)| *kept)
    }

    /// The overviews in JSON by format, null where there is none.
    pub fn value(&self) -> Value {
        let value = |format: &Format| {
            let kept = self.of(*format).filter(|kept| kept.resolution > 0);
            let value = kept.map(
                |Kept { resolution, whole, .. }| json!({ "resolution_ns": resolution, "whole_bytes": whole }),
            );
            (format.name().to_owned(), json!(value))
        };
        let formats = Format::ALL.iter().filter(|format| row(**format).tracks().is_some());
        Value::Object(formats.map(value).collect::<Map<_, _>>())
    }
}

/// Writers by format.
#[derive(Default)]
pub struct Writers(pub Vec<(Format, Box<dyn Writer>)>);

impl Writers {
    /// The passes of these writers: one for each that can be made in windows, and one for all others together.
    pub fn passes(self) -> impl Iterator<Item = Writers> {
        let is_of_samples = |(format, _): &(Format, _)| row(*format).is_of_samples;
        let (together, alone): (Vec<_>, Vec<_>) = self.0.into_iter().partition(is_of_samples);
        let together = (!together.is_empty()).then_some(Writers(together));
        alone.into_iter().map(|one| Writers(vec![one])).chain(together)
    }

    /// Makes the traces in one pass.
    pub fn make(self, of: &Recording, by: &ExportArguments) -> Result<(Overviews, Summary)> {
        match <[_; 1]>::try_from(self.0) {
            Ok([(format, writer)]) => {
                let (kept, summary) = writer.make(of, by)?;
                Ok((Overviews(kept.into_iter().map(|kept| (format, kept)).collect()), summary))
            }
            Err(several) => interpret(of, Writers(several), by),
        }
    }
}

impl Sink for Writers {
    type Output = Overviews;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.iter_mut().for_each(|(_, writer)| writer.start(run));
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.iter_mut().for_each(|(_, writer)| writer.event(definitions, at, event));
    }

    /// Finishes all writers even if the first fails, since none must leave half a file.
    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Overviews> {
        let finish = |(format, writer): (Format, Box<dyn Writer>)| {
            Some((format, writer.finish(definitions, summary).transpose()?))
        };
        let finished: Vec<_> = self.0.into_iter().filter_map(finish).collect();
        let finished = finished.into_iter().map(|(format, kept)| Ok((format, kept?)));
        finished.collect::<Result<_>>().map(Overviews)
    }
}
