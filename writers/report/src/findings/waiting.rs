//! Waiting at barriers: uneven loops and regions, single, barriers of the program.

use super::gain::{elapsed, ns};
use super::{Alike, Findings, SHORT, about, named, of_all, up_to, worth, worth_with_others};
use crate::model::{Class, ConstructReport, Gain, Report, TaskReport};
use crate::state::{State, Times};
use crate::text::{duration, percent};

pub(super) fn find(report: &Report, found: &mut Findings) {
    for (at, construct) in report.constructs.iter().enumerate() {
        let waits = construct.times.sum(State::is_barrier);
        if !worth_with_others(report, waits) {
            continue;
        }
        match construct.class {
            Class::Sync => {
                let (text, alike) = barrier(report, construct, waits);
                let finding = about(report, "barrier", at, waits, text);
                let gain = up_to(report, elapsed(report, construct, waits));
                let finding = finding.cured_by(alike.advice, gain).shown_by("waited_ns", ns(waits));
                found.push_alike(finding.shown_by("executions", construct.calls), alike);
            }
            Class::Work if construct.what.starts_with("single") => {
                if worth(report, waits) {
                    let (text, cure, gain) = single(report, construct, waits);
                    let finding = about(report, "single", at, waits, text).cured_by(cure, gain);
                    let work = ns(construct.times.work());
                    found.push(finding.shown_by("waited_ns", ns(waits)).shown_by("work_ns", work));
                }
            }
            _ => super::uneven::find(report, at, waits, thread_time(report, at), found),
        }
    }
}

/// A barrier of the program. What comes before it has no name; how long a thread waits each time shows
/// whether that is uneven or hardly anything.
fn barrier(report: &Report, construct: &ConstructReport, waits: u64) -> (String, Alike) {
    let (each, crossed) = (waits / construct.calls.max(1), construct.calls);
    let advice = if each < SHORT {
        "have fewer of them, with more work between two"
    } else {
        "make what comes before it more even"
    };
    let text = format!(
        "{}: threads wait {} there ({} each of {crossed} times), {} of all thread time",
        named(construct),
        duration(waits),
        duration(each),
        percent(of_all(report, waits)),
    );
    (text, Alike { loss: "threads wait {} there", each_ns: None, advice })
}

fn single(report: &Report, construct: &ConstructReport, waits: u64) -> (String, String, Gain) {
    let work = construct.times.work() + construct.times.sum(State::is_off_core);
    let waited = elapsed(report, construct, waits);
    let share = percent(of_all(report, waits));
    let said = format!(
        "{}: threads wait {} ({share} of all thread time)",
        named(construct),
        duration(waits)
    );
    if report.tasks.sites.iter().any(|site| is_made_in(report, site, construct)) {
        let alone = work.saturating_mul(construct.threads.saturating_sub(1)) >= waits / 2;
        let (cure, gain) = match alone {
            true => (
                format!("make tasks of the {} that one thread works in it", duration(work)),
                Gain::of(report, waited, waited / 2.0, waited),
            ),
            false => super::tasks::cure(report, construct, waits),
        };
        let text = format!("{said} at its barrier with no task to run");
        return (text, cure, gain);
    }
    let cure = match work / construct.calls.max(1) < SHORT {
        true => "use `masked`, which has no barrier",
        false => "try `nowait`",
    };
    let text = format!(
        "{}: the others wait {} ({share} of all thread time) while one thread works {} in it",
        named(construct),
        duration(waits),
        duration(work),
    );
    (text, cure.to_owned(), up_to(report, waited))
}

/// True if the tasks of a location are created in the region of a construct.
fn is_made_in(report: &Report, site: &TaskReport, construct: &ConstructReport) -> bool {
    report.constructs.get(site.construct).is_some_and(|made| made.region == construct.region)
}

/// The time that threads spend in a construct; in a region with all that is in it.
fn thread_time(report: &Report, at: usize) -> u64 {
    let region = report.regions.iter().find(|region| region.construct == at);
    let own = report.constructs.get(at).map(|construct| &construct.times);
    region.map(|region| &region.times).or(own).map_or(0, Times::all)
}
