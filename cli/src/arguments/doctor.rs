//! The options of `ompttrace doctor`, and of the hidden commands that it runs.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
The exit status is 0 when tracing works, 1 when something is missing.

Examples:
  ompttrace doctor
  ompttrace doctor ./lulesh
  ompttrace doctor --probe --json > probe.json")]
pub struct DoctorArguments {
    /// A program that is to be traced
    pub program: Option<OsString>,
    /// Show for each runtime which callbacks were requested, promised and received, and try each MPI with two ranks; for bug reports
    #[arg(long)]
    pub probe: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct UseRuntimeArguments {
    pub library: PathBuf,
    /// One construct after the other, not a region alone
    #[arg(long)]
    pub all: bool,
}

#[derive(Args, Debug)]
pub struct UseMpiArguments {
    pub library: PathBuf,
}

#[derive(Args, Debug)]
pub struct AskToolArguments {
    pub library: PathBuf,
}
