//! Findings on a busy machine: those of the same program on a machine of its own, by time on cores.

use crate::script::{Script, implicit, task};
use ompttrace_recording::Id;
use ompttrace_recording::events::{RunDelay, SwitchIn, SwitchOut};
use ompttrace_report::Report;
use ompttrace_report::model::Finding;

/// The way in which it was recorded which threads had a core.
#[derive(Clone, Copy, PartialEq)]
enum Cores {
    /// No thread lacked one.
    Enough,
    Switches,
    Accounting,
}

/// Time for which the second thread has no core where the machine is busy.
const AWAY: u64 = 900_000;

/// A program whose second thread is delayed by that where the machine is busy.
struct Program {
    cores: Cores,
    script: Script,
}

impl Program {
    fn new(cores: Cores) -> Program {
        let mut script = Script::new();
        script.0.facts.process.cores = 2;
        script.0.facts.cores.used =
            if cores == Cores::Accounting { "accounting" } else { "switches" }.to_owned();
        Program { cores, script }
    }

    /// A time behind the one at which the second thread loses its core.
    fn after(&self, at: u64) -> u64 {
        if self.cores == Cores::Enough { at } else { at + AWAY }
    }

    /// A thread is away from `at` on; all its threads end at `end`.
    fn report(mut self, away: usize, at: u64, end: u64) -> Report {
        let script = &mut self.script;
        script.end(end);
        for t in [0, 1] {
            let lost = if t == away && self.cores != Cores::Enough { AWAY } else { 0 };
            if self.cores == Cores::Accounting {
                for (at, delay_ns) in
                    [(1_000, 0), (at, 0), (at + AWAY + 100, lost), (end - 500, lost)]
                {
                    let sums = RunDelay { run_ns: at - delay_ns, delay_ns, ..RunDelay::default() };
                    script.0.put_cores(t, at, sums);
                }
                continue;
            }
            let cpu = t as u64;
            script.0.put_cores(t, 0, SwitchIn { cpu });
            if lost > 0 {
                script.0.put_cores(t, at, SwitchOut { cpu, preempted: 1 });
                script.0.put_cores(t, at + lost, SwitchIn { cpu });
            }
            script.0.put_cores(t, end, ompttrace_recording::events::CoresRead {});
        }
        script.report()
    }
}

/// A loop of 60 us on the first thread and of 30 us on the second.
fn uneven(cores: Cores) -> Report {
    let mut program = Program::new(cores);
    let late = program.after(31_020);
    let end = late.max(61_020) + 20;
    program.script.fork(1_000, 1, 0x1000);
    program.script.static_loop(0, (1_020, 61_020), 1, 900);
    program.script.static_loop(1, (1_020, late), 1, 900);
    program.script.arrive(0, 61_030, 1).arrive(1, late + 10, 1).join(end, 1, 0x1000);
    program.report(1, 10_000, end + 1_000)
}

/// 60 us between two regions, of which the first thread is away for some.
fn serial(cores: Cores) -> Report {
    let mut program = Program::new(cores);
    for (number, begin) in [(1, 1_000), (2, program.after(82_000))] {
        let over = begin + 20_010;
        program.script.fork(begin, number, 0x1000);
        program.script.arrive(0, over, number).arrive(1, over, number);
        program.script.join(over + 10, number, 0x1000);
    }
    let end = program.after(104_000);
    program.report(0, 40_000, end)
}

/// A mutex that is held for most of 100 us on each thread. Where one is away, they never meet.
fn locked(cores: Cores) -> Report {
    let mut program = Program::new(cores);
    program.script.fork(1_000, 1, 0x1000);
    let mut ends = [0, 0];
    for (t, end) in ends.iter_mut().enumerate() {
        let waits = if cores == Cores::Enough { 3_500 } else { 0 };
        for turn in 0..10 {
            let asked = 1_100 + (6_500 + waits) * turn + 4_000 * t as u64;
            let asked = if t == 1 { program.after(asked) } else { asked };
            let had = asked + waits;
            program.script.acquire(t, asked, 0x7000).acquired(t, had, 0x7000);
            program.script.released(t, had + 4_000, 0x7000);
            *end = had + 4_500;
        }
    }
    let end = ends[0].max(ends[1]) + 10;
    program.script.arrive(0, ends[0], 1).arrive(1, ends[1], 1).join(end, 1, 0x1000);
    program.report(1, 1_050, end + 1_000)
}

/// Tasks of 200 ns each that the first thread makes and carries out while the second is away.
fn fine(cores: Cores) -> Report {
    let mut program = Program::new(cores);
    let own = implicit(0, 1);
    program.script.fork(1_000, 1, 0x1000);
    let mut at = 1_020;
    for number in 0..200 {
        program.script.create(0, at, own, task(number + 1));
        at += 100;
    }
    program.script.arrive(0, at, 1);
    for number in 0..200 {
        let next = task(number + 1);
        program.script.schedule(0, at, own, next, 7);
        program.script.schedule(0, at + 200, next.started(), Id::NONE, 1);
        at += 210;
    }
    let over = program.after(at + 20_000);
    program.script.arrive(1, over, 1).join(over + 10, 1, 0x1000);
    program.report(1, 1_020, over + 1_000)
}

fn first(report: &Report) -> &Finding {
    report.findings.first().unwrap_or_else(|| panic!("a finding: {report:#?}"))
}

/// The first finding is of a kind with a core for all and without, and its gain is the same but for a tenth.
fn is_found_first(kind: &str, program: fn(Cores) -> Report) {
    let quiet = program(Cores::Enough);
    assert!(quiet.busy_machine.is_none());
    assert_eq!(first(&quiet).kind, kind, "{:#?}", quiet.findings);
    let busy = program(Cores::Switches);
    let machine = busy.busy_machine.as_ref().expect("a busy machine");
    assert_eq!(first(&busy).kind, kind, "{:#?}", busy.findings);
    let [with, without] = [&quiet, &busy].map(|report| first(report).gain.share);
    assert!(
        (with - without).abs() < 0.1,
        "{with} on a machine of its own, {without} on a busy one"
    );
    let away = busy.wall_ns as f64 - machine.on_cores_ns as f64;
    assert!((away / AWAY as f64 - 1.0).abs() < 0.1, "{away} without a core");
    assert!(
        machine.text.contains("with a core for each thread the run would have taken"),
        "{machine:?}"
    );
}

#[test]
fn unequal_work_is_found_where_the_thread_with_less_of_it_lacked_a_core() {
    is_found_first("imbalance", uneven);
}

#[test]
fn a_serial_section_is_as_long_as_its_work() {
    is_found_first("serial", serial);
}

/// Threads that never have a core at the same time never meet at a mutex, and never wait for it.
#[test]
fn a_mutex_is_found_where_threads_never_meet_at_it() {
    let [quiet, busy] = [Cores::Enough, Cores::Switches].map(locked);
    assert_eq!((first(&quiet).kind, first(&busy).kind), ("lock", "lock"), "{:#?}", busy.findings);
    let [with, without] = [&quiet, &busy].map(|report| first(report).gain.share);
    assert!((with - without).abs() < 0.1, "{with} {without}");
}

/// One thread alone makes and runs its tasks faster than two that take them from each other.
#[test]
fn small_tasks_are_found_where_one_thread_runs_them_all() {
    let busy = fine(Cores::Switches);
    assert_eq!(first(&busy).kind, "grain", "{:#?}", busy.findings);
    // 400 ns of thread time for each of 200 tasks, on two threads, and making them.
    assert!(first(&busy).gain.ns > 40_000, "{:?}", first(&busy).gain);
}

/// The kernel's sums say how much time was on cores and not when: ranges are wider, and the report says so.
#[test]
fn sums_widen_ranges() {
    let [switches, sums] = [Cores::Switches, Cores::Accounting].map(serial);
    assert_eq!(first(&sums).kind, "serial", "{:#?}", sums.findings);
    let [known, wide] = [&switches, &sums].map(|report| first(report).gain);
    assert!((known.share - wide.share).abs() < 0.05, "{known:?} {wide:?}");
    assert!(wide.low_ns < known.low_ns && wide.high_ns > known.high_ns, "{known:?} {wide:?}");
    let text = &sums.busy_machine.as_ref().expect("a busy machine").text;
    assert!(text.contains("in wider ranges"), "{text}");
    assert!(!switches.busy_machine.expect("a busy machine").text.contains("wider"));
}
