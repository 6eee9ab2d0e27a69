//! Reports of jobs of made-up ranks: waits, their causes, the run on an ideal network and the path through ranks, exactly.

use crate::script::Script;
use ompttrace_recording::Recording;
use ompttrace_recording::events::*;
use ompttrace_recording::facts::{MPI, Runtime};
use ompttrace_recording::mpi::{FUNCTIONS, rank};
use ompttrace_recording::words::At;
use ompttrace_report::job::{JobFacts, JobReport, RankSink, RankTrace, html, report, text};
use ompttrace_timeline::{Matching, OfJob, Options, Ranks, run_of_job};

const WORLD: u64 = 0x4400_0000;

/// A rank: its only thread calls MPI.
struct Calls(Script);

fn number(name: &str) -> u64 {
    FUNCTIONS.iter().find(|one| one.name == name).expect("a function").number.into()
}

impl Calls {
    fn new(rank: u64, size: u64) -> Calls {
        let mut script = Script::beginning_at(1);
        script.0.facts.runtimes = vec![Runtime { interface: MPI.into(), ..Runtime::default() }];
        script.0.facts.process.rank = Some(rank as u32);
        script.once(0, 2, MpiWorld { rank, size, world: WORLD, ..MpiWorld::default() });
        Calls(script)
    }

    fn call(&mut self, (from, to): (u64, u64), name: &str) {
        let (code, kind) = At::unpack(At::pack(0x3000, number(name)));
        self.0.once(0, from, MpiEnter { code, kind, communicator: WORLD });
        self.0.once(0, to, MpiLeft {});
    }

    fn send(&mut self, (from, to): (u64, u64), peer: u64) {
        self.0.once(0, from, MpiSend { peer, tag: 1, bytes: 100 });
        self.call((from, to), "MPI_Send");
    }

    fn receive(&mut self, (from, to): (u64, u64), peer: u64) {
        self.0.once(0, from, MpiReceive { peer, tag: 1, bytes: 100 });
        let (code, kind) = At::unpack(At::pack(0x4000, number("MPI_Recv")));
        self.0.once(0, from, MpiEnter { code, kind, communicator: WORLD });
        self.0.once(0, to, MpiReceived { peer, tag: 1, bytes: 100 });
        self.0.once(0, to, MpiLeft {});
    }

    fn collective(&mut self, span: (u64, u64), name: &str, root: Option<u64>) {
        let root = root.unwrap_or(rank::NONE.into());
        self.0.once(0, span.0, MpiCollective { root, flags: 0, given: 8, taken: 8 });
        self.call(span, name);
    }

    fn end(mut self, at: u64) -> Recording {
        self.0.end(at);
        let (folder, recording) = self.0.0.open().expect("a run folder");
        // Its files are open, and the folder goes with the test's process.
        std::mem::forget(folder);
        recording
    }
}

fn of(recordings: &[Recording]) -> JobReport {
    let matchings: Vec<_> = recordings.iter().map(|recording| Matching::of(recording, 0)).collect();
    let mut ranks = Ranks::default();
    for ((recording, matching), rank) in recordings.iter().zip(&matchings).zip(0..) {
        ranks.add(rank, recording, matching);
    }
    let (last, _) = ranks.finish();
    let trace = |(recording, matching): (&Recording, &Matching)| -> RankTrace {
        let rank = recording.facts.process.rank.unwrap_or(0);
        let options = Options { min_resume_ns: 0, window: (None, None), watch: |_, _| {} };
        let of_job = Some(OfJob { matching, last: &last });
        run_of_job(recording, RankSink::new(rank), options, of_job).expect("no error").0
    };
    let traces: Vec<_> = recordings.iter().zip(&matchings).map(trace).collect();
    report(JobFacts::default(), &traces)
}

/// Kind, time, cause rank, worst rank.
fn waits(report: &JobReport) -> Vec<(&'static str, u64, u32, u32)> {
    let wait = |one: &ompttrace_report::job::WaitReport| {
        (one.kind, one.time_ns, one.cause_rank, one.worst_rank)
    };
    report.waits.iter().map(wait).collect()
}

#[test]
fn a_receive_waits_for_a_late_sender() {
    let (mut early, mut late) = (Calls::new(0, 2), Calls::new(1, 2));
    early.receive((1_000, 12_000), 1);
    late.send((11_000, 11_500), 0);
    let report = of(&[early.end(20_000), late.end(20_000)]);
    assert_eq!(waits(&report), [("late_sender", 10_000, 1, 0)]);
    let pair = report.matrix[0];
    assert_eq!(
        (pair.from, pair.to, pair.messages, pair.bytes, pair.waiting_ns),
        (1, 0, 1, 100, 10_000)
    );
    // Without time for the transfer the receive ends when the send begins, which takes no time either.
    let ideal: Vec<_> = report.ranks.iter().map(|rank| rank.ideal_network_ns).collect();
    assert_eq!(ideal, [19_999 - 1_000, 19_999 - 500]);
    let path: Vec<_> = report.critical_path.iter().map(|part| (part.rank, part.time_ns)).collect();
    assert_eq!(path.iter().map(|(_, time)| time).sum::<u64>(), report.wall_ns, "{path:?}");
    assert!(path.contains(&(1, 10_999)), "the sender's work: {path:?}");
    // It computes longer in all.
    let finding = &report.findings[0];
    assert_eq!((finding.kind, finding.rank), ("rank_imbalance", Some(1)));
}

#[test]
fn ranks_that_wait_for_each_other_in_turn_are_not_unequal() {
    let (mut one, mut other) = (Calls::new(0, 2), Calls::new(1, 2));
    one.receive((1_000, 12_000), 1);
    other.send((11_000, 11_500), 0);
    other.receive((12_000, 23_000), 0);
    one.send((22_000, 22_500), 1);
    let report = of(&[one.end(30_000), other.end(30_000)]);
    let finding = &report.findings[0];
    assert_eq!((finding.kind, finding.gain_ns), ("late_sender", (10_000, 10_000)));
    assert_eq!(finding.lost_ns, 20_000);
    let levels = report.efficiency.multiplicative;
    assert!((levels.mpi_load_balance - 1.0).abs() < 1e-9 && levels.mpi_serialisation < 0.7);
}

#[test]
fn a_send_waits_for_a_late_receiver_only_if_it_is_blocked() {
    let job = |leaves| {
        let (mut sender, mut receiver) = (Calls::new(0, 2), Calls::new(1, 2));
        sender.send((1_000, leaves), 1);
        receiver.receive((6_000, 7_000), 0);
        waits(&of(&[sender.end(9_000), receiver.end(9_000)]))
    };
    assert_eq!(job(7_000), [("late_receiver", 5_000, 1, 0)]);
    assert!(job(1_200).is_empty(), "the library kept the message");
}

#[test]
fn collective_operations_wait_by_their_shape() {
    let job = |name: &str, root| {
        let ranks = [(1_000, 9_000), (3_000, 9_000), (8_000, 9_000)];
        let recordings: Vec<_> = (0..)
            .zip(ranks)
            .map(|(rank, span)| {
                let mut calls = Calls::new(rank, 3);
                calls.collective(span, name, root);
                calls.end(10_000)
            })
            .collect();
        waits(&of(&recordings))
    };
    assert_eq!(job("MPI_Barrier", None), [("wait_at_barrier", 7_000 + 5_000, 2, 0)]);
    assert_eq!(job("MPI_Allreduce", None), [("wait_at_n_to_n", 7_000 + 5_000, 2, 0)]);
    assert_eq!(job("MPI_Bcast", Some(1)), [("late_broadcast", 2_000, 1, 0)]);
    assert_eq!(job("MPI_Bcast_c", Some(1)), [("late_broadcast", 2_000, 1, 0)], "of large counts");
    assert_eq!(job("MPI_Reduce", Some(0)), [("early_reduce", 2_000, 1, 0)]);
    assert!(job("MPI_Reduce", Some(2)).is_empty());
}

#[test]
fn one_rank_with_more_work_is_the_cause_of_all_waits() {
    let ranks = (0..3).map(|rank| {
        let mut calls = Calls::new(rank, 3);
        for round in 0..4_u64 {
            let from = 10_000 * round + if rank == 1 { 9_000 } else { 2_000 };
            calls.collective((from, 10_000 * round + 9_100), "MPI_Barrier", None);
        }
        calls.end(40_000)
    });
    let report = of(&ranks.collect::<Vec<_>>());
    let finding = &report.findings[0];
    assert_eq!((finding.kind, finding.rank), ("rank_imbalance", Some(1)));
    assert_eq!(finding.explains, ["wait_at_barrier"]);
    let place = "most of the difference is in code outside of parallel regions before `MPI_Barrier";
    assert!(finding.text.contains(place), "{}", finding.text);
    assert_eq!(waits(&report), [("wait_at_barrier", 2 * 4 * 7_000, 1, 0)]);
}

#[test]
fn time_in_mpi_within_a_region_is_none_in_the_region() {
    let mut calls = Calls::new(0, 1);
    calls.0.fork(1_000, 1, 0x1000);
    calls.call((3_000, 5_000), "MPI_Barrier");
    calls.0.arrive(0, 8_000, 1).arrive(1, 8_000, 1).join(9_000, 1, 0x1000);
    let report = of(&[calls.end(20_000)]);
    let rank = &report.ranks[0];
    // The script ends a region 10 ns late.
    assert_eq!((rank.regions_ns, rank.mpi_ns), (8_010 - 2_000, 2_000));
    let idle = report.findings.iter().find(|finding| finding.kind == "idle_during_mpi");
    let idle = idle.expect("the other thread of the team");
    assert!(idle.text.contains("most in `MPI_Barrier"), "{}", idle.text);
}

/// A barrier of two ranks that take turns on a core, or have one each.
fn on_cores(is_shared: bool) -> JobReport {
    let ranks = [0, 1].map(|rank| {
        let mut calls = Calls::new(rank, 2);
        let cpu = if is_shared { 0 } else { rank };
        calls.0.0.facts.process.host = "node".into();
        calls.0.0.facts.surroundings.allowed = cpu.to_string();
        calls.0.0.put_cores(0, 1, SwitchIn { cpu });
        if is_shared {
            for turn in (rank + 1..10).step_by(2) {
                calls.0.0.put_cores(0, turn * 1_000, SwitchOut { cpu, preempted: 1 });
                calls.0.0.put_cores(0, (turn + 1) * 1_000, SwitchIn { cpu });
            }
        }
        calls.collective((2_000 + 4_000 * rank, 9_000), "MPI_Barrier", None);
        calls.end(20_000)
    });
    of(&ranks)
}

#[test]
fn ranks_that_share_a_core_have_that_as_their_first_finding() {
    let report = on_cores(true);
    let first = &report.findings[0];
    assert_eq!(first.kind, "cores");
    assert!(first.text.contains("on node 4 threads share 1 core;"), "{}", first.text);
    assert!(report.findings.iter().all(|finding| finding.kind != "transfer"), "nobody knows");
    // After the last switch nothing is known.
    let rank = &report.ranks[0];
    assert_eq!((rank.wanted_ns, rank.given_ns), (9_999, 4_999));
    let report = on_cores(false);
    assert!(report.findings.iter().all(|finding| finding.kind != "cores"), "one each");
}

#[test]
fn texts_and_pages_of_a_job_bear_any_ranks() {
    let mut alone = Calls::new(0, 2);
    alone.receive((1_000, 12_000), 1);
    let one = of(&[alone.end(20_000)]);
    for report in [&one, &JobReport::default()] {
        let (text, page) = (text::render(report, 10, Some(80)), html::render(report, 10));
        assert!(text.contains("Findings") && page.contains("<h2>Findings</h2>"), "{text}");
    }
    assert!(waits(&one).is_empty());
}
