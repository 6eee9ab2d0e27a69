//! Comparisons and scaling: exact changes of constructs on both sides, and the reason for which a region stops scaling.

use crate::script::Script;
use ompttrace_report::Report;
use ompttrace_report::compare::{self, Match, compare};
use ompttrace_report::scale::{self, scaling};

/// Regions of these codes, each with so much work for both threads.
fn run(codes: &[u64], work: [u64; 2]) -> Report {
    let mut script = Script::new();
    let mut at = 1000;
    for (number, code) in (1..).zip(codes) {
        let begun = at + 10;
        let over = begun + work[0].max(work[1]);
        script.fork(at, number, *code);
        script.arrive(0, begun + work[0], number).arrive(1, begun + work[1], number);
        script.join(over, number, *code);
        at = over + 100;
    }
    script.end(at).report()
}

#[test]
fn changes_are_of_medians_and_clear_where_no_runs_overlap() {
    let before = [400, 500, 900].map(|longer| run(&[0x1000], [300, longer]));
    let after = [300, 310, 320].map(|longer| run(&[0x1000], [300, longer]));
    let outcome = compare(&before, &after);
    let median = |runs: &[Report]| runs[1].wall_ns;
    assert_eq!(outcome.wall.change_ns, median(&after) as i64 - median(&before) as i64);
    let region = &outcome.elapsed[0];
    assert_eq!((region.found, region.time.change_ns), (Match::Line, -190));
    assert_eq!(region.time.is_clear, Some(true), "300 to 320 lies below 400 to 900");
    let spread = region.time.before.expect("before");
    assert_eq!(spread.most_ns - spread.least_ns, 500);
    assert_eq!(region.time.share, -190.0 / before[1].wall_ns as f64);
    let same = compare(&before, &before);
    assert_eq!((same.wall.change_ns, same.wall.is_clear), (0, Some(false)));
    assert!(compare::text::render(&outcome, 10, Some(80)).contains("faster"));
}

/// With two runs a side, all of one take longer than all of the other in every third comparison, by chance alone.
#[test]
fn below_three_runs_a_side_nothing_is_clear_and_the_median_of_two_is_their_mean() {
    let before = [400, 501].map(|longer| run(&[0x1000], [300, longer]));
    let after = [300, 310, 320].map(|longer| run(&[0x1000], [300, longer]));
    let outcome = compare(&before, &after);
    let median = before[0].wall_ns.midpoint(before[1].wall_ns);
    assert_eq!(outcome.wall.before.expect("before").median_ns, median);
    assert_eq!(outcome.wall.is_clear, None);
    assert!(outcome.caveats.iter().any(|caveat| caveat.contains("fewer than 3 runs of a side")));
}

#[test]
fn what_is_only_on_one_side_is_said_to_be_new_or_gone() {
    let (one, two) = (run(&[0x1000], [300, 300]), run(&[0x1000, 0x2000], [300, 300]));
    let outcome = compare(std::slice::from_ref(&one), std::slice::from_ref(&two));
    let new: Vec<_> = outcome.constructs.iter().filter(|line| line.found == Match::None).collect();
    assert!(new.len() == 1 && new[0].time.before.is_none(), "{new:#?}");
    assert!(compare::text::render(&outcome, 10, None).contains("(new)"));
    let outcome = compare(&[two], &[one]);
    assert!(compare::text::render(&outcome, 10, None).contains("(gone)"));
}

#[test]
fn a_region_that_is_no_faster_stops_with_the_reason() {
    // The sum of work is what it was, but one thread has all of it.
    let runs = [(1, vec![run(&[0x1000], [300, 300])]), (2, vec![run(&[0x1000], [590, 10])])];
    let outcome = scaling(&runs);
    let region = outcome.regions.iter().find(|region| region.name.starts_with("parallel"));
    let region = region.expect("the region");
    assert_eq!(region.stops_at, Some(2));
    let reason = region.reason.as_deref().expect("a reason");
    assert!(reason.contains("wait at its barriers: 580 ns"), "{reason}");
    assert_eq!(outcome.steps[0].speed_up, 1.0);
    assert_eq!(
        outcome.steps[1].computation,
        runs[0].1[0].times.work() as f64 / runs[1].1[0].times.work() as f64
    );
    assert!(scale::text::render(&outcome, 10, Some(80)).contains("What stops scaling"));
}
