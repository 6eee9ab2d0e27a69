//! The trace of one of several processes: everything, an overview of its share of the limit, or a part of the time of all.

use super::Closed;
use crate::arguments::{ExportArguments, view_of};
use crate::detail::{self, Plan};
use crate::forecast::Forecast;
use crate::formats::table::Format;
use crate::formats::writer::{self, Kept, Overviews, Writers};
use crate::pass::pass;
use anyhow::Result;
use ompttrace_model::Summary;
use ompttrace_perfetto::{PerfettoOverview, PerfettoSink, SharedCores};
use ompttrace_recording::{PinnedFolder, Recording};
use ompttrace_timeline::{BackgroundWriter, LastArrivals, Matching, OfJob, span_of};
use std::fs::File;
use std::io::{self, Seek};

/// A process whose trace is made.
pub struct Part<'a> {
    pub recording: &'a Recording,
    /// The arguments for this process, as [`arguments`] returns them.
    pub arguments: &'a ExportArguments,
    /// The cores of all processes.
    pub cores: &'a SharedCores,
    /// The last arrivals at the collective operations of all processes.
    pub last: &'a LastArrivals,
    /// Folder in which temporary files without a name are created.
    pub folder: &'a PinnedFolder,
    /// True if another thread is to write.
    pub writes_behind: bool,
}

/// Results of one process.
#[derive(Default)]
pub struct Drawn {
    pub summary: Summary,
    /// The shortest duration that is drawn as it is, nanoseconds; 0: everything is.
    pub resolution: u64,
}

/// The arguments for each of several processes: their shares of the limit, and their parts of a window that counts from the
/// begin of the first one.
pub fn arguments(recordings: &[Closed], all: &ExportArguments) -> Vec<ExportArguments> {
    let begin = recordings.iter().map(|one| one.span.0).min().unwrap_or(0);
    let bytes = recordings.iter().map(|one| one.bytes).sum::<u64>().max(1);
    let limit = all.limit.unwrap_or(detail::USUAL_LIMIT);
    let share = |recording: &Closed| match limit {
        u64::MAX => u64::MAX,
        limit => (u128::from(limit) * u128::from(recording.bytes) / u128::from(bytes)) as u64,
    };
    let own = |recording: &Closed| {
        let later = recording.span.0.saturating_sub(begin);
        ExportArguments {
            run: recording.path.clone(),
            limit: Some(share(recording)),
            from: all.from.map(|from| from.saturating_sub(later)),
            to: all.to.map(|to| to.saturating_sub(later)),
            quiet: true,
            ..all.clone()
        }
    };
    recordings.iter().map(own).collect()
}

impl Part<'_> {
    /// Writes the trace to the end of a file.
    pub fn draw(&self, mut file: File, watch: &mut dyn FnMut(u64)) -> Result<Drawn> {
        if is_outside(span_of(self.recording), self.arguments) {
            return Ok(Drawn::default());
        }
        let plan = detail::plan(self.recording, self.arguments);
        let Some(plan) = plan.filter(|plan| plan.resolutions != [0]) else {
            let sink = PerfettoSink::beside(self.writer(file), self.view(), self.cores);
            let sink = sink.exact(self.arguments.exact);
            let (_, summary) = self.pass(writer::of(sink, None, |_| None), watch)?;
            return Ok(Drawn { summary, resolution: 0 });
        };
        let mut narrowed =
            Forecast::of(self.recording, self.arguments, Some(&plan)).narrowed(&plan);
        loop {
            let (drawn, overviews) = self.overview(&narrowed, &mut file, watch)?;
            // A forecast may be wrong.
            match plan.coarser(&overviews) {
                Some(coarser) => narrowed = coarser,
                None => return Ok(drawn),
            }
        }
    }

    /// Draws overviews at the resolutions of a plan, and appends the finest that fits, unless there is a coarser one to try.
    fn overview(
        &self,
        plan: &Plan,
        file: &mut File,
        watch: &mut dyn FnMut(u64),
    ) -> Result<(Drawn, Overviews)> {
        let all = plan
            .resolutions
            .iter()
            .map(|resolution| Ok((*resolution, self.folder.nameless()?, SharedCores::default())));
        let all: Vec<_> = all.collect::<io::Result<_>>()?;
        let writers = all.iter().map(|(resolution, file, cores)| {
            Ok((*resolution, self.writer(file.try_clone()?), cores.clone()))
        });
        let writers: Vec<_> = writers.collect::<io::Result<_>>()?;
        let sink = PerfettoOverview::beside(writers, plan.limit, self.view(), plan.cores);
        let sink = sink.exact(self.arguments.exact);
        let (overviews, summary) = self.pass(writer::of(sink, None, Kept::of), watch)?;
        let kept = overviews.of(Format::Perfetto);
        let resolution = kept.map_or(0, |kept| kept.resolution);
        let is_final = plan.coarser(&overviews).is_none();
        for (of, mut drawn, cores) in all {
            if is_final && kept.is_some() && of == resolution {
                drawn.rewind()?;
                io::copy(&mut drawn, file)?;
                self.cores.take(&cores);
            }
        }
        Ok((Drawn { summary, resolution }, overviews))
    }

    fn writer(&self, file: File) -> BackgroundWriter<File> {
        if self.writes_behind { BackgroundWriter::new(file) } else { BackgroundWriter::here(file) }
    }

    fn view(&self) -> ompttrace_model::View {
        view_of(self.arguments.view)
    }

    /// One pass over the recording, or over what matters to the window.
    fn pass(
        &self,
        writer: Box<dyn writer::Writer>,
        watch: &mut dyn FnMut(u64),
    ) -> Result<(Overviews, Summary)> {
        let writers = Writers(vec![(Format::Perfetto, writer)]);
        let matching = Matching::of(self.recording, crate::job::number(&self.recording.path));
        let job = OfJob { matching: &matching, last: self.last };
        let (overviews, summary) = pass(self.recording, self.arguments, writers, Some(job), watch)?;
        Ok((overviews.unwrap_or_default(), summary))
    }
}

/// True for a process that was not there in the window.
pub fn is_outside((begin, end): (u64, u64), arguments: &ExportArguments) -> bool {
    let is_over = arguments.from.is_some_and(|from| from >= end.saturating_sub(begin));
    is_over || arguments.to == Some(0)
}
