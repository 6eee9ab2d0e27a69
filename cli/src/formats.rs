//! The formats that are asked for, each opened at its output path.

mod files;
#[cfg(feature = "otf2")]
pub mod otf2;
pub mod table;
pub mod writer;

pub use files::{Counted, Sizes};

use crate::arguments::{ExportArguments, TaskStacks};
use crate::detail::Plan;
use crate::output_path::OutputPath;
use crate::say;
use anyhow::{Context, Error, Result, anyhow, bail};
use files::Files;
use ompttrace_samples::{ProfileFormat, SamplesSink, Stacks};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use table::{Format, Opens, names, row};
use writer::{Overviews, Writer, Writers};

/// A trace that is being written, with its output path.
pub struct Draft {
    pub output_path: OutputPath,
    format: Format,
    /// Resolution of the trace, if it is one of several of which one will be kept.
    resolution: Option<u64>,
}

impl Draft {
    /// The output path, if the trace is to be kept.
    pub fn kept(self, overviews: &Overviews) -> Option<OutputPath> {
        let Some(resolution) = self.resolution else { return Some(self.output_path) };
        let kept = overviews.of(self.format);
        kept.is_some_and(|kept| kept.resolution == resolution).then_some(self.output_path)
    }
}

/// Names of the traces to be; drafts of one trace are one.
pub fn names_of<'d>(drafts: impl Iterator<Item = &'d Draft>) -> String {
    let mut names: Vec<_> = drafts.map(|draft| say::shown(&draft.output_path.name())).collect();
    names.dedup();
    names.join(", ")
}

/// An error with the names of the traces that it is about.
pub fn about<'d>(drafts: impl Iterator<Item = &'d Draft>, error: impl Display) -> Error {
    match &names_of(drafts)[..] {
        "" => anyhow!("{error}"),
        names => anyhow!("{names}: {error}"),
    }
}

/// The writers, their drafts, and the sizes of the files so far.
type Opened = (Writers, Vec<Draft>, Sizes);

/// Returns an error if the formats cannot be combined, or cannot be written as requested.
pub fn check(arguments: &ExportArguments) -> Result<()> {
    limits_are_errors();
    if arguments.output.is_some() && arguments.formats().count() > 1 {
        bail!("--output names one trace, but several formats are requested");
    }
    let tables = |format: &Format| matches!(row(*format).opens, Opens::Tables(_));
    let is_part = arguments.is_window() || arguments.split.is_some();
    if let Some(tables) = arguments.formats().find(tables).filter(|_| is_part) {
        bail!(
            "--from, --to and --split are for traces; {} tables cover the whole run: select a time in the query",
            row(tables).title
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
    let other = arguments.formats().map(row).find(|row| row.tracks().is_none());
    if let Some(other) = other.filter(|_| part.is_some()) {
        let tracks = names(|row| row.tracks().is_some());
        bail!("--split is for --format {tracks}; for {} of a part use --from and --to", other.noun);
    }
    let (mut writers, mut drafts) = (Writers::default(), Vec::new());
    let mut files = Files::new(arguments, part);
    for format in arguments.formats() {
        let writer = match row(format).opens {
            Opens::File(open) => open(files.open(format, None, &mut drafts)?, arguments),
            Opens::Tracks(tracks) => match plan {
                None => (tracks.whole)(files.open(format, None, &mut drafts)?, arguments),
                Some(plan) => {
                    let mut file = |one| Ok((one, files.open(format, Some(one), &mut drafts)?));
                    let files = plan.resolutions.iter().map(|one| file(*one));
                    (tracks.overview)(files.collect::<Result<_>>()?, plan, arguments)
                }
            },
            Opens::Folder(open) => {
                let already = drafts.len();
                let mut folder = |stem: &str, anchor| {
                    let (output, stem) = (arguments.output.as_deref(), arguments.stem(stem));
                    let output_path = OutputPath::folder(&arguments.run, output, stem, anchor)?;
                    let path = output_path.to_make();
                    drafts.push(Draft { output_path, format, resolution: None });
                    Ok(path)
                };
                let writer = open(arguments, &mut folder);
                writer.map_err(|error| about(drafts.iter().skip(already), error))?
            }
            Opens::Tables(_) => continue,
            Opens::NotBuiltIn(why) => bail!("{why}"),
        };
        writers.0.push((format, writer));
    }
    Ok((writers, drafts, files.sizes))
}

/// Opens a writer of a trace that is not kept, in a folder if it needs one; also returns the number of bytes that are
/// written elsewhere.
pub fn open_nowhere(
    arguments: &ExportArguments,
    format: Format,
    folder: Option<&Path>,
) -> Option<(Box<dyn Writer>, Arc<AtomicU64>)> {
    let (nothing, size) = Counted::new(std::io::sink());
    let writer = match row(format).opens {
        Opens::Tracks(tracks) => (tracks.whole)(nothing, arguments),
        Opens::Folder(open) => open(arguments, &mut |stem, _| {
            folder.map(|folder| folder.join(stem)).context("no folder")
        })
        .ok()?,
        _ => return None,
    };
    Some((writer, size))
}

/// A profile of samples.
fn samples(file: Counted, kind: ProfileFormat, arguments: &ExportArguments) -> Box<dyn Writer> {
    let stacks = match arguments.task_stacks {
        TaskStacks::Creation => Stacks::Creation,
        TaskStacks::Execution => Stacks::Execution,
    };
    writer::of(SamplesSink::new(file, kind, stacks), None, |_| None)
}

/// Makes a write fail if a file may not grow (`ulimit -f`), instead of a signal that ends this process with half a
/// trace on the disk.
fn limits_are_errors() {
    let seen = Arc::default();
    // Where it cannot be caught, all is as it was.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
}
