//! What OpenMP itself costs: forking, small chunks, the tracing tool.

use super::{Alike, Found, about, named, of_all, worth, worth_with_others};
use crate::model::{ConstructReport, Finding, RegionReport, Report};
use crate::state::State;
use crate::text::{duration, percent};

/// Chunks with less work cost about as much as they bring, nanoseconds.
const SMALL_CHUNK: u64 = 2_000;
/// What handing one out takes at least, nanoseconds: it is not told apart from the work, and counts
/// only for the order of findings.
const HANDING_OUT: u64 = 100;
/// A loop with so little of all thread time is not worth a word about its chunks.
const SMALL_LOOP: f64 = 0.02;
const FEWER: &str = "more work in each, or one region around several";

pub(super) fn find(report: &Report, found: &mut Found) {
    for region in &report.regions {
        let lost = region.times.of(State::OverheadFork);
        if worth_with_others(report, lost) {
            let text = forks(report, region, lost);
            let loss = "setting up and taking down their teams takes {}";
            let alike = Alike { loss, each_ns: None, advice: FEWER };
            found.push_alike(about(report, "fork", region.construct, lost, text), alike);
        }
    }
    for (at, construct) in report.constructs.iter().enumerate() {
        let lost = construct.times.of(State::OverheadSchedule);
        let each = construct.times.work() / construct.chunks.max(1);
        // A static loop is told as one chunk for each thread.
        let shares = construct.calls * construct.threads.max(1);
        let small = construct.chunks > 2 * shares.max(50) && each < SMALL_CHUNK;
        if worth(report, lost) || small && of_all(report, construct.times.all()) >= SMALL_LOOP {
            let text = chunks(report, construct, lost, each);
            let handing = construct.chunks.saturating_mul(HANDING_OUT).min(construct.times.work());
            found.push(about(report, "schedule", at, lost + handing, text));
        }
    }
    tool(report, found);
}

fn forks(report: &Report, region: &RegionReport, lost: u64) -> String {
    let construct = report.constructs.get(region.construct);
    format!(
        "{}: setting up and taking down its team takes {} ({} of all thread time); it is entered {} \
         times and lasts {}; {FEWER}",
        construct.map(named).unwrap_or_default(),
        duration(lost),
        percent(of_all(report, lost)),
        region.calls,
        duration(region.wall_ns / region.calls.max(1)),
    )
}

fn chunks(report: &Report, construct: &ConstructReport, lost: u64, each: u64) -> String {
    format!(
        "{}: {} chunks of {} each are handed out, and {} ({} of all thread time) passes before a \
         first one; try larger chunks",
        named(construct),
        construct.chunks,
        duration(each),
        duration(lost),
        percent(of_all(report, lost)),
    )
}

fn tool(report: &Report, found: &mut Found) {
    let lost = report.times.of(State::OverheadTool);
    if worth(report, lost) {
        let share = of_all(report, lost);
        let text = format!(
            "Threads wait {} ({} of all thread time) for this tool's own buffers; try `--buffer 1M`",
            duration(lost),
            percent(share),
        );
        let (place, also) = Default::default();
        found.push(Finding {
            kind: "tool",
            lost_ns: lost,
            share,
            construct: None,
            place,
            also,
            text,
        });
    }
}
