//! The states of threads, which the timeline reports: a report has none of its own.

use crate::script::Script;
use ompttrace_recording::events::Wait;
use ompttrace_report::State;
use ompttrace_report::model::Class;

const CODE: u64 = 0x1000;

#[test]
fn a_thread_that_works_when_the_recording_stops_is_in_no_unfinished_wait() {
    let mut script = Script::new();
    script.fork(100, 1, CODE).arrive(1, 200, 1);
    let report = script.report();
    let unfinished = report.unfinished.iter().map(|one| (one.thread, one.state));
    let barrier = State::WaitBarrierImplicit.name();
    assert_eq!(unfinished.collect::<Vec<_>>(), [(1, barrier)], "thread 0 works in the team");
}

#[test]
fn a_thread_that_starts_a_team_when_the_recording_stops_is_in_an_unfinished_one() {
    let mut script = Script::new();
    script.fork(100, 1, CODE).arrive(1, 200, 1).arrive(0, 200, 1).join(210, 1, CODE);
    script.begin_region(300, 2, CODE);
    let report = script.report();
    let unfinished = report.unfinished.iter().map(|one| (one.thread, one.state));
    assert_eq!(unfinished.collect::<Vec<_>>(), [(0, State::OverheadFork.name())]);
}

/// A wait for the tool does not change a thread's role in blame shifting.
#[test]
fn a_worker_in_no_team_idles_also_while_it_waits_for_the_tool() {
    let mut script = Script::new();
    script.once(1, 20, Wait { ticks: 30, reason: 1 });
    script.fork(100, 1, CODE).arrive(0, 200, 1).arrive(1, 200, 1).join(210, 1, CODE).end(300);
    let report = script.report();
    let worker = &report.threads[1].times;
    assert_eq!((worker.of(State::Idle), worker.of(State::OverheadTool)), (20 + 60 + 90, 30));
    let serial = report.constructs.iter().find(|one| one.class == Class::Serial);
    assert_eq!(serial.map(|one| one.blame.idle_ns), Some(100));
}
