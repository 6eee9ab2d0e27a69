//! A team of two, to the nanosecond: states, blame, mutexes, tasks and the critical path.

use crate::script::{Script, implicit, task};
use ompttrace_recording::Id;
use ompttrace_recording::facts::Runtime;
use ompttrace_report::State;
use ompttrace_report::model::{Class, ConstructReport, Report};

const CODE: u64 = 0x1000;

fn only(report: &Report, class: Class) -> &ConstructReport {
    let mut found = report.constructs.iter().filter(|construct| construct.class == class);
    let one = found.next().expect("one");
    assert!(found.next().is_none(), "only one");
    one
}

/// 100 serial, then a region in which thread 0 works 290 and thread 1 only 90, then 100 serial.
fn uneven() -> Script {
    let mut script = Script::new();
    script.fork(100, 1, CODE).arrive(1, 200, 1).arrive(0, 400, 1).join(400, 1, CODE).end(510);
    script
}

#[test]
fn states_of_a_team_are_exact() {
    let report = uneven().report();
    let of = |thread: usize, state| report.threads[thread].times.of(state);
    assert_eq!(of(0, State::WorkSerial), 100 + 100);
    assert_eq!(of(0, State::OverheadFork), 10 + 10);
    assert_eq!(of(0, State::WorkParallel), 290);
    assert_eq!(of(1, State::WorkParallel), 90);
    assert_eq!(of(1, State::WaitBarrierImplicit), 200);
    assert_eq!(of(1, State::Idle), 110 + 110);
    let region = &report.regions[0];
    assert_eq!((region.calls, region.threads, region.wall_ns), (1, 2, 310));
    assert_eq!(region.work_by_thread_ns, [290, 90]);
    assert_eq!((region.balance.longest_ns, region.balance.mean_ns), (290, 190));
    assert_eq!(region.balance.lost_ns, 200);
}

/// A region with a loop of two chunks a thread, as a source records it that says when chunks end, or one that does not.
fn chunks(interface: &str) -> Report {
    let mut script = Script::new();
    let callbacks = [("dispatch".to_owned(), "always".to_owned())].into();
    let interface = interface.to_owned();
    script.0.facts.runtimes.push(Runtime { interface, callbacks, ..Runtime::default() });
    script.fork(1000, 1, CODE);
    let ends = script.0.facts.runtimes[0].interface == "gomp";
    script.dynamic_loop(0, (1020, 1400), 1, (&[(1030, 1200), (1250, 1380)], ends));
    script.dynamic_loop(1, (1020, 1400), 1, (&[(1040, 1100), (1110, 1390)], ends));
    script.arrive(0, 1410, 1).arrive(1, 1410, 1).join(1420, 1, CODE).end(1500);
    script.report()
}

#[test]
fn handing_out_chunks_is_no_work_where_their_ends_are_reported() {
    let report = chunks("gomp");
    let times = only(&report, Class::Work).times;
    assert_eq!(only(&report, Class::Work).dispatch_ns, Some(120));
    assert_eq!(times.of(State::OverheadSchedule), (10 + 50 + 20) + (20 + 10 + 10));
    assert_eq!(times.work(), (170 + 130) + (60 + 280));
    // Else a chunk lasts to the next one.
    let report = chunks("ompt");
    let times = only(&report, Class::Work).times;
    assert_eq!(only(&report, Class::Work).dispatch_ns, None);
    assert_eq!(times.of(State::OverheadSchedule), 10 + 20);
    assert_eq!(times.work(), 370 + 360);
}

#[test]
fn gains_leave_out_what_recording_takes() {
    let mut script = uneven();
    script.0.facts.record_picoseconds = 10_000;
    let report = script.report();
    // Thread 0 does five things, each begun by a record of 10 ns.
    assert_eq!((report.recording.record_ns, report.recording.path_ns), (10.0, 50));
    let region = &report.regions[0];
    assert_eq!(region.times.recording_work, 10 + 10);
    let on_path = report.critical_path.parts.iter();
    let within = on_path.filter(|part| part.construct == Some(region.construct));
    assert_eq!(within.map(|part| part.recording_ns).sum::<u64>(), 10 + 10 + 10);
    for finding in &report.findings {
        let gain = finding.gain;
        let wall = (report.wall_ns - 50) as f64;
        assert!((gain.share - gain.ns as f64 / wall).abs() < 0.005, "{finding:#?}");
    }
}

#[test]
fn working_threads_are_charged() {
    let report = uneven().report();
    assert_eq!(only(&report, Class::Region).blame.wait_ns, 200);
    // While thread 0 is serial, the worker idles; while it forks and joins, nobody works.
    let serial: Vec<_> =
        report.constructs.iter().filter(|construct| construct.class == Class::Serial).collect();
    let idle: Vec<_> = serial.iter().map(|section| section.blame.idle_ns).collect();
    assert_eq!(idle, [100, 100]);
    let region = report.regions[0].construct;
    assert_eq!(serial[0].between, Some([None, Some(region)]));
    assert_eq!(serial[1].between, Some([Some(region), None]));
    assert_eq!((report.blame.idle_ns, report.blame.idle_uncharged_ns), (220, 20));
    let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, ["short", "serial", "serial"]);
}

#[test]
fn the_critical_path_is_the_one_that_works() {
    let path = uneven().report().critical_path;
    assert_eq!((path.length_ns, path.work_ns, path.switches), (510, 490, 0));
    assert_eq!(path.span_ns, 100 + 290 + 100);
    let parts: Vec<_> = path.parts.iter().map(|part| (part.ns, part.work_ns)).collect();
    assert_eq!(parts, [(310, 290), (100, 100), (100, 100)]);
}

#[test]
fn the_critical_path_goes_through_the_last_to_arrive() {
    let mut script = Script::new();
    script.fork(100, 1, CODE).arrive(0, 200, 1).arrive(1, 400, 1).join(403, 1, CODE).end(510);
    let path = script.report().critical_path;
    assert_eq!((path.length_ns, path.switches), (510, 2), "to the worker and back");
    assert_eq!(path.work_ns, 100 + 290 + 97);
}

/// Thread 1 holds a critical section for 100 at one location, and thread 0 wants it at another.
fn contended() -> Script {
    let mut script = Script::new();
    script.fork(100, 1, CODE);
    script.acquire(1, 120, 0x3000).acquired(1, 121, 0x3000);
    script.acquire(0, 150, 0x4000).released(1, 221, 0x3000).acquired(0, 225, 0x4000);
    script.released(0, 230, 0x4000);
    script.arrive(1, 300, 1).arrive(0, 300, 1).join(300, 1, CODE).end(410);
    script
}

#[test]
fn waiting_for_a_mutex_is_charged_to_its_holder() {
    let report = contended().report();
    assert_eq!(report.threads[0].times.of(State::WaitCritical), 75);
    let blamed: Vec<_> =
        report.holders.iter().map(|holder| (holder.blame_ns, holder.held_ns)).collect();
    assert_eq!(blamed, [(71, 100), (0, 5)], "not to where it is waited for");
    assert_eq!((report.blame.mutex_ns, report.blame.mutex_uncharged_ns), (76, 1 + 4));
    let lock = &report.locks[0];
    assert_eq!((lock.acquired, lock.contended, lock.wait_ns), (2, 1, 76));
    assert_eq!((lock.longest_hold_ns, lock.longest_hold_begin_ns), (100, 121));
}

#[test]
fn the_critical_path_goes_through_the_holder() {
    let path = contended().report().critical_path;
    assert_eq!(path.length_ns, 410);
    assert!(path.switches >= 2, "over the worker's hold: {}", path.switches);
}

/// A release is stamped once the mutex is free: the next one's stamp may be earlier, and its wait has ended by that all the same.
#[test]
fn the_critical_path_goes_through_a_holder_whose_release_is_stamped_late() {
    let mut script = Script::new();
    script.fork(100, 1, CODE);
    script.acquire(1, 120, 0x3000).acquired(1, 121, 0x3000);
    script.acquire(0, 150, 0x4000).acquired(0, 225, 0x4000).released(1, 226, 0x3000);
    script.released(0, 230, 0x4000);
    script.arrive(1, 300, 1).arrive(0, 300, 1).join(300, 1, CODE).end(410);
    let path = script.report().critical_path;
    assert_eq!((path.length_ns, path.switches), (410, 2), "over the worker's hold");
    assert!(path.work_ns > 380, "the worker's work, and not the wait for it: {path:?}");
}

/// Thread 0 makes a task that thread 1 runs from its barrier.
#[test]
fn tasks_are_reported_by_creating_and_executing_thread() {
    let mut script = Script::new();
    let (waiting, primary) = (implicit(1, 1), implicit(0, 1));
    script.fork(100, 1, CODE).arrive(1, 150, 1);
    script.create(0, 200, primary, task(1)).create(0, 220, primary, task(2));
    script.schedule(1, 230, waiting, task(1), 7).schedule(1, 330, task(1).started(), Id::NONE, 1);
    script.arrive(0, 240, 1);
    script.schedule(0, 250, primary, task(2), 7).schedule(0, 290, task(2).started(), Id::NONE, 1);
    script.join(340, 1, CODE).end(450);
    let report = script.report();
    let tasks = &report.tasks;
    assert_eq!((tasks.created, tasks.executed), (2, 2));
    let site = &tasks.sites[0];
    assert_eq!((site.work_ns, site.mean_ns, site.longest_ns), (140, 70, 100));
    assert_eq!((site.made_in_a_row, site.making_ns, site.begun_elsewhere), (1, 20, 1));
    assert_eq!((site.queued_ns, site.longest_queued_ns), (30, 30));
    assert_eq!(report.threads[1].times.of(State::WaitBarrierImplicit), 80 + 10);
    // To the creation on thread 0, through the task on thread 1, back to thread 0.
    let path = &report.critical_path;
    assert_eq!((path.length_ns, path.switches), (450, 2));
    assert_eq!(path.span_ns, 100 + 90 + 100 + 100);
}
