//! `ompttrace report`: where the time of a run went.

use crate::arguments::ReportArguments;
use crate::progress::Progress;
use crate::recover::recover;
use crate::say;
use anyhow::{Result, anyhow};
use ompttrace_report::{Report, ReportSink, text};

pub fn run(arguments: &ReportArguments) -> Result<()> {
    let report = make(arguments)?;
    if arguments.json {
        return say::out(&serde_json::to_string_pretty(&report)?);
    }
    say::coloured(&text::render(&report, arguments.top))
}

fn make(arguments: &ReportArguments) -> Result<Report> {
    let recovery = recover(&arguments.run);
    let recording = ompttrace_packed::open(&arguments.run)?;
    let mut progress = Progress::new(arguments.quiet || arguments.json);
    let outcome = ompttrace_timeline::run_watched(&recording, ReportSink::new(), |done, all| {
        progress.show(done, all);
    });
    recording.check()?;
    let (report, _) = outcome.map_err(|error| anyhow!("{error}"))?;
    if let Some(recovery) = recovery {
        say::aside(&recovery.text());
    }
    Ok(report)
}
