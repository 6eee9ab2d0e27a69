//! The command line: what can be asked for, and how it is explained.

#[path = "arguments/run.rs"]
mod run;

pub use run::RunArguments;

use crate::jobs::Jobs;
use crate::units;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What the names of traces say that were made while their program ran.
pub const PARTIAL: &str = "-partial";

/// The viewer's page that serves everybody, and the one port at which it may ask.
pub const USUAL_PAGE: &str = "https://ui.perfetto.dev";
pub const USUAL_PORT: u16 = 9001;

/// Traces of OpenMP programs: record, export, look into recordings
#[derive(Debug, Parser)]
#[command(
    name = "ompttrace",
    version,
    max_term_width = 100,
    after_help = "\
The exit status is 0 when all went well, 1 when something failed (one line on stderr names the file and
the reason), 2 for wrong usage. `ompttrace run` has its program's: `ompttrace run --help`.

Examples:
  ompttrace run -- ./lulesh -s 30            record a program and make its trace
  ompttrace view lulesh.4711.ompttrace       show it in the browser
  ompttrace report lulesh.4711.ompttrace     say in words where the time went
  ompttrace doctor ./lulesh                  say why there is no trace"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program, record it and make its trace
    Run(RunArguments),
    /// Make a trace of a recording, also of one whose program was killed
    Export(ExportArguments),
    /// Say what a recording holds: runtime, threads, events, losses
    Info(InfoArguments),
    /// Say where the time of a run went, what it was lost to, and which place is to blame
    Report(ReportArguments),
    /// Show a trace: serve it to the viewer in the browser, or say what to open in Vampir
    View(ViewArguments),
    /// Make one Perfetto trace of several processes, as the ranks of an MPI program
    Merge(MergeArguments),
    /// Make a recording small: its events become one compressed file that all commands read
    Pack(PackArguments),
    /// Try what tracing needs on this machine, and say what to do where something is missing
    Doctor(DoctorArguments),
    /// Ask the library whether it accepts the settings in the environment
    #[command(hide = true)]
    AskTool(AskToolArguments),
    /// Use an OpenMP runtime for a moment
    #[command(hide = true)]
    UseRuntime(UseRuntimeArguments),
}

#[derive(Args, Debug)]
#[command(after_help = "\
The exit status is 0 when tracing works, 1 when something is missing.

Examples:
  ompttrace doctor
  ompttrace doctor ./lulesh")]
pub struct DoctorArguments {
    /// A program that is to be traced
    pub program: Option<OsString>,
}

#[derive(Args, Debug)]
pub struct UseRuntimeArguments {
    pub library: PathBuf,
}

#[derive(Args, Debug)]
pub struct AskToolArguments {
    pub library: PathBuf,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ompttrace export lulesh.4711.ompttrace --format perfetto,otf2
  ompttrace export lulesh.4711.ompttrace --from 2.0s --to 2.5s --output moment.pftrace
  ompttrace export lulesh.4711.ompttrace --split 500MB")]
pub struct ExportArguments {
    /// The run folder (name.pid.ompttrace)
    pub run: PathBuf,
    /// Formats of the trace, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "perfetto")]
    pub format: Vec<Format>,
    /// What the trace shows: OS threads, logical threads of each region, or both; for OTF2 both
    /// are two archives [default: both, for OTF2 threads]
    #[arg(long, value_enum)]
    pub view: Option<View>,
    /// File of the trace, for OTF2 its folder, for one format [default: trace.pftrace, trace.json or
    /// trace-otf2 in the run folder]; an existing one is kept
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// Tell also what goes on for less than a microsecond between two suspensions of a task or a
    /// wait; larger
    #[arg(long)]
    pub exact: bool,
    /// Show only what happens from here on, in time since the process began: 2.5s, 300ms, 10us
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub from: Option<u64>,
    /// Show only what happens up to here
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub to: Option<u64>,
    /// Make several files of about this size, one for each part of the run's time: 500MB
    #[arg(long, value_name = "SIZE", value_parser = units::part)]
    pub split: Option<u64>,
    /// Take the buffers also where it cannot be known whether the program is over (another machine or
    /// PID namespace): what a living one records later is lost if it is killed
    #[arg(long)]
    pub force: bool,
    /// Compress what is compressed within its format: Chrome's JSON becomes trace.json.gz
    #[arg(long)]
    pub gzip: bool,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Print what was written as JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
    /// Print the one line with which a traced program ends, on stderr
    #[arg(long, hide = true)]
    pub closing_line: bool,
    /// Whether the program still runs, which the names of its traces say then
    #[arg(skip)]
    pub partial: bool,
}

impl ExportArguments {
    /// As without any option.
    pub fn of(run: &Path) -> ExportArguments {
        ExportArguments {
            run: run.to_owned(),
            format: vec![Format::Perfetto],
            view: None,
            output: None,
            exact: false,
            from: None,
            to: None,
            split: None,
            force: false,
            gzip: false,
            jobs: Jobs::default(),
            json: false,
            quiet: false,
            closing_line: false,
            partial: false,
        }
    }

    /// What is wrong with the arguments together.
    pub fn contradiction(&self) -> Option<String> {
        let (from, to) = (self.from?, self.to?);
        let words = || {
            let [from, to] = [from, to].map(units::in_words);
            format!("--from {from} --to {to}: nothing lies between them")
        };
        (from >= to).then(words)
    }

    /// Whether the trace is to be cut.
    pub fn is_in_pieces(&self) -> bool {
        self.from.is_some() || self.to.is_some() || self.split.is_some()
    }

    /// The name of a trace whose name is not given: `trace` or `trace-otf2`, say.
    pub fn stem(&self, stem: &str) -> String {
        if self.partial { format!("{stem}{PARTIAL}") } else { stem.to_owned() }
    }

    /// Whether a format is asked for.
    pub fn wants(&self, format: Format) -> bool {
        self.format.contains(&format)
    }
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ompttrace info lulesh.4711.ompttrace
  ompttrace info lulesh.4711.ompttrace --json")]
pub struct InfoArguments {
    /// The run folder (name.pid.ompttrace)
    pub run: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Print the one line with which a program ends that was only recorded, on stderr
    #[arg(long, hide = true)]
    pub closing_line: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
The words are printed also where --html writes a page. Build the program with -g and places have lines.

Examples:
  ompttrace report lulesh.4711.ompttrace --top 20
  ompttrace report lulesh.4711.ompttrace --html lulesh.html
  ompttrace report lulesh.4711.ompttrace --json | jq .findings")]
pub struct ReportArguments {
    /// The run folder (name.pid.ompttrace)
    pub run: PathBuf,
    /// Print everything as JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// Write a page with charts into this file, which must not be there; it needs nothing beside it
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Lines of each table at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Cores that are there for the program alone [default: those that it may use]: all but one idle before its first team
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub cores: Option<u32>,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Ends by itself when the page has fetched the trace. Nothing is uploaded: the page comes from
ui.perfetto.dev, the trace goes from here into your browser.

Examples:
  ompttrace view lulesh.4711.ompttrace --open
  ompttrace view lulesh.4711.ompttrace --vampir")]
pub struct ViewArguments {
    /// The run folder (its newest trace is shown, or made now), or a trace
    pub run: PathBuf,
    /// Start the browser, with --vampir Vampir
    #[arg(long)]
    pub open: bool,
    /// Say what to open in Vampir; the OTF2 archive is made if there is none
    #[arg(long)]
    pub vampir: bool,
    /// The port on 127.0.0.1; the page at ui.perfetto.dev may ask at 9001 only
    #[arg(long, default_value_t = USUAL_PORT)]
    pub port: u16,
    /// The viewer's page, where it is your own
    #[arg(long, value_name = "URL", default_value = USUAL_PAGE)]
    pub ui: String,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Processes of one machine keep their common clock; machines meet by the time of day.

Example:
  mpirun -n 4 ompttrace run --format recording --output heat.%r -- ./heat
  ompttrace merge heat.? --output heat.pftrace
  ompttrace view heat.pftrace --open")]
pub struct MergeArguments {
    /// The run folders, one for each process
    #[arg(required = true)]
    pub runs: Vec<PathBuf>,
    /// File of the trace [default: merged.pftrace, here]; an existing one is kept
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What the trace shows: OS threads, logical threads of each region, or both [default: both]
    #[arg(long, value_enum)]
    pub view: Option<View>,
    /// Tell also what goes on for less than a microsecond between two suspensions; larger
    #[arg(long)]
    pub exact: bool,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Print what was written as JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ompttrace pack lulesh.4711.ompttrace
  ompttrace pack lulesh.4711.ompttrace --level 19 --keep")]
pub struct PackArguments {
    /// The run folder (name.pid.ompttrace); its program must be over
    pub run: PathBuf,
    /// How hard to compress, 1 (fast) to 22
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(i32).range(1..=22))]
    pub level: i32,
    /// Keep the files that the packed one takes the place of
    #[arg(long)]
    pub keep: bool,
    /// Pack it also where it cannot be known whether its program is over (another machine or PID
    /// namespace): what a living one records later is lost
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Print what was written as JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Perfetto's native format, for https://ui.perfetto.dev
    Perfetto,
    /// Chrome's JSON, for chrome://tracing and other viewers; several times larger
    Chrome,
    /// OTF2, for Vampir and the tools of Score-P
    Otf2,
}

impl Format {
    pub const ALL: [Format; 3] = [Format::Perfetto, Format::Chrome, Format::Otf2];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    Threads,
    Regions,
    Both,
}

impl From<View> for ompttrace_model::View {
    fn from(view: View) -> Self {
        match view {
            View::Threads => Self::Threads,
            View::Regions => Self::Regions,
            View::Both => Self::Both,
        }
    }
}
