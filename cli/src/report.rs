//! `ompttrace report`: where the time of a run went.

use crate::arguments::{Part, ReportArguments};
use crate::debug_package;
use crate::job;
use crate::jobs::Jobs;
use crate::output_path::OutputPath;
use crate::process::Life;
use crate::progress::Progress;
use crate::rebuilt;
use crate::recover::recover;
use crate::run_folder;
use crate::{accounts, say, source, window};
use anyhow::{Context, Result, bail};
use ompttrace_model::Sink;
use ompttrace_recording::facts::Facts;
use ompttrace_report::{
    Ending, Failure, Report, ReportSink, Strip, StripSink, explain, html, text,
};
use std::fmt::Display;
use std::io::Write;
use std::path::Path;

pub fn run(arguments: &ReportArguments) -> Result<()> {
    let Some(run) = &arguments.run else {
        return explain(arguments.explain.as_deref().unwrap_or_default());
    };
    if arguments.correct_clocks {
        bail!(job::CORRECT_CLOCKS);
    }
    if arguments.source {
        run_folder::check(run)?;
        source::check_owner(run)?;
    }
    let reading = Reading {
        part: arguments.window.part(),
        cores: arguments.cores,
        quiet: arguments.quiet,
        progress: !arguments.json,
        jobs: arguments.jobs,
    };
    let report = match &arguments.html {
        Some(file) => {
            let (mut report, strip) = reading.make(run, StripSink::new)?;
            debug_package::name(&mut report);
            page((&report, &strip), (run, arguments), file)?;
            report
        }
        None => reading.report(run)?,
    };
    if arguments.json {
        return say::json(&report);
    }
    say::fitted(arguments.to_stderr, |width| text::render(&report, arguments.top, width))
}

/// Prints the definitions of a word, or of all.
fn explain(name: &str) -> Result<()> {
    let found: Vec<_> = match name {
        "all" => explain::all().collect(),
        name => explain::explain(name),
    };
    if found.is_empty() {
        bail!("{name}: not a term of reports; `ompttrace report --explain all` lists them");
    }
    let lines: Vec<_> = found.iter().map(|(name, words)| format!("{name}: {words}")).collect();
    say::out(&lines.join("\n"))
}

/// Writes the page and reports its path.
fn page(
    (report, strip): (&Report, &Strip),
    (run, arguments): (&Path, &ReportArguments),
    file: &Path,
) -> Result<()> {
    let top = arguments.top.max(1);
    let mut sources = Vec::new();
    if arguments.source {
        sources = html::locations(report, top);
        source::fill(&mut sources, run);
    }
    let page = html::render(report, &html::Extras { strip: Some(strip), sources: &sources }, top)?;
    let (output_path, mut to) = OutputPath::file(run, Some(file), ("report".to_owned(), "html"))?;
    to.write_all(page.as_bytes()).with_context(|| say::shown(file))?;
    let path = output_path.done()?;
    say::remark(&format!("{}: a page to open in a browser", say::shown(&path)));
    source::remark(&sources).iter().for_each(|remark| say::remark(remark));
    Ok(())
}

/// The report of a run folder, or of a part of its time, as it is by default.
pub fn of(run: &Path, part: Part, quiet: bool) -> Result<Report> {
    Reading { part, cores: None, quiet, progress: !quiet, jobs: Jobs::default() }.report(run)
}

/// Options for reading a recording.
struct Reading {
    part: Part,
    cores: Option<u32>,
    quiet: bool,
    progress: bool,
    jobs: Jobs,
}

impl Reading {
    fn report(&self, run: &Path) -> Result<Report> {
        let mut report = self.make(run, |sink| sink)?;
        debug_package::name(&mut report);
        Ok(report)
    }

    /// Reads a recording into a sink that contains a report's; returns the sink's output.
    fn make<S>(&self, run: &Path, sink: impl FnOnce(ReportSink) -> S) -> Result<S::Output>
    where
        S: Sink<Error: Display + Into<Failure>>,
    {
        let recovery = recover(run, false);
        let life = Life::at(run);
        let recording = run_folder::open(run)?;
        let window = window::of(&recording, &self.part).with_context(|| say::shown(run))?;
        let ending = ending(life, &recording.facts);
        let report = ReportSink::new().ending(ending).with_cores(self.cores);
        let sink = sink(report.within(window));
        let mut progress = Progress::new(self.quiet || !self.progress);
        let outcome = accounts::read(&recording, sink, self.jobs, &mut progress);
        recording.check()?;
        let (output, _) = outcome?;
        if !self.quiet {
            rebuilt::remarks(&recording).iter().for_each(|remark| say::remark(remark));
        }
        if let Some(recovery) = recovery {
            say::remark(&recovery.text());
        }
        Ok(output)
    }
}

/// The ending of a recording that is not closed, in the type of reports and tables.
pub fn ending(life: Life, facts: &Facts) -> Ending {
    match life {
        Life::Over if facts.is_snapshot() => Ending::Snapshot,
        Life::Over => Ending::Over,
        Life::Runs => Ending::Runs,
        Life::Unknown => Ending::Unknown,
    }
}
