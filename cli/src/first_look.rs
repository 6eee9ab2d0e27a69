//! First look at a trace: slices of the parallel regions, of the findings where they cost most, and of the critical path. They come
//! from a report, which is made before the trace.

use crate::accounts;
use crate::arguments::ExportArguments;
use crate::formats::table::Format;
use crate::process::Life;
use crate::progress::Progress;
use crate::report;
use crate::say;
use anyhow::Result;
use ompttrace_model::base_name;
use ompttrace_recording::Recording;
use ompttrace_report::{FindingMark, Marks, PathMark, RegionMark, ReportSink, StripSink, Window};
use ompttrace_tracks::{FirstLook, PlainSlice, PlainTrack, Remark};
use std::sync::Arc;

/// Bytes of records beyond which no report is made for a trace: it takes about as long as the trace itself, more where many threads draw.
const MOST: u64 = 1 << 27;
/// Traces with a smaller limit have no room for it: it takes up to some hundred kilobytes.
const LEAST_LIMIT: u64 = 10_000_000;

/// The arguments of an export with what its trace shows first, if it is to show something.
pub fn with(recording: &Recording, arguments: &ExportArguments) -> Result<ExportArguments> {
    let is_shown = is_wanted(arguments) && is_for(recording.bytes());
    let first_look = is_shown.then(|| of(recording, arguments)).transpose()?;
    Ok(ExportArguments { first_look: first_look.flatten().map(Arc::new), ..arguments.clone() })
}

/// A remark where a trace has none because the recording is large.
pub fn remark(bytes: u64, arguments: &ExportArguments) -> Option<String> {
    let is_left_out = is_wanted(arguments) && !is_for(bytes);
    let run = say::shown(&arguments.run);
    is_left_out.then(|| format!("the trace shows no findings, of which a large recording has a report: ompttrace report {run}"))
}

/// True for recordings of so many bytes.
fn is_for(bytes: u64) -> bool {
    bytes <= MOST
}

fn is_wanted(arguments: &ExportArguments) -> bool {
    arguments.wants(Format::Perfetto)
        && arguments.split.is_none()
        && !arguments.no_findings
        && arguments.limit.is_none_or(|limit| limit >= LEAST_LIMIT)
}

fn of(recording: &Recording, arguments: &ExportArguments) -> Result<Option<FirstLook>> {
    let window = Window { from: arguments.from, to: arguments.to };
    let sink = ReportSink::new()
        .ending(report::ending(Life::at(&arguments.run), &recording.facts))
        .within(window);
    let mut progress = Progress::new(true);
    let read = accounts::read(recording, StripSink::new(sink), arguments.jobs, &mut progress);
    let ((_, strip), _) = read?;
    let process = &recording.facts.process;
    let name = format!("OpenMP: {} ({})", base_name(&process.executable), process.pid);
    Ok(drawn(name, &strip.marks))
}

/// The tracks, if there is anything on them.
fn drawn(name: String, marks: &Marks) -> Option<FirstLook> {
    let slices = regions(&marks.regions);
    let findings = in_time(marks.findings.iter().map(finding).collect());
    let path: Vec<_> = marks.path.iter().map(path).collect();
    if slices.is_empty() && findings.is_empty() {
        return None;
    }
    let findings = apart(findings).into_iter().map(|findings| ("Findings", findings));
    let tracks = findings.chain(Some(("Critical path", path)).filter(|(_, path)| !path.is_empty()));
    let tracks = tracks.map(|(name, slices)| PlainTrack { name: name.to_owned(), slices });
    Some(FirstLook { name, slices, tracks: tracks.collect() })
}

/// Slices in the order of their begins, the longest of those that begin at once first.
fn in_time(mut slices: Vec<PlainSlice>) -> Vec<PlainSlice> {
    slices.sort_by_key(|slice| (slice.begin, std::cmp::Reverse(slice.end)));
    slices
}

/// Slices on as few tracks as they need: on one track a slice that begins in another one ends in it.
fn apart(slices: Vec<PlainSlice>) -> Vec<Vec<PlainSlice>> {
    let mut tracks: Vec<Vec<PlainSlice>> = Vec::new();
    for slice in slices {
        let crosses = |other: &PlainSlice| other.end > slice.begin && other.end < slice.end;
        match tracks.iter_mut().find(|track| !track.iter().any(crosses)) {
            Some(track) => track.push(slice),
            None => tracks.push(vec![slice]),
        }
    }
    tracks
}

fn finding(mark: &FindingMark) -> PlainSlice {
    let FindingMark { begin, end, title, text, cure, gain, disproof, .. } = mark;
    let remarks = [
        (Remark::Finding, text),
        (Remark::Cure, cure),
        (Remark::Gain, gain),
        (Remark::Disproof, disproof),
    ];
    let remarks = remarks.into_iter().filter(|(_, text)| !text.is_empty());
    let remarks = remarks.map(|(remark, text)| (remark, text.clone())).collect();
    PlainSlice { begin: *begin, end: *end, title: title.clone(), remarks }
}

fn path(mark: &PathMark) -> PlainSlice {
    let PathMark { begin, end, title, parts } = mark;
    PlainSlice { begin: *begin, end: *end, title: title.clone(), remarks: count(*parts) }
}

/// Regions of all levels, as far as those of inner levels lie in the ones that are drawn around them.
fn regions(marks: &[RegionMark]) -> Vec<PlainSlice> {
    let slice = |mark: &RegionMark| {
        let RegionMark { begin, end, title, count: regions, .. } = mark;
        PlainSlice { begin: *begin, end: *end, title: title.clone(), remarks: count(*regions) }
    };
    in_time(marks.iter().map(slice).collect())
}

fn count(count: u64) -> Vec<(Remark, String)> {
    (count > 1).then(|| (Remark::Count, count.to_string())).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_large_recording_has_a_remark_where_the_trace_would_show_findings() {
        let of_run = ExportArguments::of(Path::new("/runs/heat.1.ompttrace"));
        let remark = |bytes, arguments: &ExportArguments| super::remark(bytes, arguments);
        let said = remark(MOST + 1, &of_run).expect("a remark");
        assert!(said.ends_with("ompttrace report /runs/heat.1.ompttrace"), "{said}");
        assert_eq!(remark(MOST, &of_run), None);
        let without = ExportArguments { no_findings: true, ..of_run.clone() };
        let chrome = ExportArguments { format: vec![Format::Chrome], ..of_run };
        assert_eq!((remark(MOST + 1, &without), remark(MOST + 1, &chrome)), (None, None));
    }

    #[test]
    fn slices_that_cross_are_on_tracks_of_their_own() {
        let slice = |begin, end| PlainSlice { begin, end, ..PlainSlice::default() };
        let tracks = apart(vec![slice(0, 50), slice(10, 20), slice(30, 80), slice(80, 90)]);
        let times: Vec<Vec<_>> =
            tracks.iter().map(|all| all.iter().map(|one| (one.begin, one.end)).collect()).collect();
        assert_eq!(times, [vec![(0, 50), (10, 20), (80, 90)], vec![(30, 80)]]);
    }
}
