//! `ompttrace report` of a job: its ranks are read for their messages, and again for their calls, several at a time.

use super::{Job, number};
use crate::arguments::{Part, ReportArguments};
use crate::merge::{self, Aligned, Closed, messages};
use crate::output_path::OutputPath;
use crate::say;
use anyhow::{Context, Result, anyhow, bail};
use ompttrace_report::job::{
    JobFacts, JobReport, Messages, RankSink, RankTrace, html, report, text,
};
use ompttrace_timeline::{LastArrivals, Matching, OfJob, Options, run_of_job};
use ompttrace_workers::try_each;
use std::io::Write;
use std::path::Path;

/// Prints the report, and writes the page.
pub fn run(job: &Job, arguments: &ReportArguments) -> Result<()> {
    if arguments.source || arguments.cores.is_some() || arguments.window.part() != Part::Whole {
        bail!(
            "--source, --cores and windows (--from, --to, --region, --after-first-region) are for the report of one process: \
             give the run folder of a rank"
        );
    }
    let report = of(job, arguments.jobs.count(), arguments.correct_clocks)?;
    if let Some(file) = &arguments.html {
        page(&report, arguments.top.max(1), file)?;
    }
    if arguments.json {
        return say::json(&report);
    }
    say::fitted(arguments.to_stderr, |width| text::render(&report, arguments.top, width))
}

/// The report of all ranks of a job that have a recording. `correct`: true if the logical clock puts their messages in order.
pub fn of(job: &Job, jobs: std::num::NonZero<usize>, correct: bool) -> Result<JobReport> {
    let aligned = merge::open_aligned(&job.runs(), jobs, correct)?;
    let Aligned { recordings, alignment, corrected } = &aligned;
    let (last, all) = messages(recordings, jobs)?.finish();
    let traces = try_each("ranks", jobs.get(), recordings, |closed| trace(closed, &last))?;
    let mut caveats = Vec::new();
    if !recordings.iter().any(|recording| recording.facts.has_mpi()) {
        caveats.push("No rank recorded MPI: what ranks wait for is not known.".to_owned());
    }
    if alignment.is_by_time_of_day() {
        caveats.push(format!("Clocks are {alignment}: waits between machines are as uncertain."));
    }
    caveats.extend(corrected.as_ref().map(|corrected| format!("Corrected clocks: {corrected}.")));
    caveats.extend(merge::backwards(&all, correct).map(|words| format!("{words}.")));
    let facts = JobFacts {
        job: say::shown(&job.path),
        size: job.size,
        missing: job.missing(),
        messages: Messages {
            matched: all.matched,
            unmatched: all.unmatched(),
            backwards: all.backwards,
        },
        caveats,
    };
    Ok(report(facts, &traces))
}

/// The calls of a rank, as the report takes them.
fn trace(closed: &Closed, last: &LastArrivals) -> Result<RankTrace> {
    let recording = &closed.open()?;
    let matching = Matching::of(recording, number(&recording.path));
    let options = Options { min_resume_ns: 0, window: (None, None), watch: |_, _| {} };
    let of_job = Some(OfJob { matching: &matching, last });
    let outcome = run_of_job(recording, RankSink::new(closed.rank), options, of_job);
    recording.check()?;
    let (trace, _) =
        outcome.map_err(|error| anyhow!("{}: {error}", say::shown(&recording.path)))?;
    Ok(trace)
}

fn page(report: &JobReport, top: usize, file: &Path) -> Result<()> {
    let name = ("report".to_owned(), "html");
    let (output_path, mut to) = OutputPath::file(Path::new(""), Some(file), name)?;
    to.write_all(html::render(report, top).as_bytes()).with_context(|| say::shown(file))?;
    let path = output_path.done()?;
    say::remark(&format!("{}: a page to open in a browser", say::shown(&path)));
    Ok(())
}
