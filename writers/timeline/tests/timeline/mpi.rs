//! Calls of MPI: slices in the task that makes them, with what they transfer, and states of their own.

use crate::script::{Script, implicit};
use ompttrace_model::{
    ArgKey, ArgValue, Collective, InstantKind, Mark, Message, MpiEvent, SliceKind, State,
};
use ompttrace_recording::Id;
use ompttrace_recording::events::*;
use ompttrace_recording::facts::{MPI, Runtime};
use ompttrace_recording::mpi::{FUNCTIONS, Group, PERSISTENT, rank};
use ompttrace_recording::words::At;
use ompttrace_timeline::testing::Timeline;

const ROOT: Id = implicit(0, 0);
const WORLD: u64 = 0x4400_0000;

/// The number of a function.
fn number(name: &str) -> u64 {
    FUNCTIONS.iter().find(|one| one.name == name).expect("a function").number.into()
}

fn enter(script: &mut Script, t: usize, at: u64, name: &str) {
    let (code, kind) = At::unpack(At::pack(0x3000, number(name)));
    script.once(t, at, MpiEnter { code, kind, communicator: WORLD });
}

fn leave(script: &mut Script, t: usize, at: u64, name: &str) {
    script.once(t, at, MpiLeave { function: number(name), result: 0 });
}

fn one() -> Script {
    let mut script = Script::new();
    script.thread(0, 1, 1);
    script.once(0, 2, MpiWorld { world: WORLD, size: 2, ..MpiWorld::default() });
    script
}

/// A message that was received: time, peer, bytes.
fn received(timeline: &Timeline) -> Vec<(u64, Option<ArgValue>, Option<ArgValue>)> {
    let instants = timeline.instants_of(InstantKind::MpiReceived);
    let arg = |args: &[ompttrace_model::Arg], key| {
        args.iter().find(|arg| arg.key == key).map(|arg| arg.value)
    };
    instants
        .iter()
        .map(|one| (one.at, arg(&one.args, ArgKey::Peer), arg(&one.args, ArgKey::Bytes)))
        .collect()
}

#[test]
fn a_call_has_what_it_transfers_and_is_no_work() {
    let mut script = one();
    script.once(0, 10, MpiSend { peer: 1, tag: 7, bytes: 80 });
    enter(&mut script, 0, 10, "MPI_Send");
    leave(&mut script, 0, 30, "MPI_Send");
    let root = rank::NONE.into();
    script.once(0, 40, MpiCollective { root, flags: 0, given: 8, taken: 16 });
    enter(&mut script, 0, 40, "MPI_Allgather");
    leave(&mut script, 0, 60, "MPI_Allgather");
    let timeline = script.timeline();
    let [send] = timeline.of_kind(SliceKind::Mpi(Group::PointToPoint))[..] else { panic!("one") };
    assert_eq!((send.name.as_str(), send.span(), send.task), ("MPI_Send", (10, 30), ROOT));
    let args = [ArgKey::Peer, ArgKey::Tag, ArgKey::Bytes].map(|key| send.arg(key));
    let expected = [ArgValue::Signed(1), ArgValue::Signed(7), ArgValue::Number(80)];
    assert_eq!(args, expected.map(Some));
    assert!(matches!(send.arg(ArgKey::Communicator), Some(ArgValue::Text(_))));
    let [all] = timeline.of_kind(SliceKind::Mpi(Group::Collective))[..] else { panic!("one") };
    assert_eq!((all.arg(ArgKey::Root), all.arg(ArgKey::Peer)), (None, None), "it has none");
    assert_eq!(all.arg(ArgKey::Received), Some(ArgValue::Number(16)));
    let times = timeline.time_in_states(0, 60);
    assert_eq!(times[&(0, State::MpiPointToPoint)], 20);
    assert_eq!(times[&(0, State::MpiCollective)], 20);
    assert_eq!(times[&(0, State::WorkSerial)], 19);
    assert!(timeline.summary.dropped.is_empty(), "{:?}", timeline.summary.dropped);
}

#[test]
fn a_rank_without_openmp_is_in_its_initial_task() {
    let mut script = Script::new();
    script.run.facts.life.began = Some(5);
    script.run.facts.runtimes.push(Runtime { interface: MPI.into(), ..Runtime::default() });
    enter(&mut script, 0, 10, "MPI_Init");
    leave(&mut script, 0, 30, "MPI_Init");
    let timeline = script.timeline();
    let [initial] = timeline.of_kind(SliceKind::InitialTask)[..] else { panic!("one") };
    assert_eq!((initial.begin, initial.begin_mark), (5, Mark::Inferred));
    let times = timeline.time_in_states(0, 30);
    assert_eq!(times[&(0, State::WorkSerial)], 5);
    assert_eq!(times[&(0, State::MpiOther)], 20);
    assert_eq!(times.len(), 2, "{times:?}");
}

#[test]
fn the_request_that_a_call_completes_is_the_newest_of_its_handle() {
    let mut script = one();
    let (handle, done) = (0x99, MpiDone { index: 0, flags: 0, peer: 1, tag: 3, bytes: 40 });
    for (at, name) in [(10, "MPI_Isend"), (20, "MPI_Irecv")] {
        match name {
            "MPI_Isend" => script.once(0, at, MpiSend { peer: 1, tag: 3, bytes: 24 }),
            _ => script.once(0, at, MpiReceive { peer: 1, tag: 3, bytes: 64 }),
        };
        enter(&mut script, 0, at, name);
        script.once(0, at + 1, MpiPost { request: handle, kind: 0 });
        leave(&mut script, 0, at + 2, name);
    }
    // A test that fails gives it back; then the receive is complete, and last the send, which has received nothing.
    for (at, name, completes) in
        [(30, "MPI_Test", false), (40, "MPI_Wait", true), (50, "MPI_Wait", true)]
    {
        script.once(0, at, MpiRequest { request: handle, index: 0 });
        enter(&mut script, 0, at, name);
        if completes {
            script.once(0, at + 1, done);
        }
        leave(&mut script, 0, at + 2, name);
    }
    let timeline = script.timeline();
    let expected = (41, Some(ArgValue::Signed(1)), Some(ArgValue::Number(40)));
    assert_eq!(received(&timeline), [expected]);
    assert_eq!(timeline.of_kind(SliceKind::Mpi(Group::Wait)).len(), 3);
}

#[test]
fn a_run_of_polls_is_one_slice_with_its_number() {
    let mut script = one();
    let [test, probe] = ["MPI_Test", "MPI_Iprobe"].map(number);
    for (at, count, other_count) in [(10, 7, 3), (40, 1, 0)] {
        let other = if other_count > 0 { probe } else { 0 };
        script.once(0, at, MpiPolls { function: test, count, other, other_count });
        enter(&mut script, 0, at, "MPI_Test");
        script.once(0, at + 20, MpiLeft {});
    }
    enter(&mut script, 0, 70, "MPI_Test");
    script.once(0, 75, MpiLeft {});
    let timeline = script.timeline();
    let slices = timeline.of_kind(SliceKind::Mpi(Group::Wait));
    let found: Vec<_> = slices.iter().map(|one| (one.span(), one.arg(ArgKey::Count))).collect();
    let count = Some(ArgValue::Number(10));
    assert_eq!(found, [((10, 30), count), ((40, 60), None), ((70, 75), None)]);
    assert_eq!(timeline.time_in_states(0, 80)[&(0, State::MpiWait)], 45);
}

#[test]
fn a_call_that_an_exception_left_ends_with_the_next() {
    let mut script = one();
    enter(&mut script, 0, 10, "MPI_Recv");
    enter(&mut script, 0, 20, "MPI_Barrier");
    leave(&mut script, 0, 30, "MPI_Barrier");
    let timeline = script.timeline();
    let [left] = timeline.of_kind(SliceKind::Mpi(Group::PointToPoint))[..] else { panic!("one") };
    assert_eq!((left.span(), left.end_mark), ((10, 20), Mark::Inferred));
    let [next] = timeline.of_kind(SliceKind::Mpi(Group::Collective))[..] else { panic!("one") };
    assert_eq!((next.span(), next.depth), ((20, 30), left.depth));
}

#[test]
fn an_error_is_shown() {
    let mut script = one();
    enter(&mut script, 0, 10, "MPI_Barrier");
    script.once(0, 20, MpiLeave { function: number("MPI_Barrier"), result: 5 });
    let timeline = script.timeline();
    let [error] = timeline.instants_of(InstantKind::MpiError)[..] else { panic!("one") };
    assert_eq!((error.at, error.args[0].value), (20, ArgValue::Number(5)));
}

/// A call that posts a request of this handle.
fn post(script: &mut Script, at: u64, name: &str, handle: u64) {
    match name {
        "MPI_Isend" => script.once(0, at, MpiSend { peer: 1, tag: 3, bytes: 24 }),
        "MPI_Irecv" => script.once(0, at, MpiReceive { peer: 1, tag: 3, bytes: 64 }),
        _ => {
            let root = rank::NONE.into();
            script.once(0, at, MpiCollective { root, flags: 0, given: 8, taken: 16 })
        }
    };
    enter(script, 0, at, name);
    script.once(0, at + 1, MpiPost { request: handle, kind: 0 });
    leave(script, 0, at + 2, name);
}

/// A call that is given requests of these handles, and completes the ones at these indices.
fn wait(script: &mut Script, at: u64, name: &str, handles: &[u64], done: &[(u64, u64)]) {
    for (request, index) in handles.iter().zip(0..) {
        script.once(0, at, MpiRequest { request: *request, index });
    }
    enter(script, 0, at, name);
    for (index, flags) in done {
        let (index, flags) = (*index, *flags);
        script.once(0, at + 1, MpiDone { index, flags, peer: 1, tag: 3, bytes: 40 });
    }
    leave(script, 0, at + 2, name);
}

#[test]
fn arrows_and_messages_lead_from_posts_to_completions() {
    let mut script = one();
    post(&mut script, 10, "MPI_Isend", 1);
    post(&mut script, 20, "MPI_Irecv", 2);
    post(&mut script, 30, "MPI_Iallgather", 3);
    wait(&mut script, 40, "MPI_Testany", &[1, 2, 3], &[]);
    wait(&mut script, 50, "MPI_Waitany", &[1, 2, 3], &[(1, 0)]);
    wait(&mut script, 60, "MPI_Waitall", &[1, 3], &[(0, 0), (1, 0)]);
    let timeline = script.timeline();
    let posts: Vec<_> = timeline.slices.iter().flat_map(|slice| slice.flows.clone()).collect();
    let [send, receive, collective] = posts[..] else { panic!("{posts:x?}") };
    let ends: Vec<_> = timeline
        .slices
        .iter()
        .map(|slice| slice.flow_ends.clone())
        .filter(|one| !one.is_empty())
        .collect();
    assert_eq!(ends, [vec![send, collective]], "of MPI_Waitall alone");
    let [received] = timeline.instants_of(InstantKind::MpiReceived)[..] else { panic!("one") };
    assert_eq!((received.at, &*received.flow_ends), (51, &[receive][..]));
    let message = |bytes| Message { communicator: 0, peer: 1, tag: 3, bytes, id: 0 };
    let events: Vec<_> = timeline.messages.iter().map(|(at, _, event)| (*at, *event)).collect();
    let number = number("MPI_Iallgather") as u16;
    let all = Collective {
        function: number,
        communicator: 0,
        root: rank::NONE,
        sent: 8,
        received: 16,
        id: 0,
    };
    let tested = [send, receive, collective].map(|request| (42, MpiEvent::Tested(request)));
    let expected = [
        (11, MpiEvent::Sent(message(24), Some(send))),
        (21, MpiEvent::ReceivePosted(receive)),
        (31, MpiEvent::CollectivePosted(all, collective)),
        tested[0],
        tested[1],
        tested[2],
        (51, MpiEvent::Received(message(40), Some(receive))),
        (52, MpiEvent::Tested(send)),
        (52, MpiEvent::Tested(collective)),
        (61, MpiEvent::SendComplete(send)),
        (61, MpiEvent::CollectiveComplete(all, collective)),
    ];
    assert_eq!(events, expected);
}

#[test]
fn a_request_that_is_cancelled_receives_nothing() {
    let mut script = one();
    post(&mut script, 10, "MPI_Irecv", 1);
    wait(&mut script, 20, "MPI_Wait", &[1], &[(0, 1)]);
    let timeline = script.timeline();
    assert!(timeline.instants_of(InstantKind::MpiReceived).is_empty());
    let events: Vec<_> = timeline.messages.iter().map(|(.., event)| *event).collect();
    let [MpiEvent::ReceivePosted(posted), MpiEvent::Cancelled(cancelled)] = events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(posted, cancelled);
}

#[test]
fn a_request_that_is_freed_is_gone() {
    let mut script = one();
    post(&mut script, 10, "MPI_Irecv", 1);
    wait(&mut script, 20, "MPI_Cancel", &[1], &[]);
    wait(&mut script, 30, "MPI_Request_free", &[1], &[]);
    // Another one with its handle would be completed first: this is the end of none.
    wait(&mut script, 40, "MPI_Wait", &[1], &[(0, 0)]);
    let timeline = script.timeline();
    assert!(timeline.instants_of(InstantKind::MpiReceived).is_empty());
    let events: Vec<_> = timeline.messages.iter().map(|(.., event)| *event).collect();
    let [MpiEvent::ReceivePosted(posted), MpiEvent::Freed(freed)] = events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(posted, freed);
}

/// A call that makes a request of this kind, which sends.
fn make(script: &mut Script, at: u64, name: &str, (handle, kind): (u64, u64)) {
    script.once(0, at, MpiSend { peer: 1, tag: 3, bytes: 24 });
    enter(script, 0, at, name);
    script.once(0, at + 1, MpiPost { request: handle, kind });
    leave(script, 0, at + 2, name);
}

#[test]
fn a_persistent_request_sends_each_time_it_is_started() {
    let mut script = one();
    make(&mut script, 10, "MPI_Send_init", (1, PERSISTENT));
    for at in [20, 40] {
        wait(&mut script, at, "MPI_Start", &[1], &[]);
        wait(&mut script, at + 5, "MPI_Test", &[1], &[]);
        wait(&mut script, at + 10, "MPI_Wait", &[1], &[(0, 0)]);
    }
    // It is not active.
    wait(&mut script, 60, "MPI_Wait", &[1], &[(0, 0)]);
    wait(&mut script, 70, "MPI_Request_free", &[1], &[]);
    wait(&mut script, 80, "MPI_Start", &[1], &[]);
    let timeline = script.timeline();
    let events: Vec<_> = timeline.messages.iter().map(|(at, _, event)| (*at, *event)).collect();
    let message = Message { communicator: 0, peer: 1, tag: 3, bytes: 24, id: 0 };
    let requests: Vec<_> = events
        .iter()
        .filter_map(
            |(_, event)| if let MpiEvent::Sent(_, request) = event { *request } else { None },
        )
        .collect();
    let [first, second] = requests[..] else { panic!("{events:?}") };
    let of = |at: u64, request: u64| {
        [
            (at, MpiEvent::Sent(message, Some(request))),
            (at + 7, MpiEvent::Tested(request)),
            (at + 11, MpiEvent::SendComplete(request)),
        ]
    };
    assert_ne!(first, second);
    assert_eq!(events, [of(20, first), of(40, second)].concat());
}
