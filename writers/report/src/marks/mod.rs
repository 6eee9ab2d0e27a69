//! Times of a run to look at first: where each finding costs most, the critical path, the parallel regions. They come from the journal,
//! and are few however long the run is.

mod executions;
mod links;
mod regions;

use crate::findings::named;
use crate::journal::{Account, Entry};
use crate::model::{Class, Finding, Report};
use crate::text;
use executions::Executions;
use links::Links;
use ompttrace_model::{Definitions, Event, ThreadRef};
use regions::Regions;

/// Slices of a track at most, about: as many as a screen has columns.
const MOST: u64 = 1_500;

/// Times of a run that deserve a look, CLOCK_MONOTONIC nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The begin of the run, or of the window that is reported.
    pub begin: u64,
    /// The findings of the report, in its order.
    pub findings: Vec<FindingMark>,
    /// The critical path, in the order of time.
    pub path: Vec<PathMark>,
    /// Parallel regions in the order of their begins, those of one level after each other.
    pub regions: Vec<RegionMark>,
}

/// A finding, and when it costs most.
#[derive(Clone, Debug, Default)]
pub struct FindingMark {
    /// Begin of the slice, in CLOCK_MONOTONIC nanoseconds.
    pub begin: u64,
    /// End of the slice, in CLOCK_MONOTONIC nanoseconds.
    pub end: u64,
    /// Its number in the report, from 1.
    pub number: usize,
    /// A few words: what it is about and where.
    pub title: String,
    /// The finding in words.
    pub text: String,
    /// The change to try, in words; empty if none is known.
    pub cure: String,
    /// The time that this change is expected to save, in words; empty if no saving is expected.
    pub gain: String,
    /// The observation that would disprove the finding, in words; empty if none is known.
    pub disproof: String,
}

/// A part of the critical path.
#[derive(Clone, Debug, Default)]
pub struct PathMark {
    /// Begin of the part, in CLOCK_MONOTONIC nanoseconds.
    pub begin: u64,
    /// End of the part, in CLOCK_MONOTONIC nanoseconds.
    pub end: u64,
    /// The thread, and what it does at the end; of several short parts how many these are.
    pub title: String,
    /// Parts that are drawn as one.
    pub parts: u64,
}

/// A parallel region, or several short ones.
#[derive(Clone, Debug, Default)]
pub struct RegionMark {
    /// Begin of the region or of the first one, in CLOCK_MONOTONIC nanoseconds.
    pub begin: u64,
    /// End of the region or of the last one, in CLOCK_MONOTONIC nanoseconds.
    pub end: u64,
    /// Nesting level of the region: 1 for a region that an initial task forked.
    pub level: u32,
    /// Its name.
    pub title: String,
    /// Regions that are drawn as one.
    pub count: u64,
}

/// Collects the executions, links and regions of a run while it is read.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    executions: Executions,
    links: Links,
    regions: Regions,
}

/// Facts about a run that are known at its end. Times are CLOCK_MONOTONIC nanoseconds.
pub(crate) struct Run<'a> {
    pub begin: u64,
    pub end: u64,
    /// The names of threads.
    pub threads: &'a [String],
    /// The thread with the critical path, and where that ends.
    pub path: (ThreadRef, u64),
}

impl Collector {
    pub(crate) fn take(&mut self, entry: &Entry) {
        match entry {
            Entry::Part(part) => self.executions.part(part),
            Entry::Held { at, construct, nanoseconds, .. } => {
                self.executions.held(*at, *construct, *nanoseconds);
            }
            Entry::Follows(link) => self.links.add(*link),
            Entry::Released { .. } | Entry::Moved { .. } | Entry::Read(_) | Entry::Edge(_) => {}
        }
    }

    /// Takes the regions of an event, at a time within the run.
    pub(crate) fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        match event {
            Event::RegionBegin(track, slice) if track.number == 0 => {
                self.regions.begin(track.level, at, definitions, slice.name);
            }
            Event::RegionEnd(track, _) if track.number == 0 => self.regions.end(track.level, at),
            _ => {}
        }
    }

    pub(crate) fn marks(self, report: &Report, run: &Run<'_>) -> Marks {
        let shortest = (run.end.saturating_sub(run.begin) / MOST).max(1);
        let findings = report.findings.iter().zip(1..);
        let mut executions = self.executions;
        executions.finish();
        Marks {
            begin: run.begin,
            findings: findings
                .map(|(finding, number)| {
                    let time = costliest(&executions, report, finding);
                    finding_mark(report, finding, number, time.unwrap_or((run.begin, run.end)))
                })
                .collect(),
            path: self.links.path(run.path, run.begin).merged(shortest, |part| {
                let thread = run.threads.get(part.thread as usize).map_or("?", String::as_str);
                match report.constructs.get(part.construct as usize).filter(|_| part.construct > 0)
                {
                    Some(construct) => format!("{thread}: {}", construct.name),
                    None => thread.to_owned(),
                }
            }),
            regions: self.regions.merged(run.end, shortest),
        }
    }
}

/// Begin and end of the execution of the finding's construct that costs most, in CLOCK_MONOTONIC nanoseconds; `None`: unknown.
fn costliest(executions: &Executions, report: &Report, finding: &Finding) -> Option<(u64, u64)> {
    let at = finding.construct?;
    let construct = report.constructs.get(at)?;
    let account = match (construct.class, construct.between) {
        (Class::Serial, Some([from, _])) => Account::SerialAfter(from.unwrap_or(0) as u32),
        _ => Account::Construct(at as u32),
    };
    executions.costliest(account)
}

fn finding_mark(
    report: &Report,
    finding: &Finding,
    number: usize,
    (begin, end): (u64, u64),
) -> FindingMark {
    let about = finding.construct.and_then(|at| report.constructs.get(at)).map(named);
    let about = about.map(|about| format!(": {about}")).unwrap_or_default();
    FindingMark {
        begin,
        end,
        number,
        title: format!("{number}. {}{about}", finding.kind),
        text: finding.text.clone(),
        cure: text::cure(finding).unwrap_or_default(),
        gain: if finding.gain.high_ns > 0 { finding.gain.in_words() } else { String::new() },
        disproof: finding.disproof.to_owned(),
    }
}
