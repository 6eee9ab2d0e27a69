//! A report whose accounts another thread makes: the same.

use crate::script::Script;
use ompttrace_report::{Beside, ReportSink, StripSink};
use ompttrace_timeline::testing::{RunBuilder, nonsense};

/// The report, and the timeline of its page.
type Made = (serde_json::Value, String);

fn both(run: &RunBuilder) -> (Made, Made) {
    let (_folder, recording) = run.open().expect("a run folder");
    let make = || StripSink::new(ReportSink::new());
    let direct = ompttrace_timeline::run(&recording, make()).expect("a strip").0;
    let beside = ompttrace_timeline::run(&recording, Beside::new(make)).expect("a strip").0;
    let json = |report| serde_json::to_value(report).expect("JSON");
    let (direct, beside) = (direct, beside.expect("started"));
    (
        (json(direct.0), format!("{:?}", direct.1.tracks)),
        (json(beside.0), format!("{:?}", beside.1.tracks)),
    )
}

#[test]
fn nonsense_gives_the_same() {
    let few = (1..100).map(|seed| (seed, 150));
    // More than one batch.
    let many = (100..110).map(|seed| (seed, 9_000));
    for (seed, records) in few.chain(many) {
        let (direct, beside) = both(&nonsense(seed, records));
        assert!(direct == beside, "seed {seed}");
    }
}

#[test]
fn long_pauses_give_the_same() {
    let mut script = Script::new();
    for number in 0..2_000 {
        let at = u64::from(number) * 1_000_000_000;
        script.fork(at + 1_000, number, 0x1000).arrive(1, at + 3_000, number);
        script.arrive(0, at + 9_000, number).join(at + 9_000, number, 0x1000);
    }
    script.end(3_000_000_000_000);
    let (direct, beside) = both(&script.0);
    assert!(direct == beside);
}
