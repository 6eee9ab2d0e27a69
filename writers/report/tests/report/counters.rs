//! Counter values belong to the region that the thread was in up to the bound behind which they were read.

use crate::script::Script;
use ompttrace_recording::events::CounterValue;
use ompttrace_recording::facts::Counter;
use std::collections::BTreeMap;

impl Script {
    fn counts(&mut self, t: usize, at: u64, counter: u64, value: u64) -> &mut Script {
        self.0.put(t, at, ompttrace_recording::Scope::None, CounterValue { value, counter });
        self
    }
}

/// A region of two from 1,000 to 11,020, with two counters.
fn region() -> Script {
    let mut script = Script::new();
    let counter = |name: &str| Counter { name: name.into(), ..Counter::default() };
    script.0.facts.counters.counted = vec![counter("faults"), counter("switches")];
    script
}

fn named(faults: u64, switches: u64) -> BTreeMap<String, u64> {
    [("faults", faults), ("switches", switches)]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
}

#[test]
fn values_belong_to_what_was_before_the_bound() {
    let mut script = region();
    // The fork begins the team threads at once: what the first one read behind it is from before.
    script.fork(1_000, 1, 0x1000).counts(0, 1_011, 0, 40).counts(0, 1_011, 1, 3);
    script.counts(1, 1_012, 0, 7);
    script.arrive(0, 3_000, 1).counts(0, 3_001, 0, 140);
    script.arrive(1, 11_000, 1).counts(1, 11_001, 0, 1_007).counts(1, 11_001, 1, 1);
    script.join(11_010, 1, 0x1000).end(12_000);
    script.counts(0, 12_001, 1, 5).counts(0, 12_001, 9, 1_000);
    let report = script.report();
    let threads: Vec<_> = report.threads.iter().map(|thread| thread.counters.clone()).collect();
    assert_eq!(threads, [named(140, 5), named(1_007, 1)]);
    assert_eq!(report.regions[0].counters, named(1_100, 1));
    assert_eq!(report.counted_outside, named(47, 5));
    let sums: Vec<_> = report.counters.iter().map(|counter| counter.sum).collect();
    assert_eq!(sums, [1_147, 6]);
    let text = ompttrace_report::text::render(&report, 5, None);
    let lines: Vec<_> = text.lines().skip_while(|line| !line.contains("Counters")).collect();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert!(lines[1].contains("faults  switches"), "{text}");
    assert!(lines.iter().any(|line| words(line) == ["(all", "threads)", "1147", "6"]), "{text}");
}

/// As a worker of LLVM's does, which reports the end of its implicit task when it is woken up for the next.
#[test]
fn what_a_worker_reports_late_is_its_regions() {
    let mut script = region();
    script.fork(1_000, 1, 0x1000).counts(1, 1_012, 0, 7).arrive(0, 3_000, 1).arrive(1, 11_000, 1);
    script.join(11_010, 1, 0x1000).end(12_000).counts(1, 11_500, 0, 1_007);
    let report = script.report();
    assert_eq!(report.regions[0].counters, named(1_000, 0));
}

#[test]
fn where_nothing_is_counted_nothing_is_said() {
    let mut script = Script::new();
    script.fork(1_000, 1, 0x1000).arrive(0, 3_000, 1).arrive(1, 11_000, 1);
    script.join(11_010, 1, 0x1000).end(12_000);
    let report = script.report();
    assert!(report.counters.is_empty() && report.threads[0].counters.is_empty());
    assert!(!ompttrace_report::text::render(&report, 5, None).contains("Counters"));
}
