//! A run is its process: what is before its first and after its last record.

use crate::script::{IMPLICIT, Script, implicit, region};
use ompttrace_model::{Counter, Mark, SliceKind};
use ompttrace_recording::events::{Control, Flush, ImplicitTask, ParallelBegin, ThreadBegin};
use ompttrace_recording::facts::{End, end};
use ompttrace_recording::{Id, Scope};
use ompttrace_timeline::span_of;

const ROOT: Id = implicit(0, 0);
const REGION: SliceKind = SliceKind::Region { league: false };

/// A process that begins at 10, reports itself at 100 and ends at 500 in this way.
fn process(by: &str) -> Script {
    let mut script = Script::new();
    let life = &mut script.run.facts.life;
    life.began = Some(10);
    life.ended = Some(End { monotonic: 500, by: by.to_owned(), number: None });
    script.thread(0, 100, 1);
    script
}

fn forked(script: &mut Script) -> &mut Script {
    let (r, mine, other) = (region(0, 1), implicit(0, 1), implicit(1, 1));
    script.once(1, 205, ThreadBegin { thread_type: 2 });
    script.fork(0, 200, r, ROOT, 2).implicit_begins(0, 210, r, mine, (2, 0)).implicit_begins(
        1,
        211,
        r,
        other,
        (2, 1),
    )
}

fn span(script: &Script) -> (u64, u64) {
    let (_folder, recording) = script.run.open().expect("a run folder");
    span_of(&recording)
}

#[test]
fn the_initial_task_begins_with_the_process() {
    let mut script = process(end::EXIT);
    script.implicit_task(0, 400, Scope::End, Id::NONE, ROOT, (0, 0), 1);
    let timeline = script.timeline();
    let [initial] = timeline.of_kind(SliceKind::InitialTask)[..] else { panic!("one") };
    assert_eq!(
        (initial.span(), initial.logical_thread.as_str(), initial.task),
        ((10, 400), "0", ROOT)
    );
    assert_eq!((initial.begin_mark, initial.end_mark), (Mark::Inferred, Mark::Observed));
    assert_eq!(timeline.counters.first(), Some(&(10, Counter::ThreadsWorking, 1)));
    assert_eq!(timeline.summary.records, timeline.summary.interpreted);
    assert_eq!(span(&script), (10, 500));
}

#[test]
fn what_is_open_lasts_to_the_end_of_the_process() {
    let mut script = process(end::SIGNAL);
    forked(&mut script).sync(1, 220, IMPLICIT, implicit(1, 1));
    let timeline = script.timeline();
    // A nanosecond after the end, where teams are open.
    for slice in timeline.slices.iter() {
        assert_eq!((slice.end, slice.end_mark), (501, Mark::Cut), "{slice:?}");
    }
    assert_eq!(timeline.slices.len(), 6);
    assert_eq!((timeline.regions[0].end, timeline.regions[0].end_mark), (501, Mark::Cut));
}

#[test]
fn the_last_sign_of_life_is_an_end() {
    let mut script = process(end::SIGNAL);
    script.run.facts.life.ended = None;
    forked(&mut script).once(1, 300, Flush::default());
    assert_eq!(span(&script), (10, 300));
}

#[test]
fn time_before_recording_is_switched_on_is_not_known() {
    let mut script = process(end::EXIT);
    script.run.facts.life.paused = true;
    let timeline = script.timeline();
    let initial = timeline.of_kind(SliceKind::InitialTask)[0];
    assert_eq!((initial.begin, initial.begin_mark), (100, Mark::Observed));
    assert_eq!(span(&script), (100, 500));
}

#[test]
fn time_after_recording_was_switched_off_is_not_known() {
    for (command, end) in [(2, 200), (4, 200), (1, 500)] {
        let mut script = process(end::EXIT);
        script.once(0, 200, Control { command, modifier: 0, origin: 0 });
        let timeline = script.timeline();
        let initial = timeline.of_kind(SliceKind::InitialTask)[0];
        assert_eq!((initial.end, initial.end_mark), (end, Mark::Cut), "command {command}");
    }
}

#[test]
fn a_region_without_its_task_is_in_the_initial_one() {
    let mut bare = Script::new();
    bare.run.facts = process(end::EXIT).run.facts;
    bare.once(0, 100, ThreadBegin { thread_type: 1 });
    let region = region(0, 1).0;
    bare.once(0, 200, ParallelBegin { region, requested: 2, ..ParallelBegin::default() });
    let timeline = bare.timeline();
    assert_eq!(timeline.of_kind(SliceKind::InitialTask)[0].span(), (10, 501));
    assert_eq!(timeline.of_kind(REGION)[0].depth, 1);
}

#[test]
fn a_thread_that_did_not_begin_the_process_begins_with_its_events() {
    let mut script = Script::new();
    script.run.facts.life.began = Some(10);
    let task = implicit(1, 0).0;
    script.once(1, 100, ThreadBegin { thread_type: 1 });
    let initial = ImplicitTask { task, region: 0, team_size: 1, thread_num: 1, flags: 1 };
    script.put(1, 100, Scope::Begin, initial);
    assert_eq!(script.timeline().of_kind(SliceKind::InitialTask)[0].begin, 100);
    assert_eq!(span(&script), (10, 100));
}

#[test]
fn times_that_cannot_be_are_not_believed() {
    for (began, ended) in [(150, 50), (0, u64::MAX), (u64::MAX, 0)] {
        let mut script = process(end::EXIT);
        script.once(0, 200, Flush::default());
        let life = &mut script.run.facts.life;
        life.began = Some(began);
        life.ended = Some(End { monotonic: ended, ..End::default() });
        assert_eq!(span(&script), (began.min(100), 200), "{began} {ended}");
        script.timeline();
    }
}
