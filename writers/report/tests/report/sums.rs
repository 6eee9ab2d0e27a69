//! Every nanosecond counts once, whatever the recording holds.

use crate::script::report;
use ompttrace_report::{Report, State, html, text};
use ompttrace_timeline::testing::nonsense;

fn check(report: &Report, seed: u64) {
    let mut all = 0;
    for thread in &report.threads {
        assert_eq!(thread.times.all(), thread.lifetime_ns, "seed {seed}: {}", thread.name);
        let metrics = thread.metrics;
        let sum = metrics.work_ns + metrics.wait_ns + metrics.idle_ns + metrics.off_core_ns;
        assert_eq!(sum, thread.lifetime_ns, "seed {seed}: {}", thread.name);
        all += thread.lifetime_ns;
    }
    let constructs: u64 = report.constructs.iter().map(|construct| construct.times.all()).sum();
    assert_eq!((report.times.all(), constructs), (all, all), "seed {seed}");
    check_contexts(report, seed);
    for state in State::ALL {
        let threads: u64 = report.threads.iter().map(|thread| thread.times.of(*state)).sum();
        assert_eq!(threads, report.times.of(*state), "seed {seed}: {}", state.name());
    }
    check_blame(report, seed);
}

/// Contexts, where there are any, hold all the time in every state; and so does their root.
fn check_contexts(report: &Report, seed: u64) {
    let Some(root) = report.contexts.first() else { return };
    for state in State::ALL {
        let own: u64 = report.contexts.iter().map(|context| context.times.of(*state)).sum();
        assert_eq!(own, report.times.of(*state), "seed {seed}: {}", state.name());
    }
    let (whole, all) = (root.metrics, report.metrics);
    assert_eq!(
        (whole.work_ns, whole.wait_ns, whole.idle_ns, whole.off_core_ns),
        (all.work_ns, all.wait_ns, all.idle_ns, all.off_core_ns),
        "seed {seed}"
    );
}

/// Charged and uncharged time add up to all time that was lost, but for rounding.
fn check_blame(report: &Report, seed: u64) {
    let sums = &report.blame;
    let charged = |of: &dyn Fn(&ompttrace_report::model::Blame) -> u64| -> f64 {
        report.constructs.iter().map(|construct| of(&construct.blame) as f64).sum()
    };
    let mutex = charged(&|blame| blame.mutex_ns) + sums.mutex_uncharged_ns as f64;
    let idle = charged(&|blame| blame.idle_ns) + sums.idle_uncharged_ns as f64;
    let wait = charged(&|blame| blame.wait_ns) + sums.wait_uncharged_ns as f64;
    // What there was no core for is charged to nobody.
    let (reported, all) = (idle + wait + sums.without_core_ns as f64, sums.idle_ns + sums.wait_ns);
    for (reported, sum) in [(mutex, sums.mutex_ns), (reported, all)] {
        let room = report.constructs.len() as f64 + 1e-9 * sum as f64;
        assert!((reported - sum as f64).abs() <= room, "seed {seed}: {reported} of {sum}");
    }
}

#[test]
fn nonsense_is_counted_to_the_nanosecond() {
    for seed in 1..300 {
        check(&report(&nonsense(seed, 150)), seed);
    }
}

#[test]
fn nonsense_is_drawn_within_80_columns() {
    for seed in 1..20 {
        let report = report(&nonsense(seed, 150));
        let words = anstream::adapter::strip_str(&text::render(&report, 20, Some(80))).to_string();
        let wide = words.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "seed {seed}");
        html::render(&report, &html::Extras::default(), 20).expect("a page");
    }
}
