//! Work-sharing constructs and their chunks, targets, instants.

use crate::script::{Script, implicit, region, task};
use ompttrace_model::ompt;
use ompttrace_model::{ArgKey, ArgValue, InstantKind, Mark, SliceKind};
use ompttrace_recording::events::*;
use ompttrace_recording::{Id, Scope};
use ompttrace_timeline::testing::Timeline;

const ROOT: Id = implicit(0, 0);
const DYNAMIC: u64 = 11;
const SINGLE: u64 = 3;

fn one() -> Script {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    script
}

#[test]
fn a_chunk_lasts_to_the_next_or_to_the_end_of_its_loop() {
    let mut script = one();
    script.work(0, 10, Scope::Begin, DYNAMIC, ROOT, 100);
    script.once(0, 20, Dispatch { kind: 3, first: 0, count: 50 });
    script.once(0, 50, Dispatch { kind: 3, first: 50, count: 50 });
    script.work(0, 90, Scope::End, DYNAMIC, ROOT, 0);
    let timeline = script.timeline();
    let spans: Vec<_> = timeline
        .on(0, SliceKind::Dispatch(ompt::Dispatch::LoopChunk))
        .iter()
        .map(|s| s.span())
        .collect();
    assert_eq!(spans, [(20, 50), (50, 90)]);
    let work = timeline.on(0, SliceKind::Work(DYNAMIC.into()))[0];
    assert!(work.name.starts_with("for dynamic"));
    assert_eq!((work.span(), work.arg(ArgKey::Count)), ((10, 90), Some(ArgValue::Number(100))));
    assert_eq!(timeline.summary.inferred, 0);
}

#[test]
fn a_chunk_ends_where_its_source_says_so() {
    let mut script = one();
    script.work(0, 10, Scope::Begin, DYNAMIC, ROOT, 100);
    // Of one that began before recording did.
    script.once(0, 15, ChunkEnd {});
    script.once(0, 20, Dispatch { kind: 3, first: 0, count: 50 }).once(0, 45, ChunkEnd {});
    script.once(0, 50, Dispatch { kind: 3, first: 50, count: 50 }).once(0, 80, ChunkEnd {});
    script.work(0, 90, Scope::End, DYNAMIC, ROOT, 0);
    let timeline = script.timeline();
    let chunks = timeline.on(0, SliceKind::Dispatch(ompt::Dispatch::LoopChunk));
    let spans: Vec<_> = chunks.iter().map(|s| (s.span(), s.end_mark)).collect();
    assert_eq!(spans, [((20, 45), Mark::Observed), ((50, 80), Mark::Observed)]);
    assert_eq!(timeline.on(0, SliceKind::Work(DYNAMIC.into()))[0].span(), (10, 90));
    let summary = &timeline.summary;
    assert!(summary.inferred == 0 && summary.dropped.is_empty(), "{:?}", summary.dropped);
}

#[test]
fn the_end_of_a_loop_may_know_its_schedule_better_than_its_begin() {
    let mut script = one();
    script.work(0, 10, Scope::Begin, 1, ROOT, 100).work(0, 90, Scope::End, DYNAMIC, ROOT, 100);
    assert_eq!(script.timeline().on(0, SliceKind::Work(ompt::Work::Loop))[0].span(), (10, 90));
}

#[test]
fn a_single_without_an_end_ends_before_the_barrier() {
    let mut script = one();
    script
        .work(0, 10, Scope::Begin, SINGLE, ROOT, 1)
        .sync(0, 50, 2, ROOT)
        .sync_ends(0, 80, 2, ROOT);
    let timeline = script.timeline();
    let single = timeline.on(0, SliceKind::Work(SINGLE.into()))[0];
    assert_eq!((single.span(), single.end_mark), ((10, 50), Mark::Inferred));
    assert_eq!(timeline.on(0, SliceKind::Sync(ompt::SyncRegion::BarrierImplicit))[0].depth, 1);
}

#[test]
fn a_chunk_outside_of_any_loop_is_an_instant() {
    let mut script = one();
    script.once(0, 20, Dispatch { kind: 4, first: 0, count: 5 });
    assert_eq!(script.timeline().instants_of(InstantKind::Dispatch)[0].name, "taskloop chunk");
}

#[test]
fn a_chunk_of_a_taskloop_ends_nothing_where_the_events_of_tasks_are_left_out() {
    const TASKGROUP: u64 = 6;
    const TASKLOOP_CHUNK: u64 = 4;
    let mut script = one();
    script.work(0, 10, Scope::Begin, SINGLE, ROOT, 1).sync(0, 20, TASKGROUP, ROOT);
    script.once(0, 30, Dispatch { kind: TASKLOOP_CHUNK, first: 0, count: 7 });
    script.sync_ends(0, 40, TASKGROUP, ROOT).work(0, 50, Scope::End, SINGLE, ROOT, 1);
    let timeline = script.timeline();
    assert_eq!(timeline.on(0, SliceKind::Wait(TASKGROUP.into()))[0].span(), (21, 40));
    assert_eq!(timeline.instants_of(InstantKind::Dispatch)[0].at, 30);
    assert!(timeline.summary.dropped.is_empty(), "{:?}", timeline.summary.dropped);
}

#[test]
fn begin_and_end_at_once_is_a_slice_without_length() {
    let mut script = one();
    script.work(0, 10, Scope::BeginEnd, 4, ROOT, 1);
    assert_eq!(
        script.timeline().on(0, SliceKind::Work(ompt::Work::SingleOther))[0].span(),
        (10, 10)
    );
}

#[test]
fn targets_data_operations_and_submissions_nest() {
    let mut script = one();
    let target =
        TargetEmi { code: 0x9000, kind: 1, device: 0, task: ROOT.0, target_task: 0, target: 7 };
    let op = TargetDataOpEmi {
        kind: 2,
        target: 7,
        host_op: 3,
        src: 0x10,
        dest: 0x20,
        src_device: 0xffff_ffff,
        bytes: 64,
        ..TargetDataOpEmi::default()
    };
    let submit = TargetSubmitEmi { target: 7, host_op: 4, teams: 1 };
    script.put(0, 10, Scope::Begin, target).put(0, 20, Scope::Begin, op).put(0, 30, Scope::End, op);
    script.put(0, 40, Scope::Begin, submit).put(0, 50, Scope::End, submit).put(
        0,
        60,
        Scope::End,
        target,
    );
    let old = TargetDataOp { kind: 1, bytes: 8, ..TargetDataOp::default() };
    script.once(0, 70, old).once(0, 80, TargetSubmit { target: 8, host_op: 5, teams: 2 });
    let timeline = script.timeline();
    assert_eq!(timeline.on(0, SliceKind::Target(ompt::Target::Target))[0].span(), (10, 60));
    let seen = timeline.on(0, SliceKind::DataOp(ompt::DataOp::TransferToDevice))[0];
    assert_eq!((seen.depth, seen.arg(ArgKey::SourceDevice)), (2, Some(ArgValue::Signed(-1))));
    assert_eq!(timeline.on(0, SliceKind::Submit)[0].span(), (40, 50));
    assert_eq!(timeline.instants_of(InstantKind::DataOp)[0].name, "device alloc");
    assert_eq!(timeline.instants_of(InstantKind::Submit).len(), 1);
}

#[test]
fn texts_come_back_together() {
    let mut script = one();
    script.once(0, 10, Error { code: 0, kind: 2, text_bytes: 30 });
    for part in [*b"a message of more than 2", *b"4 byte\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"] {
        let words: Vec<u64> =
            part.chunks(8).map(|c| u64::from_ne_bytes(c.try_into().expect("eight"))).collect();
        script.once(0, 11, Text { first: words[0], second: words[1], third: words[2] });
    }
    let timeline = script.timeline();
    let error = timeline.instants_of(InstantKind::Error)[0];
    assert_eq!((error.at, error.name.as_str()), (10, "fatal error"));
    assert_eq!(error.args.len(), 2);
    assert_eq!(timeline.summary.dropped.len(), 0);
}

#[test]
fn control_flush_and_cancel_are_instants() {
    let mut script = one();
    script.once(
        0,
        10,
        ControlTool { code: 0, kind: 0, command: 2, modifier: 0, result: -2i64 as u64 },
    );
    script.once(0, 20, Flush { code: 0, kind: 0 });
    script.once(0, 30, Cancel { code: 0, kind: 0, task: ROOT.0, flags: 0x11 });
    script.once(0, 40, Lost { event: u64::from(6u8), reason: 1, count: 12 });
    let timeline = script.timeline();
    let names: Vec<_> = timeline.instants.iter().map(|instant| instant.name.as_str()).collect();
    assert_eq!(
        names,
        ["thread begin", "omp_control_tool: pause", "flush", "cancel", "records lost"]
    );
    assert_eq!(timeline.summary.lost, 12);
}

#[test]
fn a_single_in_a_serialised_region_of_an_explicit_task_is_not_the_outer_implicit_tasks() {
    let timeline = singles_in_a_serialised_region(task(0, 5)).timeline();
    assert_eq!(timeline.on(0, SliceKind::Task).len(), 1, "the task is not interrupted");
    are_inner(&timeline);
}

#[test]
fn nor_is_it_where_the_events_of_tasks_are_left_out() {
    let timeline = singles_in_a_serialised_region(Id::NONE).timeline();
    assert_eq!((timeline.summary.inferred, timeline.regions.len()), (0, 2));
    are_inner(&timeline);
}

const MASTER: Id = implicit(0, 1);
const INNER: Id = implicit(0, 2);

/// A serialised region that explicit task `a` begins; nothing is reported of the task if that is none.
fn singles_in_a_serialised_region(a: Id) -> Script {
    let (outer, inner) = (region(0, 1), region(0, 2));
    let mut script = Script::new();
    script.thread(0, 1, 1).fork(0, 10, outer, ROOT, 2).implicit_begins(
        0,
        11,
        outer,
        MASTER,
        (2, 0),
    );
    if !a.is_none() {
        script.create(0, 12, MASTER, a).schedule(0, 13, MASTER, a, 7);
    }
    script.fork(0, 20, inner, a.started(), 1).implicit_begins(0, 21, inner, INNER, (1, 0));
    // As runtimes report it: the outer implicit task's.
    script.work(0, 30, Scope::Begin, 3, MASTER, 1).work(0, 35, Scope::End, 3, MASTER, 1);
    let masked = Masked { code: 0, kind: 0, task: MASTER.0 };
    script.put(0, 40, Scope::Begin, masked).put(0, 45, Scope::End, masked);
    script.implicit_ends(0, 50, INNER, (1, 0)).join(0, 51, inner, a.started());
    if !a.is_none() {
        script.schedule(0, 60, a.started(), MASTER, 1);
    }
    script.implicit_ends(0, 70, MASTER, (2, 0)).join(0, 71, outer, ROOT);
    script.implicit_task(0, 80, Scope::End, Id::NONE, ROOT, (0, 1), 1);
    script
}

fn are_inner(timeline: &Timeline) {
    assert!(timeline.summary.dropped.is_empty(), "{:?}", timeline.summary.dropped);
    for kind in [SliceKind::Work(ompt::Work::SingleExecutor), SliceKind::Masked] {
        assert_eq!(timeline.on(0, kind)[0].task, INNER, "{kind:?}");
    }
}

#[test]
fn a_wait_for_the_tool_is_no_work_and_over_at_its_time() {
    let (mut script, other) = (one(), implicit(1, 0));
    script.thread(1, 2, 1);
    script.once(0, 100, Wait { ticks: 50, reason: 1 });
    script.work(1, 130, Scope::Begin, 10, other, 5).work(1, 200, Scope::End, 10, other, 5);
    script.once(0, 300, Flush { code: 0, kind: 0 });
    script.once(0, 400, Wait { ticks: 50, reason: 1 }).once(0, 420, Flush { code: 0, kind: 0 });
    let timeline = script.timeline();
    let seen: Vec<_> = timeline.counters.iter().map(|(at, _, value)| (*at, *value)).collect();
    assert_eq!(seen[2..], [(100, 1), (150, 2), (400, 1), (420, 2), (420, 0)]);
}

#[test]
fn every_item_of_a_target_map_is_an_entry() {
    let mut script = one();
    script.once(0, 20, TargetMapEmi { code: 0x1000, kind: 0, target: 7, count: 2 });
    for (host, flags) in [(0x10, 1), (0x20, 3)] {
        script.once(0, 21, MapItem { host, device_address: host + 1, bytes: 8, flags });
    }
    let timeline = script.timeline();
    let items = &timeline.instants_of(InstantKind::TargetMap)[0].items;
    let words: Vec<_> = items.iter().map(|item| item.text(|_| "")).collect();
    assert_eq!(words[0], "to 0x10, 8 bytes, at 0x11 of the device");
    assert_eq!(words[1], "tofrom 0x20, 8 bytes, at 0x21 of the device");
}
