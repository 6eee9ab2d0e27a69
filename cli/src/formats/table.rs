//! The formats of traces, one row each: name, extension, what a format needs, and how it is opened.

use super::files::Counted;
use super::samples;
use super::writer::{self, Kept, Writer};
use crate::arguments::{ExportArguments, view_of};
use crate::detail::Plan;
use crate::forecast::{BytesByResolution, Probe};
use crate::process::Life;
use anyhow::Result;
use ompttrace_chrome::{ChromeOverview, ChromeSink};
use ompttrace_model::Summary;
use ompttrace_perfetto::{PerfettoOverview, PerfettoSink};
use ompttrace_recording::Recording;
pub use ompttrace_recording::settings::Format;
use ompttrace_samples::ProfileFormat;
use std::path::PathBuf;

/// Properties of one format.
pub struct Row {
    /// Name of a format of folders, in sentences.
    pub title: &'static str,
    /// Name of a trace of a part of a run.
    pub noun: &'static str,
    /// Purpose, for help texts.
    pub help: &'static str,
    /// Name of the trace without an extension.
    pub stem: &'static str,
    /// Extensions of a file: as it is, and compressed.
    pub extensions: [&'static str; 2],
    /// Maximum number of bytes of a trace for each byte of records, so that a trace below the limit by it needs no
    /// overview.
    pub most_per_byte: u64,
    /// True if the format has nothing but samples.
    pub is_of_samples: bool,
    /// True if the format has packets, which can be compressed.
    pub has_packets: bool,
    pub opens: Opens,
}

/// The way in which a format is opened.
#[allow(dead_code, reason = "not every build has folders, tables, or formats that are left out")]
pub enum Opens {
    /// The trace is one file.
    File(fn(Counted, &ExportArguments) -> Box<dyn Writer>),
    /// The trace is one file of tracks, which may be an overview or one of several parts.
    Tracks(Tracks),
    /// The trace is one folder or several.
    Folder(fn(&ExportArguments, Folder<'_>) -> Result<Box<dyn Writer>>),
    /// Tables, in a pass of their own: they have what traces leave out, as reports do.
    Tables(fn(&Recording, &ExportArguments, Life) -> Result<(PathBuf, Summary)>),
    /// Not in this build, for the reason given.
    NotBuiltIn(&'static str),
}

/// Makes a name for a folder that is to be made, by its stem and the file in it that a reader opens.
pub type Folder<'f> = &'f mut dyn FnMut(&str, &'static str) -> Result<PathBuf>;

/// The files of an overview.
pub type FilesByResolution = Vec<(u64, Counted)>;

/// The writers of a format that has tracks.
pub struct Tracks {
    pub whole: fn(Counted, &ExportArguments) -> Box<dyn Writer>,
    /// Opens the writer of an overview with a file for each resolution.
    pub overview: fn(FilesByResolution, &Plan, &ExportArguments) -> Box<dyn Writer>,
    /// Estimates the size of an overview at each resolution, in bytes.
    pub forecast: fn(&Probe<'_>) -> Option<BytesByResolution>,
}

/// The writers of a format of tracks; `$look` gives a sink what the trace shows first, in a format that has it.
macro_rules! tracks {
    ($sink:ident, $overview:ident $(, $look:ident)?) => {
        Opens::Tracks(Tracks {
            whole: |file, arguments| {
                let sink = $sink::new(file, view_of(arguments.view)).exact(arguments.exact);
                $(let sink = sink.$look(arguments.first_look.clone());)?
                writer::of(sink, Some($sink::in_windows), |written| Kept::whole(written.bytes))
            },
            overview: |files, plan, arguments| {
                let sink = $overview::new(files, plan.limit, view_of(arguments.view), plan.cores);
                let sink = sink.made_of(plan.made_of).exact(arguments.exact);
                $(let sink = sink.$look(arguments.first_look.clone());)?
                writer::of(sink, Some($overview::in_windows), Kept::of)
            },
            forecast: |probe| {
                probe.sizes(|limit| {
                    let (view, cores) = (view_of(probe.arguments.view), probe.plan.cores);
                    let sink = $overview::new(probe.nowhere(), limit, view, cores).keep_whole();
                    sink.exact(probe.arguments.exact).in_windows()
                })
            },
        })
    };
}

/// A trace of one file of tracks, from which other rows differ.
const TRACE: Row = Row {
    title: "",
    noun: "",
    help: "",
    stem: "trace",
    extensions: ["", ""],
    most_per_byte: 8,
    is_of_samples: false,
    has_packets: false,
    opens: Opens::NotBuiltIn(""),
};

const SAMPLES: Row = Row { noun: "samples", stem: "samples", is_of_samples: true, ..TRACE };

/// The row of a format.
pub const fn row(format: Format) -> Row {
    match format {
        Format::Perfetto => Row {
            help: "Perfetto's native format, for https://ui.perfetto.dev",
            extensions: ["pftrace", "pftrace.gz"],
            has_packets: true,
            opens: tracks!(PerfettoSink, PerfettoOverview, with_first_look),
            ..TRACE
        },
        Format::Chrome => Row {
            help: "Chrome's JSON, for chrome://tracing and other viewers; several times as large",
            extensions: ["json", "json.gz"],
            most_per_byte: 40,
            opens: tracks!(ChromeSink, ChromeOverview),
            ..TRACE
        },
        Format::Otf2 => Row {
            title: "OTF2",
            noun: "an OTF2 archive",
            help: "OTF2, for Vampir and the tools of Score-P",
            stem: "trace-otf2",
            #[cfg(feature = "otf2")]
            opens: Opens::Folder(super::otf2::open),
            #[cfg(not(feature = "otf2"))]
            opens: Opens::NotBuiltIn(
                "--format otf2: this ompttrace was built without OTF2 (feature `otf2`)",
            ),
            ..TRACE
        },
        Format::Parquet => Row {
            title: "Parquet",
            help: "Parquet, for DuckDB, Polars or Spark: not a trace but tables of where time went, in one run or \
                   thousands",
            stem: "trace-parquet",
            #[cfg(feature = "parquet")]
            opens: Opens::Tables(crate::tables::write),
            #[cfg(not(feature = "parquet"))]
            opens: Opens::NotBuiltIn(
                "--format parquet: this ompttrace was built without tables (feature `parquet`, which `cargo xtask \
                 build` has)",
            ),
            ..TRACE
        },
        Format::Folded => Row {
            help: "Samples as folded call stacks, for flamegraph.pl, inferno and speedscope",
            extensions: ["folded", "folded.gz"],
            opens: Opens::File(|file, arguments| samples(file, ProfileFormat::Folded, arguments)),
            ..SAMPLES
        },
        // A profile is compressed anyway.
        Format::Pprof => Row {
            help: "Samples as a profile, for pprof",
            extensions: ["pb.gz", "pb.gz"],
            opens: Opens::File(|file, arguments| samples(file, ProfileFormat::Pprof, arguments)),
            ..SAMPLES
        },
    }
}

impl Row {
    /// True if the trace is a folder.
    pub fn is_folder(&self) -> bool {
        matches!(self.opens, Opens::Folder(_) | Opens::Tables(_))
    }

    /// The functions for tracks, if the format has tracks.
    pub fn tracks(&self) -> Option<&Tracks> {
        if let Opens::Tracks(tracks) = &self.opens { Some(tracks) } else { None }
    }

    /// The reason why the format cannot be written, if it is not in this build.
    pub fn not_built_in(&self) -> Option<&'static str> {
        if let Opens::NotBuiltIn(why) = self.opens { Some(why) } else { None }
    }
}

/// The formats of which `is` holds, in words.
pub fn names(is: impl Fn(&Row) -> bool) -> String {
    let names = Format::ALL.iter().filter(|format| is(&row(**format))).map(|format| format.name());
    names.collect::<Vec<_>>().join(" and ")
}
