//! Cores: time without one is neither work nor wait, it is charged to nobody, and the first finding reports the reason.

use crate::script::Script;
use ompttrace_recording::events::{CoresRead, CoresUnknown, RunDelay, SwitchIn, SwitchOut};
use ompttrace_recording::facts::Quota;
use ompttrace_report::{Report, ReportSink, State};

const PREEMPTED: u64 = 1;
const BLOCKED: u64 = 0;

impl Script {
    fn on(&mut self, t: usize, at: u64, cpu: u64) -> &mut Script {
        self.0.put_cores(t, at, SwitchIn { cpu });
        self
    }

    fn off(&mut self, t: usize, at: u64, (cpu, preempted): (u64, u64)) -> &mut Script {
        self.0.put_cores(t, at, SwitchOut { cpu, preempted });
        self
    }

    fn read(&mut self, t: usize, at: u64) -> &mut Script {
        self.0.put_cores(t, at, CoresRead {});
        self
    }

    /// A variable of the program's environment.
    fn set(&mut self, name: &str, value: &str) {
        self.0.facts.surroundings.settings.insert(name.to_owned(), value.to_owned());
    }

    fn sums(&mut self, t: usize, at: u64, run_ns: u64, delay_ns: u64) -> &mut Script {
        self.0.put_cores(t, at, RunDelay { run_ns, delay_ns, ..RunDelay::default() });
        self
    }
}

/// A region of two from 1,000 to 11,020. Thread 0 works to 3,000 and waits, thread 1 works to 11,000.
fn region() -> Script {
    let mut script = Script::new();
    script.fork(1_000, 1, 0x1000).arrive(0, 3_000, 1).arrive(1, 11_000, 1);
    script.join(11_010, 1, 0x1000).end(12_000);
    script.0.facts.process.cores = 2;
    script
}

#[test]
fn work_without_a_core_is_neither_work_nor_wait() {
    let mut script = region();
    script.on(0, 0, 0).off(0, 4_000, (0, PREEMPTED)).on(0, 6_000, 0).read(0, 12_000);
    script.on(1, 0, 1).off(1, 2_000, (1, PREEMPTED)).on(1, 7_000, 1);
    script.off(1, 8_000, (1, BLOCKED)).on(1, 8_500, 0).read(1, 12_000);
    let report = script.report();
    let [first, second] = [0, 1].map(|thread| &report.threads[thread]);
    assert_eq!(first.times.of(State::OffCorePreempted), 0, "it waited all the same");
    assert_eq!(first.times.of(State::WaitBarrierImplicit), 8_010);
    assert_eq!(second.times.of(State::OffCorePreempted), 5_000);
    assert_eq!(second.times.of(State::OffCoreBlocked), 500);
    assert_eq!(second.times.of(State::WorkParallel), 9_990 - 5_500);
    let sum = |thread: &ompttrace_report::model::ThreadReport| {
        let all = thread.metrics;
        all.work_ns + all.wait_ns + all.idle_ns + all.off_core_ns
    };
    assert_eq!([first, second].map(sum), [first.lifetime_ns, second.lifetime_ns]);
    let cores = second.cores.expect("they are known");
    assert_eq!((cores.wanted_ns, cores.given_ns, cores.blocked_ns), (11_500, 6_500, 500));
    let cores = first.cores.expect("they are known");
    assert_eq!((cores.wanted_ns, cores.given_ns, cores.spun_ns), (12_000, 10_000, 6_010));
    let region = report.regions[0].cores.expect("they are known");
    assert_eq!(region.wanted_ns - region.given_ns, 2_000 + 5_000);
    assert_eq!(report.constructs[report.regions[0].construct].cores, Some(region));
}

#[test]
fn behind_the_last_reading_nothing_is_known() {
    let mut script = region();
    script.on(0, 0, 0).off(0, 1_500, (0, PREEMPTED)).read(0, 2_000);
    let report = script.report();
    let cores = report.threads[0].cores.expect("some");
    assert_eq!((cores.wanted_ns, cores.given_ns), (2_000, 1_500));
    assert_eq!(report.threads[0].times.of(State::OffCorePreempted), 500);
    assert_eq!(report.threads[1].cores, None);
    assert!(report.caveats.iter().any(|caveat| caveat.contains("is known for 8.")), "{report:#?}");
}

/// Each kind of time gets an equal share where only the kernel's sums are known.
#[test]
fn sums_are_shared_out() {
    let mut script = region();
    script.sums(1, 1_010, 500, 70).sums(1, 11_010, 4_500, 3_070).read(1, 11_010);
    let report = script.report();
    let thread = &report.threads[1];
    let cores = thread.cores.expect("they are known");
    assert_eq!((cores.given_ns, cores.wanted_ns, cores.blocked_ns), (4_000, 7_000, 3_000));
    let work = 9_990;
    assert_eq!(thread.times.of(State::OffCorePreempted), work * 3 / 10);
    assert_eq!(thread.times.of(State::OffCoreBlocked), work - work * 4 / 10 - work * 3 / 10);
    assert_eq!(thread.times.of(State::WorkParallel), work * 4 / 10);
    assert_eq!(thread.times.of(State::WaitBarrierImplicit), 10);
}

/// Of time that switches came too fast to be recorded the sums say what is left of them.
#[test]
fn a_gap_between_switches_is_filled_from_the_sums() {
    let mut script = region();
    script.on(1, 1_010, 1).sums(1, 1_010, 0, 0).off(1, 3_010, (1, PREEMPTED)).on(1, 4_010, 1);
    script.0.put_cores(1, 5_010, CoresUnknown { reason: 1, count: 9 });
    script.sums(1, 9_010, 4_000, 4_000).on(1, 9_010, 1).read(1, 11_010);
    let cores = script.report().threads[1].cores.expect("they are known");
    // 3,000 on a core and 1,000 without before the gap of 4,000, and 2,000 on one behind it.
    assert_eq!((cores.given_ns, cores.wanted_ns), (3_000 + 1_000 + 2_000, 6_000 + 1_000 + 3_000));
}

/// Two threads that take turns on one core.
fn turns(cores: u32, cpus: [u64; 2]) -> Script {
    let mut script = Script::new();
    let mut at = 1_000;
    for number in 1..=20 {
        script.fork(at, number, 0x1000);
        script.on(0, at + 1, cpus[0]).off(0, at + 40_000, (cpus[0], PREEMPTED));
        script.on(0, at + 80_000, cpus[0]).arrive(0, at + 90_000, number);
        script.off(1, at + 1, (cpus[1], PREEMPTED)).on(1, at + 40_000, cpus[1]);
        script.off(1, at + 80_000, (cpus[1], PREEMPTED)).on(1, at + 90_001, cpus[1]);
        script.arrive(1, at + 110_000, number).join(at + 110_010, number, 0x1000);
        at += 120_000;
    }
    script.read(0, at).read(1, at).end(at);
    script.0.facts.process.cores = cores;
    script
}

fn first(script: &Script) -> (Report, String) {
    let report = script.report();
    let first = report.findings.first().expect("a finding");
    assert_eq!(first.kind, "cores", "{:#?}", report.findings);
    let text = format!("{}; {}", first.text, first.cure);
    (report, text)
}

/// A busy machine is said before all findings, and is none of them.
fn busy(script: &Script) -> (Report, String) {
    let report = script.report();
    let busy = report.busy_machine.as_ref().expect("a busy machine");
    let text = format!("{}; {}", busy.text, busy.advice);
    assert!(text.starts_with("This machine was busy: threads had a core for "), "{text}");
    assert!(report.findings.iter().all(|finding| finding.kind != "late"), "{report:#?}");
    let others = |finding: &ompttrace_report::model::Finding| {
        finding.kind != "cores" || !finding.text.starts_with("Threads had a core for ")
    };
    assert!(report.findings.iter().all(others), "{report:#?}");
    (report, text)
}

#[test]
fn more_threads_than_cores_come_first() {
    let mut script = turns(1, [0, 0]);
    script.set("OMP_NUM_THREADS", "2");
    let (report, text) = first(&script);
    let share = report.cores.and_then(|cores| cores.share).expect("they are known");
    assert!((0.5..0.7).contains(&share), "{share}");
    assert!(text.contains("threads wanted one at a time, and the process may use 1"), "{text}");
    assert!(text.contains("OMP_NUM_THREADS=1"), "{text}");
    let barriers = report.findings.iter().filter(|finding| finding.lost_ns > 300_000);
    assert_eq!(barriers.count(), 1, "waiting for want of cores is no other: {report:#?}");
    let efficiency = report.efficiency;
    let product = efficiency.cores.expect("known") * efficiency.on_own_cores.expect("known");
    assert!((product - efficiency.parallel.expect("known")).abs() < 1e-9);
}

#[test]
fn threads_bound_to_one_core_are_said_to_be() {
    let mut script = turns(8, [3, 3]);
    script.0.facts.surroundings.allowed = "0-7".to_owned();
    script.0.facts.surroundings.bound = [("3".to_owned(), 2)].into();
    let (_, text) = first(&script);
    assert!(text.contains("ran on 1 of the 8 cores"), "{text}");
    assert!(text.contains("they are bound (2 on 3)"), "{text}");
    assert!(text.contains("OMP_PROC_BIND"), "{text}");
}

/// Threads that happen to share a core are not bound to it.
#[test]
fn where_every_mask_has_all_cores_nothing_is_bound() {
    let mut script = turns(8, [3, 3]);
    for bound in [&[][..], &[("0-7".to_owned(), 2)]] {
        script.0.facts.surroundings.allowed = "0-7".to_owned();
        script.0.facts.surroundings.bound = bound.iter().cloned().collect();
        let (_, text) = busy(&script);
        assert!(!text.contains("bound") && !text.contains("OMP_PROC_BIND"), "{text}");
    }
}

/// The cores that may be used are those of the masks: the number that std returns includes the quota.
#[test]
fn a_quota_that_did_not_throttle_limits_nothing() {
    let mut script = turns(1, [0, 1]);
    let quota = Quota { cores: 0.5, group: "/jobs/7".into(), throttled_ns: Some(0) };
    script.0.facts.surroundings.quota = Some(quota);
    script.0.facts.surroundings.allowed = "0-1".to_owned();
    let (report, text) = busy(&script);
    assert_eq!(report.program.cores, 2);
    assert!(
        !text.contains("quota") && text.contains("the 2 cores that the program may use"),
        "{text}"
    );
}

/// A clause asks for the threads of each team: the variable would change nothing.
#[test]
fn the_variable_is_no_cure_where_a_clause_asks_for_more() {
    let mut script = turns(1, [0, 0]);
    for value in [None, Some("1"), Some("16,2")] {
        value.into_iter().for_each(|value| script.set("OMP_NUM_THREADS", value));
        let (_, text) = first(&script);
        assert!(text.contains("ask for at most 1 thread where 2 are asked for"), "{text}");
    }
}

#[test]
fn threads_may_be_too_many_at_times() {
    let mut script = turns(1, [0, 0]);
    let end = 20 * 120_000 + 1_000;
    script.off(0, end, (0, BLOCKED)).off(1, end, (0, BLOCKED));
    script.read(0, 3 * end).read(1, 3 * end).end(3 * end);
    let (_, text) = first(&script);
    assert!(text.contains("at times more threads wanted one, and the process may use 1"), "{text}");
}

/// The kernel's sums have no times: no cause is named, and no gain promised.
#[test]
fn where_only_sums_are_known_the_cause_is_unknown() {
    let mut script = Script::new();
    script.fork(1_000, 1, 0x1000).arrive(0, 3_000_000, 1).arrive(1, 11_000_000, 1);
    script.join(11_000_010, 1, 0x1000).end(12_000_000);
    script.0.facts.process.cores = 2;
    for t in [0, 1] {
        script.sums(t, 1_010, 500, 70).sums(t, 11_000_010, 5_000_000, 5_000_070);
        script.read(t, 11_000_010);
    }
    script.0.facts.surroundings.load_at_end = Some(17.25);
    let (report, text) = busy(&script);
    assert!(text.contains("what had the cores is unknown"), "{text}");
    assert!(!text.contains("other processes") && !text.contains("load average"), "{text}");
    assert_eq!(report.taken_cores_ns, None);
}

#[test]
fn other_processes_are_the_rest() {
    let mut script = turns(8, [3, 4]);
    script.0.facts.surroundings.load_at_end = Some(17.25);
    let (_, text) = busy(&script);
    assert!(text.contains("so other processes had cores"), "{text}");
    assert!(!text.contains("load average"), "it is no evidence: {text}");
}

#[test]
fn a_quota_that_is_used_up_is_the_reason() {
    let mut script = turns(2, [0, 1]);
    script.set("OMP_NUM_THREADS", "2");
    let quota = Quota { cores: 1.0, group: "/jobs/7".into(), throttled_ns: Some(1_200_000) };
    script.0.facts.surroundings.quota = Some(quota);
    let (report, text) = first(&script);
    assert!(text.contains("a quota of 1.000 cores (/jobs/7)"), "{text}");
    assert!(text.contains("throttled them for 1.20 ms"), "{text}");
    assert!(text.contains("use OMP_NUM_THREADS=1"), "{text}");
    assert!(report.program.surroundings.quota.is_some());
}

#[test]
fn threads_with_cores_have_no_such_finding() {
    let mut script = region();
    script.on(0, 0, 0).read(0, 12_000).on(1, 0, 1).read(1, 12_000);
    let report = script.report();
    assert_eq!(report.cores.and_then(|cores| cores.share), Some(1.0));
    assert!(report.findings.iter().all(|finding| finding.kind != "cores"));
    assert!(!report.findings.is_empty(), "and the others stand");
}

/// Before the first team all cores but one idle, however many threads there will be.
#[test]
fn cores_before_the_first_team_idle() {
    let script = region();
    let report = |cores: Option<u32>| {
        let (_folder, recording) = script.0.open().expect("a run folder");
        let sink = ReportSink::new().with_cores(cores);
        ompttrace_timeline::run(&recording, sink).expect("a report").0
    };
    let absent = |report: &Report| {
        let first = |one: &&ompttrace_report::model::ConstructReport| {
            one.between.is_some_and(|[from, _]| from.is_none())
        };
        report.constructs.iter().find(first).map(|one| one.blame.absent_ns)
    };
    assert_eq!(absent(&report(Some(2))), Some(0), "both threads are there from the begin");
    assert_eq!(absent(&report(None)), Some(0), "the process may use two");
    assert_eq!(absent(&report(Some(10))), Some(8 * 1_000));
    assert_eq!(report(Some(10)).capacity_ns, 2 * 12_000 + 8 * 1_000);
}
