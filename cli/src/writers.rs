//! The writers of one export: one after the other each in a pass of its own, several windows at a time, or all of them in
//! one pass for a part of the run's time.

use crate::arguments::ExportArguments;
use crate::packed::Packed;
use crate::preallocated::PreallocatedFile;
use anyhow::{Error, Result};
use ompttrace_chrome::{ChromeOverview, ChromeSink};
use ompttrace_model::{Definitions, Event, MIN_RESUME_NS, RunInfo, Sink, Summary};
#[cfg(feature = "otf2")]
use ompttrace_otf2::Otf2Sink;
use ompttrace_perfetto::{PerfettoOverview, PerfettoSink};
use ompttrace_samples::SamplesSink;
use ompttrace_timeline::{StepTimes, WindowOptions};
use serde_json::json;

/// The format of most exports.
pub type Perfetto = PerfettoSink<'static>;
pub type Chrome = ChromeSink<'static>;
/// Samples alone.
pub type Profile = SamplesSink<Packed<PreallocatedFile>>;

/// Those that were not asked for are absent.
#[derive(Debug, Default)]
pub struct Writers {
    pub perfetto: Option<Perfetto>,
    pub perfetto_overview: Option<PerfettoOverview<'static>>,
    pub chrome: Option<Chrome>,
    pub chrome_overview: Option<ChromeOverview<'static>>,
    #[cfg(feature = "otf2")]
    pub otf2: Option<Otf2Sink>,
    pub folded: Option<Profile>,
    pub pprof: Option<Profile>,
}

/// Which of several traces was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What lasts at least as long is drawn as it is, nanoseconds; 0: everything.
    pub resolution: u64,
    /// Bytes of a trace with everything, about, where that was tried and too large.
    pub whole: u64,
}

/// What overviews came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overviews {
    pub perfetto: Option<Kept>,
    pub chrome: Option<Kept>,
}

/// What one pass over the recording writes. With a type of its own a writer is made in windows, and a pass that knows of
/// no other is faster: several passes over windows take less time than one that serves all.
pub enum Pass {
    Perfetto(Box<Perfetto>),
    PerfettoOverview(Box<PerfettoOverview<'static>>),
    Chrome(Box<Chrome>),
    ChromeOverview(Box<ChromeOverview<'static>>),
    #[cfg(feature = "otf2")]
    Otf2(Box<Otf2Sink>),
    /// Samples alone.
    Profiles(Box<Writers>),
}

impl Overviews {
    /// In JSON: by format, where there is an overview.
    pub fn value(&self) -> serde_json::Value {
        let value = |kept: Option<Kept>| {
            kept.filter(|kept| kept.resolution > 0).map(
                |Kept { resolution, whole }| json!({ "resolution_ns": resolution, "whole_bytes": whole }),
            )
        };
        json!({ "perfetto": value(self.perfetto), "chrome": value(self.chrome) })
    }
}

impl Writers {
    /// The passes that serve them.
    pub fn passes(mut self) -> Vec<Pass> {
        let mut passes = Vec::new();
        passes.extend(self.perfetto.take().map(|writer| Pass::Perfetto(Box::new(writer))));
        let overview = self.perfetto_overview.take();
        passes.extend(overview.map(|writer| Pass::PerfettoOverview(Box::new(writer))));
        passes.extend(self.chrome.take().map(|writer| Pass::Chrome(Box::new(writer))));
        let overview = self.chrome_overview.take();
        passes.extend(overview.map(|writer| Pass::ChromeOverview(Box::new(writer))));
        #[cfg(feature = "otf2")]
        passes.extend(self.otf2.take().map(|writer| Pass::Otf2(Box::new(writer))));
        if self.folded.is_some() || self.pprof.is_some() {
            passes.push(Pass::Profiles(Box::new(self)));
        }
        passes
    }
}

/// The end of one writer, if it is there.
fn finish<S: Sink>(
    writer: Option<S>,
    definitions: &Definitions,
    summary: &Summary,
) -> Result<Option<S::Output>>
where
    Error: From<S::Error>,
{
    Ok(writer.map(|writer| writer.finish(definitions, summary)).transpose()?)
}

/// How a pass is made in windows.
pub fn window_options<'o>(
    arguments: &ExportArguments,
    watch: &'o mut dyn FnMut(u64, u64),
    step_times: Option<&'o StepTimes>,
) -> WindowOptions<'o> {
    WindowOptions {
        min_resume_ns: if arguments.exact { 0 } else { MIN_RESUME_NS },
        jobs: arguments.jobs.count(),
        window: arguments.window_size,
        watch,
        step_times,
    }
}

pub fn kept<O>(written: Option<ompttrace_tracks::Written<O>>) -> Option<Kept> {
    written.map(|written| Kept { resolution: written.resolution, whole: written.whole })
}

impl Sink for Writers {
    type Output = Overviews;
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        if let Some(writer) = &mut self.perfetto {
            writer.start(run);
        }
        if let Some(writer) = &mut self.perfetto_overview {
            writer.start(run);
        }
        if let Some(writer) = &mut self.chrome {
            writer.start(run);
        }
        if let Some(writer) = &mut self.chrome_overview {
            writer.start(run);
        }
        #[cfg(feature = "otf2")]
        if let Some(writer) = &mut self.otf2 {
            writer.start(run);
        }
        for writer in [&mut self.folded, &mut self.pprof].into_iter().flatten() {
            writer.start(run);
        }
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if let Some(writer) = &mut self.perfetto {
            writer.event(definitions, at, event);
        }
        if let Some(writer) = &mut self.perfetto_overview {
            writer.event(definitions, at, event);
        }
        if let Some(writer) = &mut self.chrome {
            writer.event(definitions, at, event);
        }
        if let Some(writer) = &mut self.chrome_overview {
            writer.event(definitions, at, event);
        }
        #[cfg(feature = "otf2")]
        if let Some(writer) = &mut self.otf2 {
            writer.event(definitions, at, event);
        }
        for writer in [&mut self.folded, &mut self.pprof].into_iter().flatten() {
            writer.event(definitions, at, event);
        }
    }

    /// All are finished, whatever becomes of the first: what it leaves must not be half a file.
    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Overviews> {
        let perfetto = finish(self.perfetto, definitions, summary);
        let perfetto_overview = finish(self.perfetto_overview, definitions, summary);
        let chrome = finish(self.chrome, definitions, summary);
        let chrome_overview = finish(self.chrome_overview, definitions, summary);
        let profiles = [self.folded, self.pprof].map(|one| finish(one, definitions, summary));
        #[cfg(feature = "otf2")]
        finish(self.otf2, definitions, summary)?;
        perfetto?;
        chrome?;
        profiles.into_iter().try_for_each(|profile| profile.map(drop))?;
        Ok(Overviews {
            perfetto: kept(perfetto_overview?.flatten()),
            chrome: kept(chrome_overview?.flatten()),
        })
    }
}
