//! The options of `ompttrace view`.

use super::USUAL_PAGE;
use crate::units;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "\
Exits when the page has fetched the trace. Nothing is uploaded: the page comes from ui.perfetto.dev,
the trace goes from this machine to your browser. Where port 9001 is taken, the link leads to a page
of ours, whose button opens the viewer and hands the trace over.

Examples:
  ompttrace view lulesh.4711.ompttrace --open
  ompttrace view lulesh.4711.ompttrace --from 2.0s --to 2.1s
  ompttrace view heat.4711.ompttrace --region heat.c:104 --instance 3
  ompttrace view lulesh.4711.ompttrace --vampir")]
pub struct ViewArguments {
    /// The run folder or the folder of an MPI job (its newest trace is shown, or one is made), or a trace
    pub run: PathBuf,
    /// Make and show a trace of a time window that begins here, since the process began: 2.5s, 300ms, 10us
    #[arg(long, value_name = "TIME", value_parser = units::time, conflicts_with = "vampir")]
    pub from: Option<u64>,
    /// End of the time window
    #[arg(long, value_name = "TIME", value_parser = units::time, conflicts_with = "vampir")]
    pub to: Option<u64>,
    /// Make and show a trace of the parallel region at this location
    #[arg(long, value_name = "FILE:LINE", conflicts_with_all = ["vampir", "from", "to"])]
    pub region: Option<String>,
    /// Which execution of the region
    #[arg(
        long, value_name = "N", default_value_t = 1, requires = "region",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub instance: u64,
    /// Start the browser, with --vampir Vampir
    #[arg(long)]
    pub open: bool,
    /// Say what to open in Vampir; the OTF2 archive is made if there is none
    #[arg(long)]
    pub vampir: bool,
    /// The port on 127.0.0.1: at 9001 the page at ui.perfetto.dev fetches the trace by itself, at others a page of ours hands
    /// it over [default: 9001, or any that is free]
    #[arg(long)]
    pub port: Option<u16>,
    /// The viewer's page, if you host your own
    #[arg(long, value_name = "URL", default_value = USUAL_PAGE)]
    pub ui: String,
}
