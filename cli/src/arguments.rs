//! The command line: what can be asked for, and how it is explained.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Traces of OpenMP programs: export recordings, look into them.
///
/// A program is recorded by the library: OMP_TOOL_LIBRARIES=libompttrace.so ./program
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a trace of a recording, also of one whose program was killed
    Export(ExportArguments),
    /// Say what a recording holds: runtime, threads, events, losses
    Info(InfoArguments),
}

#[derive(Args, Debug)]
pub struct ExportArguments {
    /// The run folder (name.pid.ompttrace)
    pub run: PathBuf,
    /// Formats of the trace, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "perfetto")]
    pub format: Vec<Format>,
    /// What the trace shows: OS threads, logical threads of each region, or both
    #[arg(long, value_enum, default_value = "both")]
    pub view: View,
    /// File of the trace, for one format [default: trace.pftrace or trace.json in the run folder];
    /// an existing file is kept
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// Compress what is compressed within its format: Chrome's JSON becomes trace.json.gz
    #[arg(long)]
    pub gzip: bool,
    /// Print what was written as JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// Print nothing unless something is wrong
    #[arg(long)]
    pub quiet: bool,
    /// Print the one line with which a traced program ends, on stderr
    #[arg(long, hide = true)]
    pub closing_line: bool,
}

#[derive(Args, Debug)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Perfetto's native format, for https://ui.perfetto.dev
    Perfetto,
    /// Chrome's JSON, for chrome://tracing and other viewers; several times larger
    Chrome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    Threads,
    Regions,
    Both,
}

impl From<View> for ompttrace_timeline::View {
    fn from(view: View) -> Self {
        match view {
            View::Threads => Self::Threads,
            View::Regions => Self::Regions,
            View::Both => Self::Both,
        }
    }
}
