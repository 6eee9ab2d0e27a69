//! Records with valid codes and nonsense in them: nothing panics, and the contract still holds.

use ompttrace_model::{Counter, Definitions, Event, MIN_RESUME_NS, RunInfo, Sink, Summary, Takes};
use ompttrace_recording::events::{EventCode, Scope};
use ompttrace_recording::{Id, Recording};
use ompttrace_timeline::Options;
use ompttrace_timeline::testing::{Checker, RunBuilder, SeenSlice, Timeline, nonsense};

fn seen(recording: &Recording, seed: u64, min_resume_ns: u64) -> Timeline {
    let options = Options { min_resume_ns, window: (None, None), watch: |_, _| {} };
    match ompttrace_timeline::run_with(recording, Checker::default(), options) {
        Ok((timeline, _)) => timeline,
        Err(error) => panic!("seed {seed}: {error}"),
    }
}

fn check(recording: &Recording, seed: u64) {
    let everything = seen(recording, seed, 0);
    let writers = seen(recording, seed, MIN_RESUME_NS);
    let missing = missing(&everything, &writers);
    assert!(missing.iter().all(|s| s.resumed && s.end - s.begin < MIN_RESUME_NS), "seed {seed}");
    assert_eq!(writers.summary.unreported_resumes == 0, missing.is_empty(), "seed {seed}");
    assert_eq!(everything.structure, writers.structure, "seed {seed}");
    assert_eq!(everything.instants, writers.instants, "seed {seed}");
    assert_eq!(last_values(&everything), last_values(&writers), "seed {seed}");
    assert!(writers.counters.len() <= everything.counters.len(), "seed {seed}");
}

/// Looks at the same events, but does not want activity counted.
#[derive(Default)]
struct Uncounted(Checker);

impl Sink for Uncounted {
    type Output = <Checker as Sink>::Output;
    type Error = <Checker as Sink>::Error;

    const MIN_RESUME_NS: u64 = Checker::MIN_RESUME_NS;
    const TAKES: Takes = Takes { activity: false, ..Takes::ALL };

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.event(definitions, at, event);
    }
    fn finish(
        self,
        definitions: &Definitions,
        summary: &Summary,
    ) -> Result<Self::Output, Self::Error> {
        self.0.finish(definitions, summary)
    }
}

#[test]
fn without_activity_all_else_is_the_same() {
    let mut counted = 0;
    for seed in 1..100 {
        let (_folder, recording) = nonsense(seed, 150).open().expect("a run folder");
        let all = seen(&recording, seed, 0);
        let Ok((without, _)) = ompttrace_timeline::run(&recording, Uncounted::default()) else {
            panic!("seed {seed}");
        };
        let of_thread = |seen: &&(u64, Counter, i64)| matches!(seen.1, Counter::OfThread(..));
        counted += all.counters.len();
        assert!(all.counters.iter().filter(of_thread).eq(&without.counters), "seed {seed}");
        assert_eq!(all.slices, without.slices, "seed {seed}");
        assert_eq!(all.instants, without.instants, "seed {seed}");
        assert_eq!(all.structure, without.structure, "seed {seed}");
    }
    assert!(counted > 0);
}

/// The last value of each counter that has any: the only one that writers are certain to get.
fn last_values(timeline: &Timeline) -> Vec<i64> {
    let counters = [Counter::ThreadsWorking, Counter::ThreadsIdle, Counter::LiveTasks];
    let last = |counter| timeline.counters.iter().rfind(|seen| seen.1 == counter);
    counters.into_iter().map(|counter| last(counter).map_or(0, |seen| seen.2)).collect()
}

/// The slices that are not reported to writers; all others are the same and in the same order.
fn missing<'a>(everything: &'a Timeline, writers: &Timeline) -> Vec<&'a SeenSlice> {
    let mut seen = writers.slices.iter().peekable();
    let missing = everything.slices.iter().filter(|slice| seen.next_if_eq(slice).is_none());
    let missing = missing.collect();
    assert_eq!(seen.next(), None);
    missing
}

/// Number of seeds to try: more than a few hundred only when the interpretation changes, by
/// `TEST_OMPTTRACE_SEEDS=40000 cargo test -p ompttrace-timeline`.
fn seeds() -> u64 {
    std::env::var("TEST_OMPTTRACE_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(400)
}

#[test]
fn short_nonsense_keeps_the_contract() {
    for seed in 1..seeds() {
        let records = 120 + if seed < 400 { 0 } else { seed as usize % 1000 };
        let (_folder, recording) = nonsense(seed, records).open().expect("a run folder");
        check(&recording, seed);
    }
}

#[test]
fn long_nonsense_keeps_the_contract() {
    for seed in 1..8 {
        let (_folder, recording) = nonsense(seed * 77_777, 30_000).open().expect("a run folder");
        check(&recording, seed);
    }
}

#[test]
fn what_never_ends_is_not_kept_for_ever() {
    let mut run = RunBuilder::new();
    let part = Id::thread_part(0);
    for n in 0..50_000 {
        let root = Id::implicit_task(part, 0, Id::NONE).0;
        let region = Id::region(part, n, 0).0;
        let at = u64::from(n) * 10;
        run.put_words(0, at, EventCode::new(3, Scope::None), &[0, region, root, 0]);
        let implicit_task = Id::implicit_task(part, n, Id::NONE).0;
        run.put_words(0, at + 1, EventCode::new(7, Scope::Begin), &[region, implicit_task, 1, 2]);
        run.put_words(0, at + 2, EventCode::new(23, Scope::Begin), &[6, implicit_task]);
        run.put_words(0, at + 3, EventCode::new(20, Scope::Begin), &[1, implicit_task, 4]);
    }
    let (_folder, recording) = run.open().expect("a run folder");
    let (timeline, summary) =
        ompttrace_timeline::run(&recording, Checker::default()).expect("the contract");
    assert!(timeline.logical_threads.len() < 4, "{}", timeline.logical_threads.len());
    assert!(timeline.regions.iter().all(|region| region.track.number == 0));
    assert_eq!(summary.records, 200_000);
}
