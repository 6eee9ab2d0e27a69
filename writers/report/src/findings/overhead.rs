//! Findings about the cost of OpenMP itself: forking, small chunks, the tracing tool.

use super::gain::{ns, on_path, recording};
use super::schedule::DISPATCH;
use super::{Alike, Findings, about, named, of_all, worth, worth_with_others};
use crate::model::{ConstructReport, Finding, Gain, RegionReport, Report};
use crate::state::State;
use crate::text::{duration, percent};

/// Work of a chunk, in nanoseconds, below which the chunk costs about as much as it brings.
const SMALL_CHUNK: u64 = 2_000;
/// Least time to hand out a chunk, in nanoseconds: it is not distinguished from the work, and counts only for the order
/// of findings.
const HANDING_OUT: u64 = 100;
/// Least time to hand out a chunk while threads compete for the loop's counter all the time, in nanoseconds: as much as
/// `examples/small_chunks` takes less with its cure on a machine where that is fast, for each chunk of a thread.
const MEETING: f64 = 400.0;
/// Share of all thread time below which a loop's chunks are not worth a sentence.
const SMALL_LOOP: f64 = 0.02;
const FEWER: &str = "make one region of several";

pub(super) fn find(report: &Report, found: &mut Findings) {
    for region in &report.regions {
        let lost = region.times.of(State::OverheadFork);
        if worth_with_others(report, lost) {
            let text = forks(report, region, lost);
            let loss = "setting up and taking down their teams takes {}";
            let alike = Alike { loss, each_ns: None, advice: FEWER };
            let finding = about(report, "fork", region.construct, lost, text);
            let finding = finding.cured_by(FEWER, merged(report, region));
            found.push_alike(finding.shown_by("executions", region.calls), alike);
        }
    }
    for (at, construct) in report.constructs.iter().enumerate() {
        let lost = construct.times.of(State::OverheadSchedule);
        let each = construct.times.work() / construct.chunks.max(1);
        // A static loop is reported as one chunk for each thread.
        let shares = construct.calls * construct.threads.max(1);
        let small = construct.chunks > 2 * shares.max(50) && each < SMALL_CHUNK;
        if worth(report, lost) || small && of_all(report, construct.times.all()) >= SMALL_LOOP {
            let text = chunks(report, construct, lost, each);
            let assumed = construct.chunks.saturating_mul(HANDING_OUT).min(construct.times.work());
            let handing = construct.dispatch_ns.map_or(assumed, |_| 0);
            let (cure, gain) = larger(report, at, construct);
            let finding = about(report, "schedule", at, lost + handing, text);
            let finding = finding.cured_by(cure, gain).shown_by("chunks", construct.chunks);
            let finding = finding.shown_by("chunk_work_ns", ns(each));
            found.push(
                match construct.first_chunk_ns.filter(|_| construct.dispatch_ns.is_none()) {
                    Some(first) => finding.shown_by("first_chunk_ns", ns(first)),
                    None => finding,
                },
            );
        }
    }
    tool(report, found);
}

/// Gain of one region instead of several: all forks but one are saved, or half of that where other code keeps regions
/// apart.
fn merged(report: &Report, region: &RegionReport) -> Gain {
    let lost = region.times.of(State::OverheadFork) as f64;
    let all = lost * (1.0 - 1.0 / region.calls.max(1) as f64);
    Gain::of(report, all, all / 2.0, all)
}

fn forks(report: &Report, region: &RegionReport, lost: u64) -> String {
    let construct = report.constructs.get(region.construct);
    format!(
        "{}: setting up and taking down its team takes {} ({} of all thread time), {} times for {}",
        construct.map(named).unwrap_or_default(),
        duration(lost),
        percent(of_all(report, lost)),
        region.calls,
        duration(region.wall_ns / region.calls.max(1)),
    )
}

fn chunks(report: &Report, construct: &ConstructReport, lost: u64, each: u64) -> String {
    let what = match construct.dispatch_ns {
        Some(_) => "passes before, between and behind them",
        None => "passes before a first one",
    };
    format!(
        "{}: {} chunks of {} each are handed out, and {} ({} of all thread time) {what}",
        named(construct),
        construct.chunks,
        duration(each),
        duration(lost),
        percent(of_all(report, lost)),
    )
}

/// Larger chunks, and what they bring: handing out most of those that there are falls away. Where ends of chunks are
/// recorded it is known what that takes. Elsewhere no event parts it from the chunk's work: it is taken for what it costs
/// where threads meet at the loop's counter, or for what a first chunk takes if that is longer (Debian's libomp makes a
/// text of each chunk for its own log), at least a fourth of that, at most all of a chunk.
fn larger(report: &Report, at: usize, construct: &ConstructReport) -> (String, Gain) {
    let chunks = construct.chunks.max(1);
    let record = recording(report, 1);
    let own = construct.iterations as f64 / chunks as f64;
    let each = (construct.times.work() as f64 / chunks as f64 - record).max(0.0);
    let handing_out =
        construct.dispatch_ns.map(|all| (all as f64 / chunks as f64 - record).max(0.0));
    let cost = handing_out.unwrap_or(DISPATCH);
    let (handing_out, work, range) = match handing_out {
        Some(known) => (known, each, [known / 2.0, known]),
        None => {
            let first = construct.first_chunk_ns.map_or(0.0, |first| first as f64 - record);
            let assumed = first.max(MEETING).min(0.95 * each);
            (assumed, each - assumed, [assumed / 4.0, each])
        }
    };
    // A chunk that is worth handing out, by the work that is no handing out.
    let iteration = (work / own.max(1.0)).max(1.0);
    let wanted = (25.0 * cost / iteration).ceil().max(2.0 * own) as u64;
    let shares = 4 * construct.threads.max(1) * construct.calls.max(1);
    let most = (construct.iterations / shares).max(1);
    let chunk = wanted.next_power_of_two().min(most);
    let left = construct.iterations.div_ceil(chunk).min(chunks);
    let threads = construct.threads.max(1) as f64;
    let fewer = (chunks - left) as f64 * on_path(report, at) / threads;
    let cure = match construct.iterations {
        0 => "try larger chunks".to_owned(),
        _ => format!("try chunks of {chunk} iterations"),
    };
    let [least, most] = range.map(|part| fewer * part);
    (cure, Gain::of(report, fewer * handing_out, least, most))
}

fn tool(report: &Report, found: &mut Findings) {
    let lost = report.times.of(State::OverheadTool);
    if worth(report, lost) {
        let share = of_all(report, lost);
        let text = format!(
            "Threads wait {} ({} of all thread time) for this tool's own buffers",
            duration(lost),
            percent(share),
        );
        let gain = Gain::of(report, 0.0, 0.0, 0.0);
        let finding = Finding { kind: "tool", lost_ns: lost, share, text, ..Finding::default() };
        found.push(finding.cured_by("try `--buffer 1M`", gain));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Recording;

    #[test]
    fn of_many_forks_one_is_left() {
        let mut region = RegionReport { calls: 20, ..RegionReport::default() };
        region.times.add(State::OverheadFork, 2_000);
        let report = Report { wall_ns: 10_000, ..Report::default() };
        let gain = merged(&report, &region);
        assert_eq!((gain.ns, gain.low_ns, gain.high_ns), (1_900, 950, 1_900));
        let once = RegionReport { calls: 1, ..region };
        assert_eq!(merged(&report, &once).ns, 0);
    }

    /// A loop of 1000 chunks of one iteration each, which two threads take.
    fn fine(dispatch_ns: Option<u64>, work: u64) -> (String, Gain) {
        cured(ConstructReport { dispatch_ns, ..ConstructReport::default() }, work)
    }

    /// A loop like it, whose first chunk took so long.
    fn fine_after(first_chunk_ns: Option<u64>, work: u64) -> (String, Gain) {
        cured(ConstructReport { first_chunk_ns, ..ConstructReport::default() }, work)
    }

    fn cured(construct: ConstructReport, work: u64) -> (String, Gain) {
        let mut construct =
            ConstructReport { calls: 1, threads: 2, chunks: 1_000, iterations: 1_000, ..construct };
        construct.times.add(State::WorkParallel, work);
        let recording = Recording { record_ns: 10.0, path_ns: 0 };
        let report = Report { wall_ns: 1_000_000, recording, ..Report::default() };
        larger(&report, 0, &construct)
    }

    #[test]
    fn what_handing_out_takes_is_measured_where_chunks_have_ends() {
        // 190 ns each but for the record; 64 iterations of 90 ns are 25 times that.
        let (cure, gain) = fine(Some(200_000), 100_000);
        assert_eq!(cure, "try chunks of 64 iterations");
        assert_eq!((gain.ns, gain.low_ns), (984 / 2 * 190, 984 / 2 * 95));
        // Else it is assumed to be 400 ns, or nearly all of a chunk.
        let (_, gain) = fine(None, 310_000);
        let fewer = (1_000 - 8) / 2;
        assert_eq!((gain.ns, gain.high_ns), (fewer * 285, fewer * 300));
        // 700 ns at the begin of the loop, but for the record; 32 iterations of 300 ns are 25 times what is assumed.
        let (cure, gain) = fine_after(Some(710), 1_010_000);
        let fewer = (1_000 - 32) / 2;
        assert_eq!(cure, "try chunks of 32 iterations");
        assert_eq!((gain.ns, gain.low_ns), (fewer * 700, fewer * 175));
    }
}
