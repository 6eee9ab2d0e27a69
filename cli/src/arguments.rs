//! The command line: what can be asked for, and how it is explained.

mod compare;
mod control;
mod doctor;
mod inspect;
mod merge;
mod report;
pub mod run;
mod view;
mod window;

pub use compare::{CompareArguments, ScaleArguments};
pub use control::{ControlArguments, ControlCommand, RecordArguments, SnapshotArguments};
pub use doctor::{AskToolArguments, DoctorArguments, UseMpiArguments, UseRuntimeArguments};
pub use inspect::{InspectArguments, OmpdArguments};
pub use merge::{Anonymise, MergeArguments, PackArguments};
pub use report::ReportArguments;
pub use run::RunArguments;
pub use view::ViewArguments;
pub use window::{Part, WindowArguments};

use crate::detail::{self, Detail};
use crate::formats::table::{self, Row, row};
use crate::{jobs::Jobs, units};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use ompttrace_recording::settings::{Format, View};
use ompttrace_tracks::FirstLook;
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Part of the names of traces that were made while their program ran.
pub const PARTIAL: &str = "-partial";

/// The viewer's page that serves everybody, and the one port at which it may ask.
pub const USUAL_PAGE: &str = "https://ui.perfetto.dev";
pub const USUAL_PORT: u16 = 9001;

/// Record OpenMP programs, make traces and reports of the recordings
#[derive(Debug, Parser)]
#[command(
    name = "ompttrace",
    version,
    max_term_width = 100,
    after_help = "\
The exit status is 0 on success, 1 on failure (one line on stderr names the file and the reason), 2 for wrong usage.
`ompttrace run` returns its program's status: `ompttrace run --help`.

Examples:
  ompttrace run -- ./lulesh -s 30            record a program and make its trace
  ompttrace view lulesh.4711.ompttrace       show it in the browser
  ompttrace report lulesh.4711.ompttrace     show where the time went
  ompttrace report -- ./lulesh -s 30         both in one: record a program without a trace and report on it
  ompttrace doctor ./lulesh                  find out why there is no trace"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program, record it and make its trace
    Run(RunArguments),
    /// Make a trace of a recording, even if its program was killed
    Export(ExportArguments),
    /// Describe a recording: runtime, threads, events, losses
    Info(InfoArguments),
    /// Show where the time of a run went, what it was lost to, and which source line caused it
    Report(ReportArguments),
    /// Compare two runs, or two groups of runs: what became faster or slower
    Compare(CompareArguments),
    /// Run a program with increasing numbers of threads, and show what stops scaling
    Scale(ScaleArguments),
    /// Show the state of a program that runs or hangs: threads, regions, tasks, locks, and which thread waits for which
    Inspect(InspectArguments),
    /// Start, pause, flush or end the recording of a program that runs
    Control(ControlArguments),
    /// Record a program that runs with its recording paused for some time, and make the trace of that time
    Record(RecordArguments),
    /// Copy what the rings of a program that runs hold into a recording of its own
    Snapshot(SnapshotArguments),
    /// Show a trace in the browser, or say what to open in Vampir
    View(ViewArguments),
    /// Make one Perfetto trace of several processes, such as the ranks of an MPI program
    Merge(MergeArguments),
    /// Compress a recording: its events become one file that all commands read
    Pack(PackArguments),
    /// Check everything that tracing needs on this machine, and say how to fix what is missing
    Doctor(DoctorArguments),
    /// Ask the library whether it accepts the settings in the environment
    #[command(hide = true)]
    AskTool(AskToolArguments),
    /// Ask an OMPD library about a process or core file
    #[command(hide = true)]
    AskOmpd(OmpdArguments),
    /// Use an OpenMP runtime briefly
    #[command(hide = true)]
    UseRuntime(UseRuntimeArguments),
    /// Use an MPI briefly, as one of its ranks
    #[command(hide = true)]
    UseMpi(UseMpiArguments),
}

impl Command {
    /// The contradiction between the bounds of the window that is to be reported, if there is one.
    pub fn empty_window(&self) -> Option<String> {
        match self {
            Command::Report(report) => report.window.contradiction(),
            Command::Compare(compare) => compare.window.contradiction(),
            _ => None,
        }
    }
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  ompttrace export lulesh.4711.ompttrace --format perfetto,otf2
  ompttrace export lulesh.4711.ompttrace --from 2.0s --to 2.5s --output window.pftrace
  ompttrace export lulesh.4711.ompttrace --detail all --split 500MB
  ompttrace export lulesh.4711.ompttrace --format parquet --intervals")]
pub struct ExportArguments {
    /// The run folder (name.pid.ompttrace), or the folder of an MPI job (name.job.ompttrace)
    pub run: PathBuf,
    /// Formats of the trace, separated by commas
    #[arg(long, value_parser = one_of(format_names(), Format::named), value_delimiter = ',', default_value = "perfetto")]
    pub format: Vec<Format>,
    /// What the trace shows: OS threads, logical threads of each region, or both; auto: OS threads, and the logical
    /// threads that are not always on the same OS thread. For OTF2 auto means threads, and both makes two archives
    /// [default: auto]
    #[arg(long, value_parser = one_of(View::NAMES, View::named))]
    pub view: Option<View>,
    /// File of the trace (folder for OTF2 and Parquet), for a single format; an existing one is not overwritten [default:
    /// trace.pftrace, trace.json, trace-otf2, trace-parquet, samples.folded or samples.pb.gz in the run folder]
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// For Parquet: also write each interval of a thread, not only sums; much larger
    #[arg(long)]
    pub intervals: bool,
    /// For Parquet: length of the bins of the sums; runs of more than ten thousand bins get bins ten times as long, or
    /// more [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = units::bin)]
    pub bin: Option<u64>,
    /// For folded and pprof: where samples of tasks appear in call stacks
    #[arg(long, value_enum, default_value = "creation")]
    pub task_stacks: TaskStacks,
    /// Also draw what runs for less than two microseconds between two suspensions of a task or wait, and
    /// each state that lasts less than 50 us; larger
    #[arg(long)]
    pub exact: bool,
    /// Begin of the time window, since the process began: 2.5s, 300ms, 10us
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub from: Option<u64>,
    /// End of the time window
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    pub to: Option<u64>,
    /// Write several files of about this size, each for a part of the run's time: 500MB
    #[arg(long, value_name = "SIZE", value_parser = units::part)]
    pub split: Option<u64>,
    /// Maximum size of a trace for Perfetto or Chrome before compression: a larger one becomes an overview, in which as
    /// few short slices as necessary are merged; none [default: 80MB]
    #[arg(long, value_name = "SIZE", value_parser = detail::parse_limit)]
    pub limit: Option<u64>,
    /// Which slices are drawn unmerged: all, those that last at least a TIME such as 100us, or as many as --limit allows
    /// (auto)
    #[arg(long, value_name = "TIME", default_value = "auto", value_parser = detail::parse)]
    pub detail: Detail,
    /// Take the buffers even if it is unknown whether the program has ended (another machine or PID
    /// namespace): if it still runs and is killed, its later records are lost
    #[arg(long)]
    pub force: bool,
    /// Compress the trace's file; viewers open it as it is: trace.pftrace.gz, trace.json.gz
    #[arg(long)]
    pub gzip: bool,
    /// Compress the packets inside a Perfetto trace, on several cores; the viewer and its tools open it as it is
    #[arg(long)]
    pub compress: bool,
    /// For Perfetto: leave out the tracks with findings, critical path and regions, for which a report is made first
    #[arg(long)]
    pub no_findings: bool,
    /// For a job: make times later where clocks disagree, until no message is received before it was sent (the controlled
    /// logical clock)
    #[arg(long)]
    pub correct_clocks: bool,
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
    /// Traces that may take so many bytes are announced, with their expected size: fewer for tests
    #[arg(long, value_name = "BYTES", hide = true)]
    pub announced: Option<u64>,
    /// Whether the program still runs, which the names of its traces say then
    #[arg(skip)]
    pub partial: bool,
    /// What the trace shows first.
    #[arg(skip)]
    pub first_look: Option<Arc<FirstLook>>,
    /// Whether it is a window to look at, and not the run's trace.
    #[arg(skip)]
    pub to_view: bool,
}

impl ExportArguments {
    /// Arguments of an export of this run without any option.
    pub fn of(run: &Path) -> ExportArguments {
        let command = ExportArguments::augment_args(clap::Command::new("export"));
        let words = ["export".as_ref(), "--".as_ref(), run.as_os_str()];
        let matches = command.get_matches_from(words);
        ExportArguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// The contradiction between arguments that are each valid, if there is one.
    pub fn contradiction(&self) -> Option<String> {
        if !self.wants(Format::Parquet) && (self.intervals || self.bin.is_some()) {
            return Some("--intervals and --bin are for --format parquet".to_owned());
        }
        if self.task_stacks != TaskStacks::Creation && !self.rows().any(|row| row.is_of_samples) {
            let samples = table::names(|row| row.is_of_samples);
            return Some(format!("--task-stacks is for --format {samples}"));
        }
        if self.compress && self.gzip {
            return Some("--compress and --gzip cannot be combined: give one".to_owned());
        }
        if self.gzip && self.rows().any(|row| row.is_folder()) {
            let rows = Format::ALL.iter().map(|format| row(*format)).filter(Row::is_folder);
            let folders = rows.map(|row| row.title).collect::<Vec<_>>().join(" and ");
            return Some(format!("--gzip is for formats of one file: {folders} are folders"));
        }
        if self.compress && self.rows().any(|row| !row.has_packets) {
            let packets = table::names(|row| row.has_packets);
            return Some(format!(
                "--compress is for --format {packets}: other formats have no packets"
            ));
        }
        units::empty_window(self.from?, self.to?)
    }

    /// True if the trace is a part of the run's time.
    pub fn is_window(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// The name of a trace whose name is not given: `trace` or `trace-otf2`, say.
    pub fn stem(&self, stem: &str) -> String {
        let stem = if self.to_view { "window" } else { stem };
        if self.partial { format!("{stem}{PARTIAL}") } else { stem.to_owned() }
    }

    /// The formats that are asked for, each once.
    pub fn formats(&self) -> impl Iterator<Item = Format> {
        Format::ALL.iter().copied().filter(|format| self.wants(*format))
    }

    /// The table rows of these formats.
    fn rows(&self) -> impl Iterator<Item = Row> {
        self.formats().map(row)
    }

    /// Number of threads that may work in addition to the calling one.
    pub fn helpers(&self) -> usize {
        self.jobs.count().get() - 1
    }

    /// True if a format is requested.
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
    /// The run folder (name.pid.ompttrace), or the folder of an MPI job (name.job.ompttrace)
    pub run: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Print the one line with which a program ends that was only recorded, on stderr
    #[arg(long, hide = true)]
    pub closing_line: bool,
}

/// Where samples of tasks appear in call stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TaskStacks {
    /// Where the task was created
    #[default]
    Creation,
    /// Where it is executed, in the wait of the thread that runs it
    Execution,
}

/// A parser for one of these names.
fn one_of<T: Any + Clone + Send + Sync>(
    names: impl Into<PossibleValuesParser>,
    named: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    names.into().try_map(move |name| named(&name).ok_or("no such name"))
}

/// The names of formats, and what they are for.
fn format_names() -> PossibleValuesParser {
    let value = |format: &Format| PossibleValue::new(format.name()).help(row(*format).help);
    PossibleValuesParser::new(Format::ALL.iter().map(value))
}

/// The tracks that are asked for: those of `auto` unless something else is.
pub fn view_of(view: Option<View>) -> ompttrace_model::View {
    match view.unwrap_or(View::Auto) {
        View::Auto => ompttrace_model::View::Auto,
        View::Threads => ompttrace_model::View::Threads,
        View::Regions => ompttrace_model::View::Regions,
        View::Both => ompttrace_model::View::Both,
    }
}
