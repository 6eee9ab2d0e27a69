//! Doacross loops: iterations, and arrows from those that are done to those that waited for them.

use crate::script::{Script, implicit, region};
use ompttrace_model::{InstantKind, Item, Mark};
use ompttrace_recording::events::*;
use ompttrace_recording::{Id, Scope};
use ompttrace_timeline::testing::{SeenInstant, Timeline};

const ROOT: Id = implicit(0, 0);
const STATIC: u64 = 10;
/// ompt_dependence_type_t.
const SOURCE: u64 = 5;
const SINK: u64 = 6;

/// Two threads in one region: their implicit tasks are `implicit_task(0)` and `implicit_task(1)`.
fn team() -> Script {
    let (mut script, forked) = (Script::new(), region(0, 5));
    script.thread(0, 1, 1).thread(1, 2, 2).fork(0, 10, forked, ROOT, 2);
    script.implicit_begins(0, 11, forked, implicit_task(0), (2, 0)).implicit_begins(
        1,
        12,
        forked,
        implicit_task(1),
        (2, 1),
    );
    script
}

fn implicit_task(thread: u64) -> Id {
    Id::implicit_task(Id::thread_part(thread), 9, region(0, 5))
}

fn loops(script: &mut Script, at: u64, scope: Scope) {
    for thread in [0, 1] {
        script.work(thread, at + thread as u64, scope, STATIC, implicit_task(thread as u64), 10);
    }
}

/// A thread says something of an iteration.
fn says(script: &mut Script, t: usize, at: u64, kind: u64, iteration: &[u64]) {
    let (task, count) = (implicit_task(t as u64).0, iteration.len() as u64);
    script.once(t, at, Dependences { task, count });
    for &variable in iteration {
        script.once(t, at, Dependence { variable, kind });
    }
}

fn steps<'t>(timeline: &'t Timeline, name: &str) -> Vec<&'t SeenInstant> {
    let mut steps = timeline.instants_of(InstantKind::TaskDependence);
    steps.retain(|step| step.name == name);
    steps
}

/// The arrow that ends at the `nth` sink begins at the `from`th source.
fn leads(timeline: &Timeline, from: usize, nth: usize) -> bool {
    let (sources, sinks) = (steps(timeline, "depend(source)"), steps(timeline, "depend(sink)"));
    sinks[nth].flow_ends.len() == 1 && sources[from].flows.contains(&sinks[nth].flow_ends[0])
}

#[test]
fn a_wait_for_an_iteration_has_an_arrow_from_it() {
    let mut script = team();
    loops(&mut script, 20, Scope::Begin);
    says(&mut script, 0, 30, SOURCE, &[0, 7]);
    says(&mut script, 1, 40, SINK, &[0, 7]);
    says(&mut script, 1, 41, SINK, &[0, 6]);
    says(&mut script, 1, 50, SOURCE, &[1, 7]);
    loops(&mut script, 60, Scope::End);
    let timeline = script.timeline();
    let (sources, sinks) = (steps(&timeline, "depend(source)"), steps(&timeline, "depend(sink)"));
    assert_eq!(sources[0].items, [Item::Iteration(0), Item::Iteration(7)]);
    assert_eq!((sources.len(), sinks.len()), (2, 2));
    assert!(leads(&timeline, 0, 0));
    assert_eq!((sinks[1].flow_ends.len(), sinks[1].at), (0, 41), "nobody said that it is done");
    assert_eq!(timeline.summary.inferred, 0);
}

#[test]
fn each_of_several_that_waited_has_an_arrow() {
    let mut script = team();
    loops(&mut script, 20, Scope::Begin);
    says(&mut script, 0, 30, SOURCE, &[0]);
    says(&mut script, 1, 40, SINK, &[0]);
    says(&mut script, 0, 50, SINK, &[0]);
    loops(&mut script, 60, Scope::End);
    let timeline = script.timeline();
    assert!(leads(&timeline, 0, 0) && leads(&timeline, 0, 1));
    let sinks = steps(&timeline, "depend(sink)");
    assert_ne!(sinks[0].flow_ends, sinks[1].flow_ends, "a flow is one arrow");
}

/// LLVM's runtime lets others go on and reports it then.
#[test]
fn an_iteration_that_is_reported_late_has_its_arrows_too() {
    let mut script = team();
    loops(&mut script, 20, Scope::Begin);
    says(&mut script, 1, 40, SINK, &[0, 1]);
    says(&mut script, 1, 42, SINK, &[1, 0]);
    says(&mut script, 0, 45, SOURCE, &[0, 1]);
    says(&mut script, 0, 47, SOURCE, &[1, 0]);
    says(&mut script, 1, 50, SOURCE, &[1, 1]);
    loops(&mut script, 60, Scope::End);
    let timeline = script.timeline();
    assert!(leads(&timeline, 0, 0) && leads(&timeline, 1, 1));
    let sinks = steps(&timeline, "depend(sink)");
    assert_eq!([sinks[0].at, sinks[1].at], [45, 47]);
    assert_eq!([sinks[0].mark, sinks[1].mark], [Mark::Inferred; 2]);
}

#[test]
fn a_thread_that_goes_on_does_not_wait_for_the_report() {
    let mut script = team();
    loops(&mut script, 20, Scope::Begin);
    says(&mut script, 1, 40, SINK, &[0]);
    says(&mut script, 1, 43, SOURCE, &[1]);
    says(&mut script, 0, 45, SOURCE, &[0]);
    loops(&mut script, 60, Scope::End);
    let timeline = script.timeline();
    let sink = steps(&timeline, "depend(sink)")[0];
    assert_eq!((sink.at, sink.mark, sink.flow_ends.len()), (40, Mark::Observed, 0));
}

#[test]
fn the_same_iteration_of_another_loop_is_another() {
    let mut script = team();
    loops(&mut script, 20, Scope::Begin);
    says(&mut script, 0, 30, SOURCE, &[0]);
    loops(&mut script, 40, Scope::End);
    loops(&mut script, 50, Scope::Begin);
    says(&mut script, 1, 60, SINK, &[0]);
    loops(&mut script, 70, Scope::End);
    says(&mut script, 1, 80, SINK, &[0]);
    let timeline = script.timeline();
    let sinks = steps(&timeline, "depend(sink)");
    assert!(sinks.len() == 2 && sinks.iter().all(|sink| sink.flow_ends.is_empty()));
}
