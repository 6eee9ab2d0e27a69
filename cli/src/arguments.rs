//! The command line: what can be asked for, and how it is explained.

#[path = "arguments/compare.rs"]
mod compare;
#[path = "arguments/doctor.rs"]
mod doctor;
#[path = "arguments/inspect.rs"]
mod inspect;
#[path = "arguments/merge.rs"]
mod merge;
#[path = "arguments/run.rs"]
mod run;
#[path = "arguments/view.rs"]
mod view;

pub use compare::{CompareArguments, ScaleArguments};
pub use doctor::{AskToolArguments, DoctorArguments, UseRuntimeArguments};
pub use inspect::{InspectArguments, OmpdArguments};
pub use merge::{MergeArguments, PackArguments};
pub use run::RunArguments;
pub use view::ViewArguments;

use crate::detail::{self, Detail};
use crate::{jobs::Jobs, units};
use clap::{Args, Parser, Subcommand, ValueEnum};
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
    /// Say what became faster or slower from one run to another, or from several to several
    Compare(CompareArguments),
    /// Run a program with ever more threads, and say what stops scaling
    Scale(ScaleArguments),
    /// Say what a program that runs or hangs is in: threads, regions, tasks, locks, and who keeps whom waiting
    Inspect(InspectArguments),
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
    /// Ask an OMPD library about a process or core file
    #[command(hide = true)]
    AskOmpd(OmpdArguments),
    /// Use an OpenMP runtime for a moment
    #[command(hide = true)]
    UseRuntime(UseRuntimeArguments),
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ompttrace export lulesh.4711.ompttrace --format perfetto,otf2
  ompttrace export lulesh.4711.ompttrace --from 2.0s --to 2.5s --output moment.pftrace
  ompttrace export lulesh.4711.ompttrace --detail all --split 500MB
  ompttrace export lulesh.4711.ompttrace --format parquet --intervals")]
pub struct ExportArguments {
    /// The run folder (name.pid.ompttrace)
    pub run: PathBuf,
    /// Formats of the trace, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "perfetto")]
    pub format: Vec<Format>,
    /// What the trace shows: OS threads, logical threads of each region, or both; auto: OS threads, and those logical
    /// threads that are not always on the same one. For OTF2 auto is threads, and both are two archives [default: auto]
    #[arg(long, value_enum)]
    pub view: Option<View>,
    /// File of the trace, for OTF2 and Parquet its folder, for one format [default: trace.pftrace, trace.json,
    /// trace-otf2, trace-parquet, samples.folded or samples.pb.gz in the run folder]; an existing one is kept
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// For Parquet: a row for each interval of a thread as well, not only their sums; much larger
    #[arg(long)]
    pub intervals: bool,
    /// For Parquet: how long the bins are in which sums are made (for runs of more than ten thousand bins ten times as
    /// long, or more) [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = units::bin)]
    pub bin: Option<u64>,
    /// For folded and pprof: where samples of tasks stand in call stacks
    #[arg(long, value_enum, default_value = "creation")]
    pub task_stacks: TaskStacks,
    /// Draw also what goes on for less than a microsecond between two suspensions of a task or a
    /// wait, and one by one what threads do for less than 50 us; larger
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
    /// Size that a trace for Perfetto or Chrome may have before compression: what is larger becomes an overview, in
    /// which short slices are added up, as few as it takes; none [default: 80MB]
    #[arg(long, value_name = "SIZE", value_parser = detail::parse_limit)]
    pub limit: Option<u64>,
    /// What is drawn as it is: all, however large the trace, what lasts at least a TIME such as 100us, or as much as
    /// --limit allows (auto)
    #[arg(long, value_name = "TIME", default_value = "auto", value_parser = detail::parse)]
    pub detail: Detail,
    /// Take the buffers also where it cannot be known whether the program is over (another machine or
    /// PID namespace): what a living one records later is lost if it is killed
    #[arg(long)]
    pub force: bool,
    /// Compress the trace's file, which viewers open as it is: trace.pftrace.gz, trace.json.gz
    #[arg(long)]
    pub gzip: bool,
    /// Compress what is inside of Perfetto's trace, on several cores; the viewer and its tools open it as it is
    #[arg(long)]
    pub compress: bool,
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
    /// Bytes of records of a window of which one thread makes its part of a trace: smaller ones for tests
    #[arg(long, value_name = "BYTES", hide = true)]
    pub window_size: Option<u64>,
    /// Whether the program still runs, which the names of its traces say then
    #[arg(skip)]
    pub partial: bool,
    /// Whether it is a window to look at, and not the run's trace.
    #[arg(skip)]
    pub to_view: bool,
}

impl ExportArguments {
    /// As without any option.
    pub fn of(run: &Path) -> ExportArguments {
        ExportArguments {
            run: run.to_owned(),
            format: vec![Format::Perfetto],
            view: None,
            output: None,
            intervals: false,
            bin: None,
            task_stacks: TaskStacks::Creation,
            exact: false,
            from: None,
            to: None,
            split: None,
            limit: None,
            detail: Detail::Auto,
            force: false,
            gzip: false,
            compress: false,
            jobs: Jobs::default(),
            json: false,
            quiet: false,
            closing_line: false,
            window_size: None,
            partial: false,
            to_view: false,
        }
    }

    /// What is wrong with the arguments together.
    pub fn contradiction(&self) -> Option<String> {
        if !self.wants(Format::Parquet) && (self.intervals || self.bin.is_some()) {
            return Some("--intervals and --bin are for --format parquet".to_owned());
        }
        if self.task_stacks != TaskStacks::Creation
            && !self.format.iter().any(|format| format.is_of_samples())
        {
            return Some("--task-stacks is for --format folded and pprof".to_owned());
        }
        if self.compress && self.gzip {
            return Some("--compress and --gzip are two ways to the same end: give one".to_owned());
        }
        if self.gzip && (self.wants(Format::Otf2) || self.wants(Format::Parquet)) {
            let words = "--gzip is for formats of one file: OTF2 and Parquet are folders";
            return Some(words.to_owned());
        }
        if self.compress && self.format.iter().any(|format| *format != Format::Perfetto) {
            let words = "--compress is for --format perfetto: other formats have no packets";
            return Some(words.to_owned());
        }
        let (from, to) = (self.from?, self.to?);
        let words = || {
            let [from, to] = [from, to].map(units::in_words);
            format!("--from {from} --to {to}: nothing lies between them")
        };
        (from >= to).then(words)
    }

    /// Whether the trace is to be cut.
    pub fn is_in_windows(&self) -> bool {
        self.from.is_some() || self.to.is_some() || self.split.is_some()
    }

    /// The name of a trace whose name is not given: `trace` or `trace-otf2`, say.
    pub fn stem(&self, stem: &str) -> String {
        let stem = if self.to_view { "window" } else { stem };
        if self.partial { format!("{stem}{PARTIAL}") } else { stem.to_owned() }
    }

    /// The same but for Parquet, where other formats are asked for.
    pub fn without_tables(&self) -> Option<ExportArguments> {
        let format: Vec<_> =
            self.format.iter().copied().filter(|format| *format != Format::Parquet).collect();
        (!format.is_empty()).then(|| ExportArguments { format, ..self.clone() })
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
  ompttrace report lulesh.4711.ompttrace --json | jq .findings
  ompttrace report --explain 'load balance'")]
pub struct ReportArguments {
    /// The run folder (name.pid.ompttrace)
    #[arg(required_unless_present = "explain")]
    pub run: Option<PathBuf>,
    /// Say what a word or figure of reports means, and nothing else: a state, a kind of finding, a member of the JSON; all
    #[arg(long, value_name = "NAME", exclusive = true)]
    pub explain: Option<String>,
    /// Print everything as JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// Write a page with charts into this file, which must not be there; it needs nothing beside it
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Put lines of the source files into the page, around each location; of recordings in a run folder of your own only
    #[arg(long, requires = "html")]
    pub source: bool,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Perfetto's native format, for https://ui.perfetto.dev
    Perfetto,
    /// Chrome's JSON, for chrome://tracing and other viewers; several times larger
    Chrome,
    /// OTF2, for Vampir and the tools of Score-P
    Otf2,
    /// Parquet, for DuckDB, Polars or Spark: no trace but tables of where time went, of one run or of thousands
    Parquet,
    /// Samples as folded call stacks, for flamegraph.pl, inferno and speedscope
    Folded,
    /// Samples as a profile, for pprof
    Pprof,
}

/// Where samples of tasks stand in call stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TaskStacks {
    /// Where the task was created
    #[default]
    Creation,
    /// Where it is executed, in the wait of the thread that runs it
    Execution,
}

impl Format {
    pub const ALL: [Format; 6] = [
        Format::Perfetto,
        Format::Chrome,
        Format::Otf2,
        Format::Parquet,
        Format::Folded,
        Format::Pprof,
    ];

    /// Whether it is of samples alone.
    pub fn is_of_samples(self) -> bool {
        matches!(self, Format::Folded | Format::Pprof)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    Auto,
    Threads,
    Regions,
    Both,
}

impl From<View> for ompttrace_model::View {
    fn from(view: View) -> Self {
        match view {
            View::Auto => Self::Auto,
            View::Threads => Self::Threads,
            View::Regions => Self::Regions,
            View::Both => Self::Both,
        }
    }
}
