//! Numbers of messages that two ranks find alike, each from its own recording.

use ompttrace_model::{Definitions, Event as Reported, MpiEvent, RunInfo, Sink, Summary};
use ompttrace_recording::events::*;
use ompttrace_recording::facts::{MPI, Runtime};
use ompttrace_recording::mpi::{FUNCTIONS, group, rank};
use ompttrace_recording::words::At;
use ompttrace_timeline::testing::{Payload, RunBuilder};
use ompttrace_timeline::{
    JobMessages, LastArrivals, Matching, MessageCounts, OfJob, Options, Ranks, run_of_job,
};
use std::convert::Infallible;

const WORLD: u64 = 0x4400_0000;
const COMMAND_PAUSE: u64 = 2;

/// A rank of two whose records follow each other.
struct Calls {
    run: RunBuilder,
    at: u64,
}

fn number(name: &str) -> u64 {
    FUNCTIONS.iter().find(|one| one.name == name).expect("a function").number.into()
}

impl Calls {
    fn new(rank: u64) -> Calls {
        let mut run = RunBuilder::new();
        run.facts.runtimes = vec![Runtime { interface: MPI.into(), ..Runtime::default() }];
        let mut calls = Calls { run, at: 1 };
        calls.put(MpiWorld { rank, size: 2, world: WORLD, ..MpiWorld::default() });
        calls
    }

    fn put<P: Payload>(&mut self, event: P) {
        self.run.put(0, self.at, Scope::None, event);
    }

    /// A call of this function; `inside` adds what comes of it.
    fn call(&mut self, name: &str, communicator: u64, inside: impl FnOnce(&mut Calls)) {
        let (code, kind) = At::unpack(At::pack(0x3000, number(name)));
        self.put(MpiEnter { code, kind, communicator });
        self.at += 1;
        inside(self);
        self.put(MpiLeft {});
        self.at += 1;
    }

    /// A communicator is made of a parent: this process's rank in it, and its members as ranks of the world.
    fn made(
        &mut self,
        name: &str,
        (handle, parent): (u64, u64),
        (rank, own): (u64, &[u32]),
        remote: &[u32],
    ) {
        self.call(name, parent, |calls| {
            for (group, ranks) in [(group::OWN, own), (group::REMOTE, remote)] {
                for first in ranks.iter().map(|rank| u64::from(*rank)) {
                    calls.put(MpiMembers { first, count: 1, stride: 1, group: group.into() });
                }
            }
            let size = own.len() as u64;
            calls.put(MpiCommunicator { handle, parent, size, rank });
        });
    }

    fn send(&mut self, communicator: u64, tag: u64) {
        self.put(MpiSend { peer: 1, tag, bytes: 8 });
        self.call("MPI_Send", communicator, |_| {});
    }

    fn receive(&mut self, communicator: u64, tag: u64) {
        self.put(MpiReceive { peer: 0, tag, bytes: 8 });
        self.call("MPI_Recv", communicator, |calls| {
            calls.put(MpiReceived { peer: 0, tag, bytes: 8 });
        });
    }

    /// A receive of anything is posted.
    fn post(&mut self, request: u64) {
        let any = u64::from(rank::ANY);
        self.put(MpiReceive { peer: any, tag: any, bytes: 8 });
        self.call("MPI_Irecv", WORLD, |calls| calls.put(MpiPost { request, kind: 0 }));
    }

    /// It is complete.
    fn wait(&mut self, request: u64, tag: u64) {
        self.put(MpiRequest { request, index: 0 });
        self.call("MPI_Wait", 0, |calls| {
            calls.put(MpiDone { index: 0, flags: 0, peer: 0, tag, bytes: 8 });
        });
    }

    fn matching(&self) -> Matching {
        let (_folder, recording) = self.run.open().expect("a run folder");
        Matching::of(&recording, 0)
    }
}

/// Numbers of messages that are sent and received, in the order of events.
#[derive(Debug, Default, PartialEq, Eq)]
struct Numbers {
    sent: Vec<u64>,
    received: Vec<u64>,
}

impl Sink for Numbers {
    type Output = Numbers;
    type Error = Infallible;

    fn start(&mut self, _: &RunInfo<'_>) {}

    fn event(&mut self, _: &Definitions, _: u64, event: &Reported<'_>) {
        match event {
            Reported::Mpi(_, MpiEvent::Sent(message, _)) => self.sent.push(message.id),
            Reported::Mpi(_, MpiEvent::Received(message, _)) => self.received.push(message.id),
            _ => {}
        }
    }

    fn finish(self, _: &Definitions, _: &Summary) -> Result<Numbers, Infallible> {
        Ok(self)
    }
}

fn numbers(calls: &Calls) -> Numbers {
    let (_folder, recording) = calls.run.open().expect("a run folder");
    let (matching, last) = (Matching::of(&recording, 0), LastArrivals::default());
    let options = Options { min_resume_ns: 0, window: (None, None), watch: |_, _| {} };
    let job = Some(OfJob { matching: &matching, last: &last });
    run_of_job(&recording, Numbers::default(), options, job).expect("no error").0
}

/// Sums over what rank 0 sends and rank 1 receives.
fn sums(sender: &Calls, receiver: &Calls) -> JobMessages {
    let mut ranks = Ranks::default();
    for (rank, calls) in [sender, receiver].into_iter().enumerate() {
        let (_folder, recording) = calls.run.open().expect("a run folder");
        ranks.add(rank as u32, &recording, &Matching::of(&recording, 0));
    }
    // Both begin at the same made-up time: which of their events come first means nothing.
    JobMessages { backwards: 0, ..ranks.finish().1 }
}

#[test]
fn the_kth_send_and_receive_of_a_tag_belong_together() {
    let (mut sender, mut receiver) = (Calls::new(0), Calls::new(1));
    for tag in [7, 8, 7, 7] {
        sender.send(WORLD, tag);
    }
    for tag in [7, 7, 8, 7] {
        receiver.receive(WORLD, tag);
    }
    let (sent, received) = (numbers(&sender).sent, numbers(&receiver).received);
    let of_tag_7 = |all: &[u64], other: usize| -> Vec<u64> {
        all.iter().enumerate().filter(|(at, _)| *at != other).map(|(_, id)| *id).collect()
    };
    assert_eq!(of_tag_7(&sent, 1), of_tag_7(&received, 2));
    assert_eq!(sent[1], received[2]);
    assert!(!sent.contains(&0), "{sent:?}");
    let expected = JobMessages { matched: 4, ..JobMessages::default() };
    assert_eq!(sums(&sender, &receiver), expected);
}

#[test]
fn receives_count_in_the_order_in_which_they_were_posted() {
    let (mut sender, mut receiver) = (Calls::new(0), Calls::new(1));
    for _ in 0..3 {
        sender.send(WORLD, 7);
    }
    (1..=3).for_each(|request| receiver.post(request));
    // They are complete in another order.
    [3, 1, 2].into_iter().for_each(|request| receiver.wait(request, 7));
    let (sent, received) = (numbers(&sender).sent, numbers(&receiver).received);
    assert_eq!([sent[2], sent[0], sent[1]], received[..], "in the order of posts");
    assert_eq!(sums(&sender, &receiver).matched, 3);
}

#[test]
fn messages_after_a_pause_have_no_number() {
    let (mut sender, mut receiver) = (Calls::new(0), Calls::new(1));
    (0..3).for_each(|_| receiver.receive(WORLD, 7));
    sender.send(WORLD, 7);
    sender.put(Control { command: COMMAND_PAUSE, ..Control::default() });
    sender.send(WORLD, 7);
    let counts = sender.matching().counts();
    assert_eq!(counts, MessageCounts { sent: 1, after_gap: 1, ..MessageCounts::default() });
    let sums = sums(&sender, &receiver);
    let expected =
        JobMessages { matched: 1, without_send: 2, after_gap: 1, ..JobMessages::default() };
    assert_eq!((sums, sums.unmatched()), (expected, 3));
    let mut lossy = Calls::new(0);
    lossy.put(Lost { count: 1, ..Lost::default() });
    lossy.send(WORLD, 7);
    assert_eq!(lossy.matching().counts().after_gap, 1);
}

#[test]
fn communicators_of_all_ranks_have_names_and_others_have_none() {
    let with = |rank, copies: [u64; 2], part: u64| {
        let mut calls = Calls::new(rank);
        for handle in copies {
            calls.call("MPI_Comm_dup", WORLD, |calls| {
                calls.put(MpiCommunicator { handle, parent: WORLD, size: 2, rank });
            });
        }
        calls.call("MPI_Comm_split", WORLD, |calls| {
            calls.put(MpiCommunicator { handle: part, parent: WORLD, size: 1, rank: 0 });
        });
        calls
    };
    // Handles of one process say nothing about those of another.
    let (mut sender, mut receiver) = (with(0, [11, 12], 13), with(1, [22, 21], 23));
    sender.send(12, 7);
    sender.send(11, 7);
    sender.send(13, 7);
    receiver.receive(22, 7);
    receiver.receive(21, 7);
    let expected = JobMessages { matched: 2, unknown_communicator: 1, ..JobMessages::default() };
    assert_eq!(sums(&sender, &receiver), expected);
    let (sent, received) = (numbers(&sender).sent, numbers(&receiver).received);
    assert_eq!([sent[1], sent[0]], received[..], "the first copy and the second one");
    assert_eq!(sent[2], 0, "a part");
}

#[test]
fn communicators_of_a_part_are_found_by_their_members() {
    // Ranks 5 and 2 of the world, in this order, which make two of the same members, and one with rank 7 between groups.
    let with = |rank: u64, handles: [u64; 3], between: u64| {
        let mut calls = Calls::new(5 - 3 * rank);
        for handle in handles.into_iter().take(2) {
            calls.made("MPI_Comm_split", (handle, WORLD), (rank, &[5, 2]), &[]);
        }
        // Each group has a communicator of its own to make it of.
        let groups: [&[u32]; 2] = [&[5], &[2]];
        let (own, remote) = (groups[rank as usize], groups[1 - rank as usize]);
        calls.made("MPI_Comm_split", (handles[2], WORLD), (0, own), &[]);
        calls.made("MPI_Intercomm_create", (between, handles[2]), (0, own), remote);
        calls
    };
    let (mut sender, mut receiver) = (with(0, [11, 12, 13], 14), with(1, [22, 21, 23], 24));
    sender.send(12, 7);
    sender.send(11, 7);
    receiver.receive(22, 7);
    receiver.receive(21, 7);
    let expected = JobMessages { matched: 2, ..JobMessages::default() };
    assert_eq!(sums(&sender, &receiver), expected);
    let (sent, received) = (numbers(&sender).sent, numbers(&receiver).received);
    assert_eq!([sent[1], sent[0]], received[..], "the first and the second one");
    // Both are rank 0 of their groups; a message of each to the other is not one message to itself.
    for (calls, between) in [(&mut sender, 14), (&mut receiver, 24)] {
        calls.put(MpiSend { peer: 0, tag: 9, bytes: 8 });
        calls.call("MPI_Send", between, |_| {});
    }
    receiver.receive(24, 9);
    assert_eq!(sums(&sender, &receiver).matched, 3);
    assert_ne!(numbers(&sender).sent[2], numbers(&receiver).sent[0]);
    assert_eq!(numbers(&sender).sent[2], numbers(&receiver).received[2]);
}

#[test]
fn an_intercommunicator_with_an_unknown_group_is_no_ordinary_one() {
    let mut calls = Calls::new(0);
    calls.made("MPI_Comm_split", (11, WORLD), (0, &[0]), &[]);
    calls.made("MPI_Intercomm_create", (12, 11), (0, &[0]), &[rank::NONE, rank::NONE]);
    calls.send(12, 7);
    let counts = calls.matching().counts();
    assert_eq!(counts, MessageCounts { unknown_communicator: 1, ..MessageCounts::default() });
}

#[test]
fn a_receive_behind_one_that_is_open_at_a_pause_has_no_number() {
    let (mut sender, mut receiver) = (Calls::new(0), Calls::new(1));
    (0..3).for_each(|_| sender.send(WORLD, 7));
    (1..=3).for_each(|request| receiver.post(request));
    // The first is complete; the second, which has a message before that of the third, is not.
    receiver.wait(1, 7);
    receiver.wait(3, 7);
    let at_end = numbers(&receiver).received;
    assert_eq!((at_end[0] == 0, at_end[1]), (false, 0), "open at the end");
    receiver.put(Control { command: COMMAND_PAUSE, ..Control::default() });
    receiver.wait(2, 7);
    let received = numbers(&receiver).received;
    assert_eq!(received, [numbers(&sender).sent[0], 0, 0]);
    assert_eq!(receiver.matching().counts().after_gap, 2);
}

#[test]
fn receives_after_one_without_a_communicator_have_no_number() {
    let (mut sender, mut receiver) = (Calls::new(0), Calls::new(1));
    (0..3).for_each(|_| sender.send(WORLD, 7));
    receiver.receive(WORLD, 7);
    receiver.call("MPI_Mrecv", 0, |calls| {
        calls.put(MpiReceived { peer: 0, tag: 7, bytes: 8 });
    });
    receiver.receive(WORLD, 7);
    assert_eq!(numbers(&receiver).received, [numbers(&sender).sent[0], 0, 0]);
    assert_eq!(receiver.matching().counts().unknown_order, 2);
}

#[test]
fn receives_after_a_matched_probe_have_no_number() {
    let mut receiver = Calls::new(1);
    receiver.receive(WORLD, 7);
    receiver.call("MPI_Mprobe", WORLD, |_| {});
    // The second message; the first one of the two is received last.
    receiver.receive(WORLD, 7);
    receiver.call("MPI_Mrecv", 0, |calls| {
        calls.put(MpiReceived { peer: 0, tag: 7, bytes: 8 });
    });
    let received = numbers(&receiver).received;
    assert_ne!(received[0], 0);
    assert_eq!(received[1..], [0, 0]);
}

#[test]
fn two_copies_at_once_are_two_communicators() {
    let mut calls = Calls::new(0);
    for (function, handle) in [("MPI_Comm_dup", 11), ("MPI_Comm_idup_with_info", 12)] {
        calls.call(function, WORLD, |calls| {
            calls.put(MpiCommunicator { handle, parent: WORLD, size: 2, rank: 0 });
        });
        calls.send(handle, 7);
    }
    let sent = numbers(&calls).sent;
    assert_ne!(sent[0], sent[1]);
}

#[test]
fn messages_of_two_jobs_have_nothing_in_common() {
    let (mut sender, mut receiver) = (Calls::new(0), Calls::new(1));
    sender.send(WORLD, 7);
    receiver.receive(WORLD, 7);
    let mut ranks = Ranks::default();
    for (calls, job) in [(&sender, 1), (&receiver, 2)] {
        let (_folder, recording) = calls.run.open().expect("a run folder");
        ranks.add(job as u32, &recording, &Matching::of(&recording, job));
    }
    assert_eq!(ranks.finish().1.matched, 0);
}

#[test]
fn messages_to_nobody_are_none() {
    let mut calls = Calls::new(0);
    calls.put(MpiSend { peer: rank::NONE.into(), tag: 7, bytes: 8 });
    calls.call("MPI_Send", WORLD, |_| {});
    assert_eq!(calls.matching().counts(), MessageCounts::default());
}
