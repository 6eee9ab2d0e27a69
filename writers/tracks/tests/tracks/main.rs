//! Tests of the tracks on which the events of artificial runs are, in any format.

mod activities;
#[path = "../../../../tests/sinks/fake.rs"]
#[allow(dead_code, reason = "the writers' tests use more of it")]
mod fake;
mod listing;
#[path = "../../../../tests/sinks/stencil.rs"]
mod stencil;

use fake::START;
use listing::listed;
use ompttrace_model::ompt::Mutex;
use ompttrace_model::{Counter, Executor, InstantKind, Mark, RegionTrack, Slice, SliceKind, View};
use ompttrace_tracks::Events;

const VIEWS: [View; 3] = [View::Threads, View::Regions, View::Both];

/// An implicit task of a worker, with a slice in it that has flows.
fn implicit_task(view: View) -> Vec<String> {
    let (lines, _) = listed(view, |fake| {
        let executor = fake.on(1, "0.1");
        let task = fake.slice(SliceKind::ImplicitTask, "implicit", 0);
        fake.begin(START, executor, &task);
        let inner = fake.slice(SliceKind::Masked, "masked", 0);
        fake.begin(START + 1, executor, &Slice { flows: &[7], flow_ends: &[8], ..inner });
        fake.end(START + 2, executor, Mark::Observed);
        fake.end(START + 3, executor, Mark::Cut);
    });
    let is_drawn = |line: &String| line.contains(':') && !line.starts_with("what ");
    lines.into_iter().filter(is_drawn).collect()
}

#[test]
fn thread_and_logical_thread_name_each_other_and_flows_stand_once() {
    assert_eq!(
        implicit_task(View::Threads),
        [
            "worker 1: begin implicit, logical thread 0.1",
            "worker 1: begin masked, flow 7, end of flow 8",
            "worker 1: end Observed 2",
            "worker 1: end Cut 3",
        ]
    );
    assert_eq!(
        implicit_task(View::Regions),
        [
            "0.1: begin implicit, thread worker 1",
            "0.1: begin masked, flow 7, end of flow 8",
            "0.1: end Observed 2",
            "0.1: end Cut 3",
        ]
    );
    let both = implicit_task(View::Both);
    assert_eq!(
        both[..4],
        [
            "worker 1: begin implicit, logical thread 0.1",
            "0.1: begin implicit, thread worker 1",
            "worker 1: begin masked, flow 7, end of flow 8",
            "0.1: begin masked",
        ]
    );
}

#[test]
fn tracks_come_with_their_first_event() {
    let (lines, drawn) = listed(View::Regions, |fake| {
        let executor = fake.on(2, "0.2");
        let lock = fake.lock("critical a");
        fake.lock("critical b");
        let hold = fake.slice(SliceKind::MutexHold(Mutex::Critical), "critical", 0);
        fake.hold(START, START + 1, lock, executor, &Slice { flows: &[3], ..hold });
        let region = fake.slice(SliceKind::Region { league: false }, "parallel", 0);
        let region_track = RegionTrack { level: 2, number: 1 };
        fake.region(START, START + 9, region_track, &Slice { flows: &[4], ..region });
        fake.counter(START, Counter::LiveTasks, -1);
    });
    assert_eq!(
        lines,
        [
            "Lock(0) is critical a, Some(0)",
            "critical a: begin critical, thread worker 2, logical thread 0.2, flow 3",
            "critical a: end Observed 1",
            "Level(RegionTrack { level: 2, number: 1 }) is level 2 (2), Some(131073)",
            "level 2 (2): begin parallel",
            "level 2 (2): end Observed 9",
            "LiveTasks: -1",
        ]
    );
    assert_eq!((drawn.hold_slices, drawn.region_slices, drawn.counter_values), (1, 1, 1));
}

#[test]
fn logical_threads_stand_in_the_order_of_their_paths() {
    let (lines, _) = listed(View::Both, |fake| {
        for path in ["0.10", "0", "0.2", "0.1.1", "0.1"] {
            let executor = fake.on(0, path);
            let instant = fake.new_instant(InstantKind::Flush, "flush", 0);
            fake.instant(START, executor, &instant);
        }
        // Defined, but nothing ever happens there.
        fake.on(0, "0.7");
    });
    let paths = ["0", "0.1", "0.1.1", "0.2", "0.10"];
    let ranked: Vec<String> =
        paths.iter().zip(0..).map(|(path, rank)| format!("{path} is number {rank}")).collect();
    assert_eq!(lines[lines.len() - 5..], ranked[..]);
}

#[test]
fn a_loss_is_an_instant_where_it_was_or_a_remark() {
    let remarks = |view, executor| {
        let (lines, drawn) = listed(view, |fake| {
            let lost = fake.new_instant(InstantKind::Lost, "records lost", 0);
            fake.instant(START, executor, &lost);
            fake.reported.lost = 5;
        });
        let remarks = lines.iter().filter(|line| *line == "remark: 5 records lost").count() as u64;
        assert_eq!(remarks, drawn.process_instants);
        remarks
    };
    let known = Executor { thread: 1, logical_thread: None };
    assert_eq!(VIEWS.map(|view| remarks(view, known)), [0, 1, 0]);
    let unknown = Executor { thread: 77, logical_thread: Some(77) };
    assert_eq!(VIEWS.map(|view| remarks(view, unknown)), [1, 1, 1]);
}

#[test]
fn every_event_is_drawn_once_on_each_kind_of_track_of_a_view() {
    for view in VIEWS {
        let mut reported = None;
        let (_, drawn) = listed(view, |fake| {
            stencil::play(fake, START, 3);
            reported = Some(fake.reported.clone());
        });
        let reported = reported.expect("played");
        let on = |shown: bool, slices, instants| {
            if shown { Events { slices, instants } } else { Events::default() }
        };
        assert_eq!(drawn.threads, on(view.has_threads(), reported.slices, reported.instants));
        assert_eq!(
            drawn.logical_threads,
            on(
                view.has_logical_threads(),
                reported.logical_thread_slices,
                reported.logical_thread_instants
            )
        );
        assert_eq!(drawn.region_slices, reported.region_slices);
        assert_eq!(drawn.hold_slices, reported.hold_slices);
        assert_eq!(drawn.counter_values, reported.counter_values);
    }
}

#[test]
fn a_logical_thread_has_no_track_until_it_is_on_a_second_os_thread() {
    let task = |fake: &mut fake::Fake<_>, at: u64, thread, inner: bool| {
        let executor = fake.on(thread, "0.1");
        let implicit = fake.slice(SliceKind::ImplicitTask, "implicit", 0);
        let masked = fake.slice(SliceKind::Masked, "masked", 0);
        fake.begin(START + at, executor, &implicit);
        if inner {
            fake.begin(START + at + 1, executor, &Slice { flows: &[7], ..masked });
            fake.end(START + at + 2, executor, Mark::Observed);
        }
        fake.end(START + at + 3, executor, Mark::Observed);
    };
    let (same, drawn) = listed(View::Auto, |fake| {
        task(fake, 0, 1, true);
        task(fake, 10, 1, true);
    });
    assert!(
        !same.iter().any(|line| line.starts_with("0.1") || line.contains("Logical")),
        "{same:?}"
    );
    assert_eq!((drawn.threads.slices, drawn.logical_threads), (4, Events::default()));
    let (moved, drawn) = listed(View::Auto, |fake| {
        task(fake, 0, 1, false);
        task(fake, 10, 2, true);
        // Back again: it is drawn from now on.
        task(fake, 20, 1, false);
    });
    let wanted = [
        "0.1: begin as on worker 1",
        "0.1: end Observed 10",
        "0.1: begin implicit, thread worker 2",
        "0.1: begin masked",
        "0.1: end Observed 12",
        "0.1: end Observed 13",
        "0.1: begin implicit, thread worker 1",
        "0.1: end Observed 23",
        "0.1 is number 0",
    ];
    let of_it: Vec<_> = moved.into_iter().filter(|line| line.starts_with("0.1")).collect();
    assert_eq!(of_it, wanted);
    assert_eq!((drawn.threads.slices, drawn.logical_threads.slices), (4, 4));
}

/// A begin that is not drawn has an end that is not.
#[test]
fn what_was_open_before_there_was_a_track_ends_unseen() {
    let (lines, _) = listed(View::Auto, |fake| {
        let [before, after] = [fake.on(1, "0.1"), fake.on(2, "0.1")];
        let masked = fake.slice(SliceKind::Masked, "masked", 0);
        fake.begin(START, before, &masked);
        fake.begin(START + 1, after, &masked);
        fake.end(START + 2, after, Mark::Observed);
        fake.end(START + 3, before, Mark::Observed);
    });
    let of_it: Vec<_> = lines.iter().filter(|line| line.starts_with("0.1:")).collect();
    let wanted = ["begin as on worker 1", "end Observed 1", "begin masked", "end Observed 2"];
    assert_eq!(of_it, wanted.map(|line| format!("0.1: {line}")).iter().collect::<Vec<_>>());
}

#[test]
fn slices_begin_with_their_source_location() {
    let (lines, _) = listed(View::Threads, |fake| {
        let executor = fake.on(1, "0.1");
        for (kind, name, line) in [
            (SliceKind::ImplicitTask, "implicit task stencil.c:42", 42),
            (SliceKind::Masked, "masked", 44),
            (SliceKind::Submit, "submit kernel", 0),
        ] {
            let slice = fake.slice(kind, name, line);
            fake.begin(START, executor, &slice);
            fake.end(START, executor, Mark::Observed);
        }
    });
    let begins: Vec<_> = lines.iter().filter_map(|line| line.split_once(": begin ")).collect();
    let names: Vec<_> = begins.iter().map(|(_, name)| *name).collect();
    let wanted =
        ["stencil.c:42 implicit task, logical thread 0.1", "stencil.c:44 masked", "submit kernel"];
    assert_eq!(names, wanted);
}
