//! The requested writers, each with its output path.

use crate::arguments::{ExportArguments, Format, TaskStacks};
use crate::deflated::{self, Deflated};
use crate::detail::Plan;
use crate::output_path::OutputPath;
use crate::packed::Packed;
use crate::preallocated::PreallocatedFile;
use crate::say;
use crate::writers::{Overviews, Writers};
use anyhow::{Result, bail};
use ompttrace_chrome::{ChromeOverview, ChromeSink};
use ompttrace_model::View;
#[cfg(feature = "otf2")]
use ompttrace_otf2::Otf2Sink;
use ompttrace_perfetto::{PerfettoOverview, PerfettoSink};
use ompttrace_samples::{ProfileFormat, SamplesSink, Stacks};
use ompttrace_timeline::Behind;
#[cfg(feature = "otf2")]
use rustix::fs::Mode;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is written beside the interpretation.
pub type Written = Counted<File>;

/// Compressed inside, or written as it is or as a whole.
#[derive(Debug)]
pub enum File {
    Deflated(Deflated<PreallocatedFile>),
    Whole(Behind<Packed<PreallocatedFile>>),
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            File::Deflated(file) => file.write(bytes),
            File::Whole(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            File::Deflated(file) => file.flush(),
            File::Whole(file) => file.flush(),
        }
    }
}

/// How large each file of a trace has become so far, in bytes.
pub type Sizes = Vec<Arc<AtomicU64>>;

/// Where a trace is written.
pub struct Draft {
    pub output_path: OutputPath,
    format: Format,
    /// Of one of several traces of which one will be kept: its resolution.
    resolution: Option<u64>,
}

impl Draft {
    /// The output path, if the trace is to be kept.
    pub fn kept(self, overviews: &Overviews) -> Option<OutputPath> {
        let Some(resolution) = self.resolution else { return Some(self.output_path) };
        let kept = match self.format {
            Format::Perfetto => overviews.perfetto,
            Format::Chrome => overviews.chrome,
            Format::Otf2 | Format::Parquet | Format::Folded | Format::Pprof => None,
        };
        kept.is_some_and(|kept| kept.resolution == resolution).then_some(self.output_path)
    }
}

/// Names of the traces to be; drafts of one trace are one.
pub fn names_of<'d>(drafts: impl Iterator<Item = &'d Draft>) -> String {
    let mut names: Vec<_> = drafts.map(|draft| say::shown(&draft.output_path.name())).collect();
    names.dedup();
    names.join(", ")
}

/// The writers, where they write, and what is in the files so far.
type Opened = (Writers, Vec<Draft>, Sizes);

/// Whether the formats can be had together, and as is asked for.
pub fn check(arguments: &ExportArguments) -> Result<()> {
    limits_are_errors();
    let count = Format::ALL.iter().filter(|format| arguments.wants(**format)).count();
    if arguments.output.is_some() && count > 1 {
        bail!("--output names one trace, but several formats are requested");
    }
    if arguments.is_in_windows() && arguments.wants(Format::Parquet) {
        bail!(
            "--from, --to and --split are for traces; Parquet tables cover the whole run: select a time in the query"
        );
    }
    Ok(())
}

/// Opens a writer for each format of a trace, or for its overview; of the part with this number, if the trace is one of
/// several.
pub fn open(
    arguments: &ExportArguments,
    plan: Option<&Plan>,
    part: Option<usize>,
) -> Result<Opened> {
    if part.is_some() && arguments.wants(Format::Otf2) {
        bail!(
            "--split is for --format perfetto and chrome; for an OTF2 archive of a part use --from and --to"
        );
    }
    if part.is_some() && arguments.format.iter().any(|format| format.is_of_samples()) {
        bail!(
            "--split is for --format perfetto and chrome; for samples of a part use --from and --to"
        );
    }
    let (mut drafts, mut sizes) = (Vec::new(), Sizes::new());
    // Formats are made one after the other, except for a part of the run's time: that is interpreted by the calling thread,
    // while of a whole run others do so. Then it writes, if there are no more than two of them: to join windows takes it
    // little time, and to copy bytes to a further thread costs more than is gained. To compress takes longer.
    let helpers = arguments.jobs.count().get() - 1;
    let needs_others = arguments.is_in_windows() || arguments.gzip;
    let writing = if needs_others { helpers } else { helpers.saturating_sub(1) };
    let mut writers = open_files(arguments, plan, part, writing, &mut drafts, &mut sizes)?;
    add_otf2(&mut writers, arguments, helpers, &mut drafts)?;
    add_samples(&mut writers, arguments, &mut drafts)?;
    Ok((writers, drafts, sizes))
}

/// A writer that others may ask how much went to it.
#[derive(Debug)]
pub struct Counted<W> {
    writer: W,
    bytes: Arc<AtomicU64>,
}

impl Counted<std::io::Sink> {
    /// What goes to it is counted and goes nowhere.
    pub fn of_nothing() -> (Self, Arc<AtomicU64>) {
        let bytes = Arc::default();
        (Counted { writer: std::io::sink(), bytes: Arc::clone(&bytes) }, bytes)
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.bytes.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

/// Where a file may not grow (`ulimit -f`) a write fails, instead of a signal that ends us with half
/// a trace left behind.
fn limits_are_errors() {
    let seen = Arc::default();
    // Where it cannot be caught, all is as it was.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
}

fn open_files(
    arguments: &ExportArguments,
    plan: Option<&Plan>,
    part: Option<usize>,
    mut helpers: usize,
    drafts: &mut Vec<Draft>,
    sizes: &mut Sizes,
) -> Result<Writers> {
    let view = arguments.view.map_or(View::Auto, View::from);
    let workers = arguments.compress.then(|| deflated::workers(arguments.jobs.count().get() - 1));
    let mut file = |format, resolution| -> Result<Written> {
        let extension = match (format, arguments.gzip) {
            (Format::Chrome, false) => "json",
            (Format::Chrome, true) => "json.gz",
            (_, false) => "pftrace",
            (_, true) => "pftrace.gz",
        };
        let output = arguments.output.as_deref();
        let name = (arguments.stem("trace"), extension);
        let (output_path, file) = OutputPath::open(&arguments.run, output, part, name)?;
        drafts.push(Draft { output_path, format, resolution });
        let preallocated = PreallocatedFile::new(file);
        let writer = match &workers {
            Some(workers) => File::Deflated(Deflated::new(preallocated, workers)),
            None => {
                let packed = Packed::new(preallocated, arguments.gzip);
                let is_helped = helpers > 0;
                helpers = helpers.saturating_sub(1);
                File::Whole(if is_helped { Behind::new(packed) } else { Behind::here(packed) })
            }
        };
        let counted = Counted { writer, bytes: Arc::default() };
        sizes.push(Arc::clone(&counted.bytes));
        Ok(counted)
    };
    let mut writers = Writers::default();
    for format in [Format::Perfetto, Format::Chrome].into_iter().filter(|one| arguments.wants(*one))
    {
        let is_perfetto = format == Format::Perfetto;
        let Some(Plan { resolutions, made_of, limit, cores }) = plan else {
            let file = file(format, None)?;
            match is_perfetto {
                true => {
                    writers.perfetto = Some(PerfettoSink::new(file, view).exact(arguments.exact))
                }
                false => writers.chrome = Some(ChromeSink::new(file, view).exact(arguments.exact)),
            }
            continue;
        };
        let files = resolutions.iter().map(|one| Ok((*one, file(format, Some(*one))?)));
        let files = files.collect::<Result<Vec<_>>>()?;
        if is_perfetto {
            let overview = PerfettoOverview::new(files, *limit, view, *cores);
            let overview = overview.made_of(*made_of).exact(arguments.exact);
            writers.perfetto_overview = Some(overview);
        } else {
            let overview = ChromeOverview::new(files, *limit, view, *cores);
            let overview = overview.made_of(*made_of).exact(arguments.exact);
            writers.chrome_overview = Some(overview);
        }
    }
    Ok(writers)
}

/// Profiles of samples: small, and written when all of them are known.
fn add_samples(
    writers: &mut Writers,
    arguments: &ExportArguments,
    drafts: &mut Vec<Draft>,
) -> Result<()> {
    let stacks = match arguments.task_stacks {
        TaskStacks::Creation => Stacks::Creation,
        TaskStacks::Execution => Stacks::Execution,
    };
    let mut open = |format: Format, (kind, extension, is_packed): (_, _, bool)| {
        arguments.wants(format).then(|| {
            let name = (arguments.stem("samples"), extension);
            let (output_path, file) =
                OutputPath::open(&arguments.run, arguments.output.as_deref(), None, name)?;
            drafts.push(Draft { output_path, format, resolution: None });
            // A profile is compressed anyway.
            let file = Packed::new(PreallocatedFile::new(file), arguments.gzip && !is_packed);
            anyhow::Ok(SamplesSink::new(file, kind, stacks))
        })
    };
    let extension = if arguments.gzip { "folded.gz" } else { "folded" };
    let folded = open(Format::Folded, (ProfileFormat::Folded, extension, false)).transpose()?;
    let pprof = open(Format::Pprof, (ProfileFormat::Pprof, "pb.gz", true)).transpose()?;
    (writers.folded, writers.pprof) = (folded, pprof);
    Ok(())
}

#[cfg(feature = "otf2")]
fn add_otf2(
    writers: &mut Writers,
    arguments: &ExportArguments,
    encoders: usize,
    drafts: &mut Vec<Draft>,
) -> Result<()> {
    if !arguments.wants(Format::Otf2) {
        return Ok(());
    }
    // The same event on two locations would be counted twice: each view is an archive of its own.
    let view = match arguments.view.map_or(View::Auto, View::from) {
        View::Auto => View::Threads,
        view => view,
    };
    if arguments.output.is_some() && view == View::Both {
        bail!("--output names one archive, but --view both makes two");
    }
    let mut folder = |wanted: bool, stem: &str| {
        wanted.then(|| {
            let output = arguments.output.as_deref();
            let stem = arguments.stem(stem);
            let output_path = OutputPath::folder(&arguments.run, output, stem, "traces.otf2")?;
            let draft = output_path.to_make();
            drafts.push(Draft { output_path, format: Format::Otf2, resolution: None });
            anyhow::Ok(draft)
        })
    };
    let threads = folder(view.has_threads(), "trace-otf2").transpose()?;
    let regions = folder(view.has_logical_threads(), "trace-otf2-regions").transpose()?;
    // OTF2's library has no other way to make all its files and folders for the owner alone, as our traces are.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let sink = Otf2Sink::new(threads.as_deref(), regions.as_deref());
    let of_otf2 = || names_of(drafts.iter().filter(|draft| draft.format == Format::Otf2));
    let sink = sink.map_err(|error| anyhow::anyhow!("{}: {error}", of_otf2()))?;
    writers.otf2 = Some(sink.with_encoders(encoders));
    Ok(())
}

#[cfg(not(feature = "otf2"))]
fn add_otf2(
    _: &mut Writers,
    arguments: &ExportArguments,
    _: usize,
    _: &mut Vec<Draft>,
) -> Result<()> {
    if arguments.wants(Format::Otf2) {
        bail!("{}", Format::Otf2.not_built_in().unwrap_or_default());
    }
    Ok(())
}
