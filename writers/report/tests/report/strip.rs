//! The timeline of a page: its bins add up to the report's times, of each thread in each state.

use crate::script::Script;
use ompttrace_recording::Scope;
use ompttrace_recording::events::{CoresRead, RunDelay, ThreadBegin};
use ompttrace_report::{Report, ReportSink, State, Strip, StripSink};
use ompttrace_timeline::testing::{RunBuilder, nonsense};

fn strip(run: &RunBuilder) -> (Report, Strip) {
    let (_folder, recording) = run.open().expect("a run folder");
    ompttrace_timeline::run(&recording, StripSink::new(ReportSink::new())).expect("a strip").0
}

fn sum(runs: &[[u64; 3]]) -> u64 {
    runs.iter().map(|[_, count, time]| count * time).sum()
}

fn check(run: &RunBuilder, what: &str) -> (Report, Strip) {
    let (report, strip) = strip(run);
    let has_track = |number| strip.tracks.iter().any(|track| track.threads.contains(&number));
    let mut lasting = report.threads.iter().filter(|thread| thread.lifetime_ns > 0);
    assert!(lasting.all(|thread| has_track(thread.number)), "{what}");
    for track in &strip.tracks {
        let own = report.threads.iter().filter(|thread| track.threads.contains(&thread.number));
        let own: Vec<_> = own.collect();
        for state in State::ALL {
            let wanted: u64 = own.iter().map(|thread| thread.times.of(*state)).sum();
            assert_eq!(sum(&track.times(*state)), wanted, "{what}: {}", state.name());
        }
    }
    (report, strip)
}

/// Two threads in a region from 1,000 to 9,000, of which the second waits from 3,000 on.
fn uneven() -> Script {
    let mut script = Script::new();
    script.fork(1_000, 1, 0x1000).arrive(1, 3_000, 1).arrive(0, 9_000, 1).join(9_000, 1, 0x1000);
    script.end(10_240);
    script
}

#[test]
fn nonsense_adds_up() {
    for seed in 1..200 {
        check(&nonsense(seed, 150), &format!("seed {seed}"));
    }
}

#[test]
fn time_stands_in_the_bins_in_which_it_passed() {
    let (_, strip) = check(&uneven().0, "uneven");
    assert_eq!((strip.bins, strip.width), (1024, 10));
    let waits = strip.tracks[1].times(State::WaitBarrierImplicit);
    assert_eq!(waits, [[300, 600, 10]]);
}

#[test]
fn time_without_a_core_that_is_known_late_is_moved_where_it_was() {
    let mut script = uneven();
    let sums = |run_ns, delay_ns| RunDelay { run_ns, delay_ns, ..RunDelay::default() };
    script.0.put_cores(0, 1_010, sums(500, 70));
    script.0.put_cores(0, 9_000, sums(4_500, 3_070));
    script.0.put_cores(0, 9_000, CoresRead {});
    script.0.facts.process.cores = 2;
    let (report, strip) = check(&script.0, "cores");
    assert!(report.times.of(State::OffCorePreempted) > 0);
    let moved = strip.tracks[0].times(State::OffCorePreempted);
    assert!(moved.iter().map(|[_, count, _]| count).sum::<u64>() > 100, "{moved:?}");
}

#[test]
fn a_run_of_many_threads_has_no_more_bins() {
    let mut run = RunBuilder::new();
    for thread in 0..300 {
        run.put(thread, 10 * thread as u64, Scope::None, ThreadBegin { thread_type: 2 });
    }
    let (report, strip) = check(&run, "many");
    assert_eq!((report.threads.len(), strip.tracks.len()), (300, 128));
    assert_eq!(strip.tracks[127].threads.len(), 172, "the last one has no time");
    assert!(strip.bins * strip.tracks.len() <= 8192);
}
