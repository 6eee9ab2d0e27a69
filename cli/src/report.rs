//! `ompttrace report`: where the time of a run went.

use crate::arguments::ReportArguments;
use crate::given;
use crate::place::Place;
use crate::process::Life;
use crate::progress::Progress;
use crate::rebuilt;
use crate::recover::recover;
use crate::say;
use anyhow::{Context, Result, anyhow};
use ompttrace_model::Sink;
use ompttrace_report::{Ending, Report, ReportSink, html, text};
use ompttrace_timeline::Options;
use std::io::Write;
use std::path::Path;

pub fn run(arguments: &ReportArguments) -> Result<()> {
    let report = make(arguments)?;
    if let Some(file) = &arguments.html {
        page(&report, arguments, file)?;
    }
    if arguments.json {
        return say::out(&serde_json::to_string_pretty(&report)?);
    }
    say::coloured(&text::render(&report, arguments.top, say::width()))
}

/// Writes the page and says where it is.
fn page(report: &Report, arguments: &ReportArguments, file: &Path) -> Result<()> {
    let page = html::render(report, arguments.top.max(1))?;
    let (place, mut to) = Place::file(&arguments.run, Some(file), ("report".to_owned(), "html"))?;
    to.write_all(page.as_bytes()).with_context(|| say::shown(file))?;
    let path = place.done()?;
    say::aside(&format!("{}: a page to open in a browser", say::shown(&path)));
    Ok(())
}

fn make(arguments: &ReportArguments) -> Result<Report> {
    let recovery = recover(&arguments.run, false);
    let life = Life::at(&arguments.run);
    let recording = given::open(&arguments.run)?;
    let ending = match life {
        Life::Over => Ending::Over,
        Life::Runs => Ending::Runs,
        Life::Unknown => Ending::Unknown,
    };
    let sink = ReportSink::new().ending(ending).with_cores(arguments.cores);
    let mut progress = Progress::new(arguments.quiet || arguments.json);
    let watch = |done, all| progress.show(done, all);
    let options = Options { min_resume_ns: ReportSink::MIN_RESUME_NS, watch };
    let outcome = ompttrace_timeline::run_with(&recording, sink, options);
    recording.check()?;
    let (report, _) = outcome.map_err(|error| anyhow!("{error}"))?;
    if !arguments.quiet {
        rebuilt::remarks(&recording).iter().for_each(|remark| say::aside(remark));
    }
    if let Some(recovery) = recovery {
        say::aside(&recovery.text());
    }
    Ok(report)
}
