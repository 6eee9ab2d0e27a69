//! Core streams: when threads had a core is merged by time with what they did, and unrecorded times are unknown.

use crate::script::Script;
use ompttrace_model::{Core, CoreSums, Definitions, Event, RunInfo, Sink, SliceKind, Summary};
use ompttrace_recording::events::{
    Control, CoresRead, CoresUnknown, RunDelay, Sample, SampleFrames, SamplesBegin, SwitchIn,
    SwitchOut, ThreadBegin, Wait,
};
use ompttrace_recording::facts::End;
use ompttrace_timeline::Options;

/// Two threads, which are there from 10 to 1,000.
fn threads() -> Script {
    let mut script = Script::new();
    script.thread(0, 10, 1).thread(1, 10, 2).once(0, 1_000, ThreadBegin { thread_type: 1 });
    script
}

fn out(cpu: u64, preempted: u64) -> SwitchOut {
    SwitchOut { cpu, preempted }
}

#[test]
fn threads_get_and_lose_cores_in_the_order_of_time() {
    let mut script = threads();
    let run = &mut script.run;
    run.put_cores(0, 20, SwitchIn { cpu: 3 });
    run.put_cores(0, 30, out(3, 1));
    run.put_cores(1, 25, SwitchIn { cpu: 0 });
    run.put_cores(1, 26, SwitchIn { cpu: 0 });
    run.put_cores(0, 40, SwitchIn { cpu: 1 });
    run.put_cores(1, 35, out(0, 0));
    run.put_cores(1, 50, CoresRead {});
    run.put_cores(0, 60, CoresRead {});
    let timeline = script.timeline();
    assert_eq!(
        timeline.cores,
        [
            (20, 0, Core::On(3)),
            (25, 1, Core::On(0)),
            (30, 0, Core::Preempted(3)),
            (35, 1, Core::Blocked(0)),
            (40, 0, Core::On(1)),
            (50, 1, Core::Unknown),
            (60, 0, Core::Unknown),
        ]
    );
    assert_eq!(timeline.core_sums, []);
    assert_eq!((timeline.summary.records, timeline.summary.dropped.len()), (12, 0));
}

/// Progress and the estimated sizes of traces go by it.
#[test]
fn the_bytes_of_a_run_include_those_of_its_cores() {
    let mut script = threads();
    for at in 0..200 {
        script.run.put_cores(0, 20 + 2 * at, SwitchIn { cpu: 3 });
        script.run.put_cores(0, 21 + 2 * at, out(3, 1));
    }
    let (_folder, recording) = script.run.open().expect("a run folder");
    let mut last = (0, 0);
    let watch = |done, all| last = (done, all);
    let options = Options { min_resume_ns: 0, window: (None, None), watch };
    ompttrace_timeline::run_with(&recording, InOrder::default(), options).expect("a timeline");
    let (done, all) = last;
    assert!(all > 400 * 8 && done * 10 >= all * 9, "{done} of {all}");
}

#[test]
fn the_sums_count_for_what_switches_do_not_say() {
    let mut script = threads();
    let run = &mut script.run;
    let sums = |run_ns, delay_ns| RunDelay { run_ns, delay_ns, ..RunDelay::default() };
    run.put_cores(0, 20, SwitchIn { cpu: 0 });
    run.put_cores(0, 20, sums(1_000, 500));
    run.put_cores(0, 120, out(0, 1));
    run.put_cores(0, 150, CoresUnknown { reason: 1, count: 7 });
    run.put_cores(0, 350, sums(1_000 + 100 + 60, 500 + 30 + 90));
    run.put_cores(0, 350, SwitchIn { cpu: 1 });
    run.put_cores(0, 400, sums(1_160 + 50, 620));
    run.put_cores(1, 20, sums(0, 0));
    run.put_cores(1, 120, sums(u64::MAX, 70));
    let timeline = script.timeline();
    let said = |unknown_ns, run_ns, delay_ns| CoreSums { unknown_ns, run_ns, delay_ns };
    assert_eq!(
        timeline.core_sums,
        [
            // What it did since the process began.
            (20, 0, said(10, 10, 0)),
            (20, 1, said(0, 0, 0)),
            (120, 1, said(100, 100, 0)),
            (350, 0, said(200, 60, 90)),
        ]
    );
}

/// Records of cores after the end of the recording are not reported.
#[test]
fn where_recording_is_off_nothing_is_known() {
    let mut script = threads();
    script.once(0, 2_000, Control { command: 4, modifier: 0, origin: 0 });
    script.run.put_cores(0, 20, SwitchIn { cpu: 0 });
    script.run.put_cores(0, 2_500, SwitchOut { cpu: 0, preempted: 0 });
    script.run.put_cores(0, 9_000, CoresRead {});
    let timeline = script.timeline();
    assert_eq!(timeline.cores, [(20, 0, Core::On(0)), (2_000, 0, Core::Unknown)]);
    assert!(timeline.slices.iter().all(|slice| slice.end <= 2_000), "{:?}", timeline.slices);
}

/// Others are still switched while the process ends.
#[test]
fn the_run_does_not_go_on_for_cores() {
    let mut script = threads();
    script.run.facts.life.ended = Some(End { monotonic: 1_500, ..End::default() });
    script.run.put_cores(1, 1_200, SwitchIn { cpu: 0 });
    script.run.put_cores(1, 1_700, RunDelay::default());
    script.run.put_cores(1, 1_800, SwitchOut { cpu: 0, preempted: 1 });
    script.run.put_cores(1, 1_900, CoresRead {});
    let timeline = script.timeline();
    let expected = [Core::On(0), Core::Preempted(0), Core::Unknown];
    let cores: Vec<_> = timeline.cores.iter().map(|(_, _, core)| *core).collect();
    assert_eq!(cores, expected);
    assert!(timeline.cores.iter().all(|(at, ..)| *at <= 1_500), "{:?}", timeline.cores);
    assert_eq!(timeline.core_sums.len(), 1);
    assert!(timeline.core_sums[0].0 <= 1_500, "{:?}", timeline.core_sums);
}

#[test]
fn records_in_the_wrong_stream_are_counted() {
    let mut script = threads();
    script.once(0, 15, SwitchIn { cpu: 2 });
    script.run.put_cores(0, 20, SwitchIn { cpu: 1 });
    script.run.put_cores(0, 30, ThreadBegin { thread_type: 1 });
    let timeline = script.timeline();
    assert_eq!(timeline.summary.dropped, [("in a stream of other events", 2)]);
    assert_eq!(timeline.cores.first(), Some(&(20, 0, Core::On(1))));
}

/// Ends of waits for the tool, changes of cores and samples, as they come.
#[derive(Default)]
struct InOrder(Vec<(u64, &'static str)>);

impl Sink for InOrder {
    type Output = Vec<(u64, &'static str)>;
    type Error = std::convert::Infallible;

    fn start(&mut self, _: &RunInfo<'_>) {}

    fn event(&mut self, _: &Definitions, at: u64, event: &Event<'_>) {
        match event {
            Event::End(_, SliceKind::ToolWait, _) => self.0.push((at, "wait over")),
            Event::Core(..) => self.0.push((at, "core")),
            Event::Sample(..) => self.0.push((at, "sample")),
            _ => {}
        }
    }

    fn finish(self, _: &Definitions, _: &Summary) -> Result<Self::Output, Self::Error> {
        Ok(self.0)
    }
}

/// A thread that waits for the tool from 20 to 40 and has no other record before 1,000.
fn a_wait_for_the_tool() -> Script {
    let mut script = Script::new();
    script.thread(0, 10, 1).once(0, 20, Wait { ticks: 20, reason: 1 });
    script.once(0, 1_000, ThreadBegin { thread_type: 1 });
    script
}

fn in_order(script: &Script) -> Vec<(u64, &'static str)> {
    let (_folder, recording) = script.run.open().expect("a run folder");
    ompttrace_timeline::run(&recording, InOrder::default()).expect("a timeline").0
}

#[test]
fn a_wait_for_the_tool_ends_before_later_changes_of_cores() {
    let mut script = a_wait_for_the_tool();
    script.run.put_cores(0, 30, SwitchIn { cpu: 3 });
    script.run.put_cores(0, 50, out(3, 1));
    assert_eq!(in_order(&script)[..3], [(30, "core"), (40, "wait over"), (50, "core")]);
}

#[test]
fn a_wait_for_the_tool_ends_before_later_samples() {
    let mut script = a_wait_for_the_tool();
    script.run.put_samples(0, 12, SamplesBegin { period: 5, clock: 0, signal: 0 });
    for ticks in [30, 50] {
        let sample = Sample { state: 0, missed: 0, frames: 1, flags: 0, wait_id: 0 };
        script.run.put_samples(0, ticks, sample);
        let frames = SampleFrames { first: 0x1000, second: 0, third: 0, fourth: 0 };
        script.run.put_samples(0, ticks, frames);
    }
    assert_eq!(in_order(&script), [(30, "sample"), (40, "wait over"), (50, "sample")]);
}
