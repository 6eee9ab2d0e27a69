//! A run in time windows: each keeps the contract, and together they report what the whole does.

use crate::script::{IMPLICIT, Script, implicit, region, task};
use ompttrace_model::{Core, Counter, InstantKind, Mark, SliceKind};
use ompttrace_recording::events::CounterValue;
use ompttrace_recording::{Id, Recording, Scope, facts};
use ompttrace_timeline::Options;
use ompttrace_timeline::testing::{Checker, SeenInstant, SeenSlice, Timeline, nonsense};
use ompttrace_timeline::time_windows::{Supply, SupplyError, TimeWindows, Window, WindowSummary};
use std::cell::Cell;

/// Checkers that have enough when they were asked so often.
struct Checkers {
    patience: u64,
    asked: Cell<u64>,
    /// Number of checkers that are still to be supplied; the last one is never full.
    left: u32,
}

impl Supply for Checkers {
    type Sink = Checker;

    fn next(&mut self) -> Result<Checker, SupplyError> {
        self.left = self.left.checked_sub(1).ok_or("no more checkers")?;
        self.asked.set(0);
        Ok(Checker::default())
    }
    fn is_full(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.left > 0 && self.asked.get() > self.patience
    }
}

fn time_windows(
    recording: &Recording,
    window: Window,
    (left, patience): (u32, u64),
) -> Result<Vec<WindowSummary<Timeline>>, String> {
    let supply = Checkers { patience, asked: Cell::new(0), left };
    let seen = ompttrace_timeline::run(recording, TimeWindows::new(window, supply));
    seen.map(|(time_windows, _)| time_windows).map_err(|error| error.to_string())
}

fn whole(recording: &Recording) -> Timeline {
    ompttrace_timeline::run(recording, Checker::default()).expect("the contract").0
}

fn window(from: u64, to: u64) -> Window {
    Window { from: Some(from), to: Some(to) }
}

/// Comparable properties of a slice: thread, kind, name, begin, end.
type Seen = (u32, String, String, u64, u64);

/// The slices as they are seen from `from` up to `to`, in a fixed order. What ends at `from` itself may
/// be seen or not: it may end before or after its thread gets there.
fn clipped(slices: &[SeenSlice], from: u64, to: u64) -> Vec<Seen> {
    let seen = |slice: &&SeenSlice| slice.begin < to && (slice.end > from || slice.begin >= from);
    let clip = |slice: &SeenSlice| {
        let SeenSlice { thread, kind, name, begin, end, .. } = slice;
        (*thread, format!("{kind:?}"), name.clone(), *begin.max(&from), *end.min(&to))
    };
    let clipped = slices.iter().filter(seen).map(clip);
    let mut clipped: Vec<_> = clipped.filter(|seen| seen.4 > from).collect();
    clipped.sort();
    clipped
}

/// The time of the first record, from which windows are counted. Ticks are nanoseconds here.
fn begin_of(recording: &Recording) -> u64 {
    let streams = (0..recording.threads.len()).map(|t| recording.stream(t));
    streams.filter_map(|stream| stream.next_ticks()).min().unwrap_or(0)
}

fn run(seed: u64) -> (tempfile::TempDir, Recording) {
    nonsense(seed, 400).open().expect("a run folder")
}

#[test]
fn one_window_without_bounds_is_the_whole() {
    for seed in 1..60 {
        let (_folder, recording) = run(seed);
        let seen = time_windows(&recording, Window::default(), (1, 0)).expect("the contract");
        let [time_window] = &seen[..] else { panic!("{} windows", seen.len()) };
        let whole = whole(&recording);
        assert_eq!(time_window.output.slices, whole.slices, "seed {seed}");
        assert_eq!(time_window.output.instants, whole.instants, "seed {seed}");
        assert_eq!(time_window.output.structure, whole.structure, "seed {seed}");
        assert_eq!(time_window.output.cores, whole.cores, "seed {seed}");
        assert_eq!(time_window.output.states, whole.states, "seed {seed}");
        assert_eq!(time_window.output.core_sums, whole.core_sums, "seed {seed}");
        assert_eq!(time_window.summary, whole.summary, "seed {seed}");
    }
}

#[test]
fn a_window_shows_what_the_whole_shows_there() {
    for seed in 1..60 {
        let (_folder, recording) = run(seed);
        let whole = whole(&recording);
        let mut times: Vec<_> = whole.slices.iter().map(|slice| slice.begin).collect();
        times.sort_unstable();
        // Times of events are the hardest: at them something begins and ends.
        let (from, to) = (times[times.len() / 3], times[times.len() / 2]);
        let begin = begin_of(&recording);
        let seen = time_windows(&recording, window(from - begin, to - begin), (1, 0));
        let seen = seen.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let output = &seen[0].output;
        assert_eq!(clipped(&output.slices, from, to), clipped(&whole.slices, from, to), "{seed}");
        let states = [output, &whole].map(|timeline| timeline.time_in_states(from, to));
        assert_eq!(states[0], states[1], "seed {seed}");
        let is_test = |one: &SeenInstant| matches!(one.kind, InstantKind::LockTestFailed(_));
        let inside = whole.instants.iter().filter(|i| (from..to).contains(&i.at));
        let (tests, others): (Vec<_>, Vec<_>) = inside.partition(|one| is_test(one));
        let own = output.instants.iter().filter(|one| is_test(one)).count();
        assert_eq!(output.instants.len() - own, others.len(), "seed {seed}");
        // A test of a lock that a thread made last may fail after the window.
        assert!((own..=own + 4).contains(&tests.len()), "seed {seed}: {own} of {}", tests.len());
        for thread in 0..4 {
            let wanted = core_states(&whole.cores, thread, from, to);
            assert_eq!(core_states(&output.cores, thread, from, to), wanted, "seed {seed}");
        }
    }
}

/// The state of a thread's core at the begin of the window, and its changes within the window.
fn core_states(
    seen: &[(u64, u32, Core)],
    thread: u32,
    from: u64,
    to: u64,
) -> (Core, Vec<(u64, Core)>) {
    let own = || seen.iter().filter(|(_, of, _)| *of == thread).map(|(at, _, core)| (*at, *core));
    let before = own().take_while(|(at, _)| *at <= from).last();
    let inside = own().filter(|(at, _)| from < *at && *at < to);
    (before.map_or(Core::Unknown, |(_, core)| core), inside.collect())
}

#[test]
fn two_parts_are_two_windows_that_meet() {
    for seed in 1..60 {
        let (_folder, recording) = run(seed);
        let whole = whole(&recording);
        let seen = time_windows(&recording, Window::default(), (2, 150)).expect("the contract");
        let [one, other] = &seen[..] else { panic!("seed {seed}: {} parts", seen.len()) };
        assert_eq!(one.end, other.begin, "seed {seed}");
        let cut = begin_of(&recording) + one.end;
        for (part, from, to) in [(one, 0, cut), (other, cut, u64::MAX)] {
            let slices = &part.output.slices;
            assert_eq!(clipped(slices, from, to), clipped(&whole.slices, from, to), "seed {seed}");
            let inside = whole.instants.iter().filter(|i| (from..to).contains(&i.at));
            let at_once = |seen: &SeenInstant| !matches!(seen.kind, InstantKind::LockTestFailed(_));
            let reported = part.output.instants.iter().filter(|seen| at_once(seen)).count();
            assert_eq!(reported, inside.filter(|seen| at_once(seen)).count(), "seed {seed}");
        }
        // That a test has failed is known late: it may come to lie where the second part begins.
        let both = one.output.instants.len() + other.output.instants.len();
        assert_eq!(both, whole.instants.len(), "seed {seed}");
    }
}

/// Small parts are closed before all threads have reached their ends.
#[test]
fn many_small_parts_keep_the_contract_and_report_every_instant_once() {
    for seed in 1..60 {
        let (_folder, recording) = run(seed);
        let seen = time_windows(&recording, Window::default(), (u32::MAX, 20 + seed % 30));
        let seen = seen.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(seen.len() > 2, "seed {seed}: {} parts", seen.len());
        assert!(seen.windows(2).all(|two| two[0].end == two[1].begin), "seed {seed}");
        let instants: usize = seen.iter().map(|part| part.output.instants.len()).sum();
        assert_eq!(instants, whole(&recording).instants.len(), "seed {seed}");
    }
}

#[test]
fn a_window_behind_the_run_and_a_missing_writer_are_errors() {
    let (_folder, recording) = run(3);
    let error =
        time_windows(&recording, window(u64::MAX - 1, u64::MAX), (1, 0)).expect_err("nothing");
    assert!(error.starts_with("nothing is left of the run, which lasts "), "{error}");
    let error = time_windows(&recording, Window::default(), (0, 0)).expect_err("no writer");
    assert_eq!(error, "no more checkers");
}

/// A team of two: forked at 10, its implicit tasks begin at 11 and 12; a task of the first runs from 20 on.
fn team() -> Script {
    let (fork, own, other, explicit) = (region(0, 1), implicit(0, 1), implicit(1, 0), task(0, 1));
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 2, 2).fork(0, 10, fork, implicit(0, 0), 2);
    script.implicit_begins(0, 11, fork, own, (2, 0)).implicit_begins(1, 12, fork, other, (2, 1));
    script.create(0, 15, own, explicit).schedule(0, 20, own, explicit, 7);
    script.acquire(0, 22, 2, 0xa).acquired(0, 23, 2, 0xa);
    script.released(0, 40, 2, 0xa).schedule(0, 50, explicit.started(), own, 1);
    script.sync(0, 60, IMPLICIT, own).sync(1, 60, IMPLICIT, other);
    script.sync_ends(0, 70, IMPLICIT, own).implicit_ends(0, 72, own, (2, 0));
    script.join(0, 73, fork, implicit(0, 0));
    script
}

/// The timeline of one window, whose bounds are times of the recording; its first record is at 1.
fn shown(script: &Script, from: u64, to: u64) -> Timeline {
    let (_folder, recording) = script.run.open().expect("a run folder");
    let mut seen =
        time_windows(&recording, window(from - 1, to - 1), (1, 0)).expect("the contract");
    seen.remove(0).output
}

#[test]
fn what_is_open_is_begun_and_ended_with_the_window_and_marked() {
    let seen = shown(&team(), 30, 45);
    let slices: Vec<_> =
        seen.slices.iter().map(|s| (s.thread, s.name.as_str(), s.span())).collect();
    let all = (30, 45);
    let expected = [
        (0, "task", all),
        (0, "implicit task 0x1000", all),
        (0, "parallel 0x1000", all),
        (0, "initial task", all),
        (1, "implicit task 0x1000", all),
    ];
    assert_eq!(slices, expected);
    let is_cut = |s: &SeenSlice| s.begin_mark == Mark::Cut && s.end_mark == Mark::Cut;
    assert!(seen.slices.iter().all(is_cut));
    let whole = team().timeline();
    let args = |seen: &Timeline| seen.on(0, SliceKind::Task)[0].args.clone();
    assert!(args(&seen) == args(&whole) && !args(&seen).is_empty());
    let (hold, region) = (&seen.holds[0], &seen.regions[0]);
    assert_eq!((hold.begin, hold.end, hold.end_mark), (30, 40, Mark::Observed));
    assert_eq!((region.begin, region.end, region.end_mark), (30, 45, Mark::Cut));
}

#[test]
fn counters_have_their_values_from_the_begin_on() {
    let whole = team().timeline();
    let before =
        whole.counters.iter().rfind(|(at, counter, _)| *at <= 30 && *counter == Counter::LiveTasks);
    let seen = shown(&team(), 30, 45);
    let first = seen.counters.iter().find(|(_, counter, _)| *counter == Counter::LiveTasks);
    assert_eq!(first, before.map(|(_, counter, value)| (30, *counter, *value)).as_ref());
    assert_eq!(first.map(|(_, _, value)| *value), Some(1));
}

/// Values of threads' counters are emitted as they are read, if the run has such a counter, and continue in a window.
#[test]
fn what_is_counted_of_threads_goes_on() {
    let mut script = team();
    script.run.facts.counters.counted = vec![facts::Counter::default()];
    script.thread(2, 11, 2);
    for (at, counter, value) in [(20, 0, 7), (25, 1, 1), (35, 0, 9)] {
        script.once(2, at, CounterValue { value, counter });
    }
    let counted = |seen: &Timeline| -> Vec<_> {
        let values = seen.counters.iter().filter(|(_, of, _)| *of == Counter::OfThread(2, 0));
        values.map(|(at, _, value)| (*at, *value)).collect()
    };
    let whole = script.timeline();
    assert_eq!(counted(&whole), [(20, 7), (35, 9)]);
    assert_eq!(whole.summary.dropped, [("unknown event", 1)]);
    assert_eq!(counted(&shown(&script, 30, 45)), [(30, 7), (35, 9)]);
}

#[test]
fn the_structure_is_that_of_the_instant() {
    let seen = shown(&team(), 30, 45);
    let structure: Vec<_> =
        seen.structure.iter().map(|(at, t, text)| (*at, *t, text.as_str())).collect();
    let expected = [
        (30, 0, "0 of 1 begins"),
        (30, 0, "0 of 2 begins"),
        (30, 0, "0.1 runs"),
        (30, 0, "lock 0 acquired"),
        (30, 1, "1 of 2 begins"),
        (40, 0, "lock 0 released"),
        (45, 0, "0.1 is over (inferred)"),
        (45, 0, "i0.1 runs"),
        (45, 0, "team thread ends"),
        (45, 0, "team thread ends"),
        (45, 1, "team thread ends"),
    ];
    assert_eq!(structure, expected);
}

/// A worker that acts first in the window is not begun in it before the region that it is in, also where
/// the threads are numbered the other way round.
#[test]
fn a_region_is_begun_before_its_team_threads_whichever_acts_first() {
    let (fork, inner) = (region(1, 1), region(0, 1));
    let mut script = Script::new();
    script.thread(1, 1, 1).thread(0, 2, 2).thread(2, 2, 2).fork(1, 10, fork, implicit(1, 0), 2);
    script.implicit_begins(1, 11, fork, implicit(1, 1), (2, 0)).implicit_begins(
        0,
        12,
        fork,
        implicit(0, 1),
        (2, 1),
    );
    script.fork(0, 13, inner, implicit(0, 1), 2).implicit_begins(
        0,
        14,
        inner,
        implicit(0, 2),
        (2, 0),
    );
    script.implicit_begins(2, 15, inner, implicit(2, 1), (2, 1));
    for (thread, at) in [(2, 40), (0, 50), (1, 60)] {
        script.sync(thread, at, IMPLICIT, implicit(thread as u64, 1 + u32::from(thread == 0)));
    }
    let seen = shown(&script, 30, 70);
    let regions = seen.slices.iter().filter(|slice| slice.name.starts_with("parallel"));
    assert_eq!(regions.map(|slice| slice.begin).collect::<Vec<_>>(), [30, 30]);
    let begins =
        seen.structure.iter().filter(|(at, _, text)| *at == 30 && text.ends_with("begins"));
    let begins: Vec<_> = begins.map(|(_, thread, text)| (*thread, text.as_str())).collect();
    let expected = [
        (1, "0 of 1 begins"),
        (1, "0 of 2 begins"),
        (0, "1 of 2 begins"),
        (0, "0 of 2 begins"),
        (2, "1 of 2 begins"),
    ];
    assert_eq!(begins, expected);
}

#[test]
fn an_arrow_ends_where_it_began_in_the_same_window() {
    let ends = |from| {
        let seen = shown(&team(), from, 73);
        let tasks = seen.on(1, SliceKind::ImplicitTask);
        tasks.iter().map(|slice| slice.flow_ends.len()).collect::<Vec<_>>()
    };
    assert_eq!((ends(9), ends(11), ends(20)), (vec![1], vec![0], vec![0]));
}

/// Time before and after a window whose records are read as well, in nanoseconds.
const AROUND: u64 = 1_000_000;

/// Factor by which times of the scripts below are multiplied, so that they are far apart compared to `AROUND`.
const SLOW: u64 = 100 * AROUND;

/// Checks that a reader that begins at `cut`, with the state there, sees from then on the same as a reader of the whole
/// run. Returns how many begins and ends of its events are inferred, and how many are cut.
fn continues_at(script: &Script, cut: u64) -> (u64, u64) {
    let (_folder, recording) = script.run.open().expect("a run folder");
    let begin = begin_of(&recording);
    let from = cut + AROUND - begin;
    let supply = Checkers { patience: 0, asked: Cell::new(0), left: 1 };
    let window = Window { from: Some(from), to: None };
    let options = Options { min_resume_ns: 0, window: (Some(from), None), watch: |_, _| {} };
    let seen = ompttrace_timeline::run_with(&recording, TimeWindows::new(window, supply), options);
    let (mut seen, summary) = seen.expect("the contract");
    let (seen, whole) = (seen.remove(0), whole(&recording));
    let both =
        [&seen.output.slices, &whole.slices].map(|slices| clipped(slices, cut + AROUND, u64::MAX));
    assert_eq!(both[0], both[1]);
    assert!(both[0].len() > 1 && both[0].len() < whole.slices.len());
    let after = |seen: &Timeline| {
        let is_after = |(at, ..): &&(u64, u32, String)| *at > cut + AROUND;
        seen.structure.iter().filter(is_after).cloned().collect::<Vec<_>>()
    };
    assert_eq!(after(&seen.output), after(&whole));
    (summary.inferred, summary.cut)
}

#[test]
fn a_team_is_over_when_its_primary_thread_has_left_it() {
    let (fork, own, other) = (region(0, 1), implicit(0, 1), implicit(1, 0));
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 2, 2).fork(0, 10, fork, implicit(0, 0), 2);
    script.implicit_begins(0, 11, fork, own, (2, 0)).implicit_begins(1, 12, fork, other, (2, 1));
    script.sync(0, 60, IMPLICIT, own).sync(1, 60, IMPLICIT, other);
    script.sync_ends(0, 70, IMPLICIT, own).implicit_ends(0, 72, own, (2, 0));
    script.join(0, 73 * SLOW, fork, implicit(0, 0));
    assert_eq!(continues_at(&script, 73 * SLOW - 10 * AROUND).0, 0);
}

#[test]
fn a_task_is_over_for_the_thread_that_had_it_meanwhile() {
    const SWITCH: u64 = 7;
    let (fork, own, other, untied) = (region(0, 1), implicit(0, 1), implicit(1, 0), task(0, 1));
    let mut script = Script::new();
    script.thread(0, 1, 1).thread(1, 2, 2);
    script.implicit_task(0, 3, Scope::Begin, Id::NONE, implicit(0, 0), (1, 1), 1);
    script.fork(0, 10, fork, implicit(0, 0), 2);
    script.implicit_begins(0, 11, fork, own, (2, 0)).implicit_begins(1, 12, fork, other, (2, 1));
    script.create(0, 15, own, untied).schedule(1, 20, other, untied, SWITCH);
    script.schedule(1, 25, untied.started(), other, SWITCH);
    script.schedule(0, 30, own, untied.started(), SWITCH);
    script.schedule(0, 35, untied.started(), own, SWITCH);
    script.schedule(1, 40, other, untied.started(), SWITCH);
    script.schedule(1, 45, untied.started(), other, 1);
    script.sync(0, 60 * SLOW, IMPLICIT, own).sync(1, 60 * SLOW, IMPLICIT, other);
    script.sync_ends(0, 70 * SLOW, IMPLICIT, own).implicit_ends(0, 72 * SLOW, own, (2, 0));
    script.join(0, 73 * SLOW, fork, implicit(0, 0));
    script.fork(0, 75 * SLOW, region(0, 2), implicit(0, 0), 1);
    script.join(0, 78 * SLOW, region(0, 2), implicit(0, 0));
    script.implicit_task(0, 80 * SLOW, Scope::End, Id::NONE, implicit(0, 0), (0, 1), 1);
    assert_eq!(continues_at(&script, 74 * SLOW), (0, 0));
}
