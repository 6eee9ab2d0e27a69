//! `ompttrace report`: where the time of a run went.

use crate::arguments::ReportArguments;
use crate::debug_package;
use crate::given;
use crate::place::Place;
use crate::process::Life;
use crate::progress::Progress;
use crate::rebuilt;
use crate::recover::recover;
use crate::say;
use crate::tables::ending;
use anyhow::{Context, Result, anyhow, bail};
use ompttrace_model::Sink;
use ompttrace_report::{Report, ReportSink, explain, html, text};
use ompttrace_timeline::Options;
use std::io::Write;
use std::path::Path;

pub fn run(arguments: &ReportArguments) -> Result<()> {
    let Some(run) = &arguments.run else {
        return explain(arguments.explain.as_deref().unwrap_or_default());
    };
    let report = make(run, arguments.cores, arguments.quiet, !arguments.json)?;
    if let Some(file) = &arguments.html {
        page(&report, (run, arguments.top), file)?;
    }
    if arguments.json {
        return say::out(&serde_json::to_string_pretty(&report)?);
    }
    say::coloured(&text::render(&report, arguments.top, say::width()))
}

/// Prints the definitions of a word, or of all.
fn explain(name: &str) -> Result<()> {
    let found: Vec<_> = match name {
        "all" => explain::all().collect(),
        name => explain::explain(name),
    };
    if found.is_empty() {
        bail!("{name}: no word of reports; `ompttrace report --explain all` lists them");
    }
    let lines: Vec<_> = found.iter().map(|(name, words)| format!("{name}: {words}")).collect();
    say::out(&lines.join("\n"))
}

/// Writes the page and says where it is.
fn page(report: &Report, (run, top): (&Path, usize), file: &Path) -> Result<()> {
    let page = html::render(report, top.max(1))?;
    let (place, mut to) = Place::file(run, Some(file), ("report".to_owned(), "html"))?;
    to.write_all(page.as_bytes()).with_context(|| say::shown(file))?;
    let path = place.done()?;
    say::aside(&format!("{}: a page to open in a browser", say::shown(&path)));
    Ok(())
}

/// The report of a run folder as it is by default.
pub fn of(run: &Path, quiet: bool) -> Result<Report> {
    make(run, None, quiet, !quiet)
}

fn make(run: &Path, cores: Option<u32>, quiet: bool, progress: bool) -> Result<Report> {
    let recovery = recover(run, false);
    let life = Life::at(run);
    let recording = given::open(run)?;
    let sink = ReportSink::new().ending(ending(life)).with_cores(cores);
    let mut progress = Progress::new(quiet || !progress);
    let watch = |done, all| progress.show(done, all);
    let min_resume_ns = ReportSink::MIN_RESUME_NS;
    let options = Options { min_resume_ns, window: (None, None), watch };
    let outcome = ompttrace_timeline::run_with(&recording, sink, options);
    recording.check()?;
    let (mut report, _) = outcome.map_err(|error| anyhow!("{error}"))?;
    debug_package::name(&mut report);
    if !quiet {
        rebuilt::remarks(&recording).iter().for_each(|remark| say::aside(remark));
    }
    if let Some(recovery) = recovery {
        say::aside(&recovery.text());
    }
    Ok(report)
}
