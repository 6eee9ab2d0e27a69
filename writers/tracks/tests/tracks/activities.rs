//! What threads do, in one word at a time.

use crate::fake::{Fake, START};
use crate::listing::{Listing, listed};
use ompttrace_model::ompt::{Mutex, SyncRegion};
use ompttrace_model::{Core, Event, InstantKind, Mark, SliceKind, View};
use ompttrace_tracks::TrackSink;

/// The parts of the first worker's time.
fn parts(play: impl FnOnce(&mut Fake<TrackSink<Listing>>)) -> Vec<String> {
    let (lines, drawn) = listed(View::Threads, play);
    let of_worker = |line: &String| {
        line.strip_prefix("what worker 1 does: ").map(|part| part.replace(" to ", "-"))
    };
    assert_eq!(
        drawn.activities,
        lines.iter().filter(|line| line.contains(" does: ")).count() as u64
    );
    lines.iter().filter_map(of_worker).collect()
}

#[test]
fn each_part_of_a_threads_time_is_one_activity_and_neighbours_of_one_kind_are_one() {
    let parts = parts(|fake| {
        let executor = fake.on(1, "0.1");
        let implicit = fake.slice(SliceKind::ImplicitTask, "implicit", 0);
        let masked = fake.slice(SliceKind::Masked, "masked", 0);
        let wait = fake.slice(SliceKind::Wait(SyncRegion::BarrierExplicit), "wait", 0);
        let sync = fake.slice(SliceKind::Sync(SyncRegion::BarrierExplicit), "barrier", 0);
        let begin = fake.new_instant(InstantKind::ThreadBegin, "begin", 0);
        fake.instant(START, executor, &begin);
        fake.begin(START + 100, executor, &implicit);
        fake.begin(START + 200, executor, &masked);
        fake.end(START + 300, executor, Mark::Observed);
        fake.begin(START + 400, executor, &sync);
        fake.begin(START + 410, executor, &wait);
        fake.end(START + 490, executor, Mark::Observed);
        fake.end(START + 500, executor, Mark::Observed);
        fake.end(START + 600, executor, Mark::Observed);
        let end = fake.new_instant(InstantKind::ThreadEnd, "end", 0);
        fake.instant(START + 700, executor, &end);
    });
    let wanted = [
        "idle 0-100",
        "work 100-400",
        "overhead 400-410",
        "wait 410-490",
        "overhead 490-500",
        "work 500-600",
        "idle 600-700",
    ];
    assert_eq!(parts, wanted);
}

#[test]
fn a_thread_that_asks_for_a_lock_waits_from_then_on_unless_it_turns_out_otherwise() {
    let asks = |waits: bool| {
        parts(|fake| {
            let executor = fake.on(1, "0.1");
            let task = fake.slice(SliceKind::ImplicitTask, "implicit", 0);
            let failed = fake.new_instant(InstantKind::LockTestFailed(Mutex::Lock), "test", 0);
            let wait = fake.slice(SliceKind::MutexWait(Mutex::Lock), "wait", 0);
            fake.begin(START, executor, &task);
            let kind = Mutex::Lock;
            fake.emit(START + 100, Event::LockRequested { executor, kind, wait_id: 7 });
            if waits {
                fake.begin(START + 100, executor, &wait);
                fake.end(START + 200, executor, Mark::Observed);
            } else {
                fake.instant(START + 200, executor, &failed);
            }
            fake.end(START + 300, executor, Mark::Observed);
            let end = fake.new_instant(InstantKind::ThreadEnd, "end", 0);
            fake.instant(START + 300, executor, &end);
        })
    };
    assert_eq!(asks(true), ["work 0-100", "wait 100-200", "work 200-300"]);
    assert_eq!(asks(false), ["work 0-300"]);
}

#[test]
fn a_thread_that_works_without_a_core_is_off_it_and_one_that_waits_waits() {
    let parts = parts(|fake| {
        let executor = fake.on(1, "0.1");
        let task = fake.slice(SliceKind::ImplicitTask, "implicit", 0);
        let wait = fake.slice(SliceKind::Wait(SyncRegion::Taskwait), "wait", 0);
        fake.begin(START, executor, &task);
        fake.emit(START + 100, Event::Core(1, Core::Preempted(0)));
        fake.emit(START + 200, Event::Core(1, Core::On(0)));
        fake.begin(START + 300, executor, &wait);
        fake.emit(START + 350, Event::Core(1, Core::Blocked(0)));
        fake.end(START + 400, executor, Mark::Observed);
        fake.end(START + 500, executor, Mark::Observed);
        let end = fake.new_instant(InstantKind::ThreadEnd, "end", 0);
        fake.instant(START + 500, executor, &end);
    });
    let wanted =
        ["work 0-100", "off core 100-200", "work 200-300", "wait 300-400", "off core 400-500"];
    assert_eq!(parts, wanted);
}
