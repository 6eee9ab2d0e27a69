//! Findings: problems, each with a location, the figures that it rests on, a cure and its gain; the largest gain first.

mod alike;
mod cores;
mod devices;
mod gain;
mod group;
mod idle;
mod memory;
mod mutexes;
mod overhead;
mod replayed;
mod schedule;
mod spinning;
mod tasks;
mod uneven;
mod unfinished;
mod waiting;
pub(crate) mod words;

use crate::model::{BusyMachine, Class, ConstructReport, Finding, MemoryLimit, Report};
use crate::text::percent;
use alike::{Alike, Findings};
pub(crate) use cores::ENOUGH;
use cores::Lack;
use gain::up_to;
pub(crate) use idle::is_interpreter;
pub(crate) use mutexes::what as holder_name;
pub(crate) use tasks::USUAL_MAKING;

/// Share of all thread time (threads x wall time) below which a cost is not worth a sentence.
const WORTH: f64 = 0.02;
/// Share of all thread time below which a cost is not even worth a sentence together with others like it.
const LITTLE: f64 = 0.001;
/// A thread with less work than this between two barriers has little from sharing it: a barrier takes
/// microseconds where all threads have a core, and far more where they have none. Nanoseconds.
const SHORT: u64 = 10_000;

/// All findings of a report, with the remarks before and after them.
pub(crate) struct Found {
    pub findings: Vec<Finding>,
    pub busy_machine: Option<BusyMachine>,
    pub memory_limit: Option<MemoryLimit>,
}

/// All findings of a report whose other fields are complete.
pub(crate) fn find(report: &Report) -> Found {
    let lack = cores::find(report);
    let (mut found, cores, busy) = match lack {
        Some(Lack::OfProgram(finding)) => {
            let mut found = of_program(report);
            cores::weigh(report, &mut found);
            (found, vec![finding], None)
        }
        Some(Lack::Circumstance(busy, own)) => (of_busy(report), own, Some(busy)),
        None => (of_program(report), Vec::new(), None),
    };
    let unfinished = unfinished::find(report);
    if unfinished.is_some() && unfinished::stood_still(report) {
        found.clear();
    }
    let all = unfinished.into_iter().chain(cores).chain(found).collect();
    let mut ranked = group::ranked(report, all);
    ranked.sort_by_key(|finding| place(finding.kind, finding.gain.share, busy.is_some()));
    let memory_limit = busy.is_none().then(|| memory::find(report, &ranked)).flatten();
    Found { findings: ranked, busy_machine: busy, memory_limit }
}

/// The place of a finding with this gain, a share of the run: smaller ones come first. What others lost for want of a core is no
/// finding of theirs, so cores come first, behind what never ended. On a busy machine others had the cores: there the
/// program's own findings come first, unless they would save hardly anything.
fn place(kind: &str, gain: f64, is_busy: bool) -> u8 {
    match kind {
        "unfinished" => 0,
        "cores" if !is_busy => 1,
        "cores" => 3,
        _ if is_busy && gain < group::WORTH => 4,
        _ => 2,
    }
}

/// The findings of a report and its figures.
fn of_program(report: &Report) -> Vec<Finding> {
    let mut found = Findings::default();
    waiting::find(report, &mut found);
    idle::find(report, &mut found);
    mutexes::find(report, &mut found);
    overhead::find(report, &mut found);
    tasks::find(report, &mut found);
    devices::find(report, &mut found);
    found.together(report)
}

/// Findings of a run on a busy machine, of which losses and gains count with a core for each thread that wanted one.
fn of_busy(report: &Report) -> Vec<Finding> {
    let mut found = of_program(&replayed::report(report));
    // Whether a thread comes late is up to the system there.
    found.retain(|finding| finding.kind != "late");
    if report.taken_cores_ns.is_none() {
        found.iter_mut().for_each(|finding| finding.gain = finding.gain.wider());
    }
    found
}

/// A finding about a construct, with its share.
fn about(
    report: &Report,
    kind: &'static str,
    construct: usize,
    lost_ns: u64,
    text: String,
) -> Finding {
    let location =
        report.constructs.get(construct).map(|construct| construct.location.short.clone());
    Finding {
        kind,
        lost_ns,
        share: of_all(report, lost_ns),
        construct: Some(construct),
        location: location.unwrap_or_default(),
        text,
        ..Finding::default()
    }
}

/// A share of the time of all threads: as if all had been there from the begin to the end of the run.
fn of_all(report: &Report, nanoseconds: u64) -> f64 {
    match report.capacity_ns.max(report.times.all()) {
        0 => 0.0,
        all => nanoseconds as f64 / all as f64,
    }
}

/// True if so much thread time is worth a sentence.
fn worth(report: &Report, nanoseconds: u64) -> bool {
    of_all(report, nanoseconds) >= WORTH
}

/// True if so much thread time is worth a sentence together with others like it.
fn worth_with_others(report: &Report, nanoseconds: u64) -> bool {
    of_all(report, nanoseconds) >= LITTLE
}

/// `for static` at stencil.c:47, or in heat_step (stencil+0x1234).
pub(crate) fn named(construct: &ConstructReport) -> String {
    match (construct.location.short.as_str(), construct.class) {
        ("", Class::Outside) => "what lies outside of all constructs".into(),
        ("", Class::Serial) => construct.name.clone(),
        ("", _) => format!("`{}`", construct.name),
        _ => format!("`{}`{}", construct.what, at_location(construct)),
    }
}

/// ` at stencil.c:47`; where locations have no lines ` in heat_step (stencil+0x1234)`.
fn at_location(construct: &ConstructReport) -> String {
    let location = &construct.location;
    match (location.short.as_str(), &location.function) {
        ("", _) => String::new(),
        (short, Some(function)) if location.line.is_none() && short != function => {
            format!(" in {function} ({short})")
        }
        (short, _) => format!(" at {short}"),
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn on_a_busy_machine_only_small_gains_come_behind_cores() {
        assert!(place("cores", 0.3, false) < place("imbalance", 0.5, false));
        assert!(place("imbalance", 0.011, true) < place("cores", 0.3, true));
        assert!(place("cores", 0.3, true) < place("serial", 0.006, true));
        assert!(place("unfinished", 0.0, true) < place("imbalance", 0.5, true));
    }
}
