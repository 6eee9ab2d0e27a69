//! Findings that hold alike for several constructs in one file: reported as one.

use super::{at_location, of_all, worth};
use crate::model::{ConstructReport, Finding, Gain, Report};
use crate::text::{duration, percent};

/// Number of findings from which on they are reported as one.
const SEVERAL: usize = 3;
/// A finding that costs more than this part of all of them has a sentence of its own.
const MAIN: f64 = 0.5;

/// Words that a finding shares with others of its kind.
pub(super) struct Alike {
    /// The loss, `{}` being its duration: "threads wait {} at their barriers".
    pub loss: &'static str,
    /// The work of a thread in one execution, where that is the point.
    pub each_ns: Option<u64>,
    /// Advice without the numbers of a single finding.
    pub advice: &'static str,
}

/// Findings in the making.
#[derive(Default)]
pub(super) struct Findings {
    single: Vec<Finding>,
    alike: Vec<(Finding, Alike)>,
}

impl Findings {
    /// Adds a finding that is reported by itself.
    pub(super) fn push(&mut self, finding: Finding) {
        self.single.push(finding);
    }

    /// Adds a finding that may be reported with others; it is reported by itself if its loss is large enough.
    pub(super) fn push_alike(&mut self, finding: Finding, alike: Alike) {
        self.alike.push((finding, alike));
    }

    /// All findings, similar ones put together.
    pub(super) fn together(mut self, report: &Report) -> Vec<Finding> {
        self.alike
            .sort_by(|(a, _), (b, _)| b.lost_ns.cmp(&a.lost_ns).then_with(|| a.text.cmp(&b.text)));
        while let Some(first) = self.alike.first() {
            let key = key(report, first);
            let (same, others) =
                self.alike.into_iter().partition(|one| self::key(report, one) == key);
            self.alike = others;
            add(report, same, &mut self.single);
        }
        self.single
    }
}

type Key = (&'static str, String, String, &'static str);

/// Key of findings that are reported together: kind, construct, file, advice. Where there is hardly any work it is
/// chance whether a barrier belongs to a loop or to its region, and which of two cures is a little faster.
fn key(report: &Report, (finding, alike): &(Finding, Alike)) -> Key {
    let file = file(&finding.location).to_owned();
    if finding.kind == "short" {
        return (finding.kind, String::new(), file, "");
    }
    let what = construct(report, finding).map_or("", |one| one.what.as_str()).to_owned();
    (finding.kind, what, file, alike.advice)
}

fn construct<'r>(report: &'r Report, finding: &Finding) -> Option<&'r ConstructReport> {
    report.constructs.get(finding.construct?)
}

/// `stencil.c` of `stencil.c:47`, `stencil` of `stencil+0x1234`.
fn file(location: &str) -> &str {
    location.rsplit_once([':', '+']).map_or(location, |(file, _)| file)
}

/// Adds findings of one key, the costliest first: one that stands out by itself, the others as one if
/// they are several.
fn add(report: &Report, mut same: Vec<(Finding, Alike)>, reported: &mut Vec<Finding>) {
    let mut main = Vec::new();
    let all: u64 = same.iter().map(|(finding, _)| finding.lost_ns).sum();
    let stands_out = |(first, _): &(Finding, Alike)| first.lost_ns as f64 > MAIN * all as f64;
    if same.first().is_some_and(stands_out) {
        main.push(same.remove(0));
    }
    if same.len() < SEVERAL {
        main.append(&mut same);
    }
    let single = main.into_iter().map(|(finding, _)| finding);
    reported.extend(single.filter(|finding| worth(report, finding.lost_ns)));
    if let Some(one) = as_one(report, &same).filter(|one| worth(report, one.lost_ns)) {
        reported.push(one);
    }
}

fn as_one(report: &Report, same: &[(Finding, Alike)]) -> Option<Finding> {
    let (first, alike) = same.first()?;
    let lost_ns = same.iter().map(|(finding, _)| finding.lost_ns).sum();
    let gains = same.iter().map(|(finding, _)| finding.gain);
    let gain = gains.reduce(Gain::and).unwrap_or_default();
    let gain = gain.times(report, 1.0);
    let what = construct(report, first).map_or("", |one| one.what.as_str());
    let loss = alike.loss.replace("{}", &duration(lost_ns));
    let most = construct(report, first).map_or_else(String::new, at_location);
    let text = format!(
        "`{what}` at {} locations{}{}: {loss} ({} of all thread time), most{most} ({})",
        same.len(),
        range(report, same),
        each(same),
        percent(of_all(report, lost_ns)),
        percent(first.share),
    );
    Some(Finding {
        lost_ns,
        share: of_all(report, lost_ns),
        also: same.iter().skip(1).filter_map(|(finding, _)| finding.construct).collect(),
        text,
        cure: alike.advice.to_owned(),
        gain,
        ..first.clone()
    })
}

/// ` in stencil.c:47-112`; without lines the file alone.
fn range(report: &Report, same: &[(Finding, Alike)]) -> String {
    let line = |finding: &Finding| construct(report, finding)?.location.line;
    let lines = || same.iter().filter_map(|(finding, _)| line(finding));
    let file = same.first().map_or("", |(finding, _)| file(&finding.location));
    match (lines().min(), lines().max()) {
        _ if file.is_empty() => String::new(),
        (Some(first), Some(last)) if first != last => format!(" in {file}:{first}-{last}"),
        (Some(line), _) => format!(" in {file}:{line}"),
        _ => format!(" in {file}"),
    }
}

/// Range of the work that a thread has in one execution, in words.
fn each(same: &[(Finding, Alike)]) -> String {
    let work = || same.iter().filter_map(|(_, alike)| alike.each_ns);
    match (work().min(), work().max()) {
        (Some(least), Some(most)) => {
            let (least, most) = (duration(least), duration(most));
            format!(", {least} to {most} of work for a thread")
        }
        _ => String::new(),
    }
}
