//! A report whose accounts another thread makes: the same.

use crate::script::Script;
use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary};
use ompttrace_recording::Recording;
use ompttrace_report::{Beside, Failure, ReportSink, StripSink};
use ompttrace_timeline::testing::{RunBuilder, nonsense};
use ompttrace_timeline::{TimelineError, WindowOptions, run_in_windows};
use std::num::NonZero;

/// The output of a sink, with the accounts in this thread and the interpretation in another.
fn run_beside<S: Sink<Error: Into<Failure>>>(
    recording: &Recording,
    sink: S,
) -> Result<S::Output, TimelineError<Failure>> {
    let options = WindowOptions {
        min_resume_ns: ReportSink::MIN_RESUME_NS,
        jobs: NonZero::<usize>::MIN,
        window: None,
        shown: Default::default(),
        watch: &mut |_, _| {},
        job: None,
    };
    run_in_windows(recording, Beside::windows(sink), options).map(|joined| joined.output)
}

/// The report, and the timeline of its page.
type Made = (serde_json::Value, String);

fn both(run: &RunBuilder) -> (Made, Made) {
    let (_folder, recording) = run.open().expect("a run folder");
    let make = || StripSink::new(ReportSink::new());
    let direct = ompttrace_timeline::run(&recording, make()).expect("a strip").0;
    let beside = run_beside(&recording, make()).expect("a strip");
    let json = |report| serde_json::to_value(report).expect("JSON");
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

/// Takes the first event badly.
struct Panics;

impl Sink for Panics {
    type Output = ();
    type Error = std::convert::Infallible;

    fn start(&mut self, _: &RunInfo<'_>) {}

    fn event(&mut self, _: &Definitions, _: u64, _: &Event<'_>) {
        panic!("as it is meant to");
    }

    fn finish(self, _: &Definitions, _: &Summary) -> Result<(), std::convert::Infallible> {
        Ok(())
    }
}

/// The thread that interprets has more than may wait for the one that panics.
#[test]
#[should_panic(expected = "as it is meant to")]
fn a_panic_of_the_accounts_ends_the_interpretation() {
    let (_folder, recording) = nonsense(1, 100_000).open().expect("a run folder");
    let _ = run_beside(&recording, Panics);
}
