//! Tests of the drawing of an overview, and that nothing is lost in it.

use super::*;
use ompttrace_model::{Event, Executor, InstantKind, Sink, SliceKind, Summary as RunSummary, View};
use ompttrace_recording::facts::Facts;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// Number and nanoseconds of the slices of a trace, by name.
type Sums = BTreeMap<u32, (u64, u64)>;

/// A format that adds up what is drawn, and keeps it as text.
#[derive(Debug, Default)]
struct Adding {
    open: Vec<Vec<(u64, u32)>>,
    sums: Sums,
    /// Slices of summaries and begun ones, each with its length where it is known.
    lines: Vec<String>,
    bytes: u64,
    titles: Vec<String>,
    /// Nanoseconds by the thread's activity.
    states: BTreeMap<&'static str, u64>,
    /// The latest time on each track.
    last: Vec<u64>,
}

impl Adding {
    fn at(&mut self, track: usize, at: u64) {
        assert!(at >= self.last[track], "{at} after {}", self.last[track]);
        self.last[track] = at;
        self.bytes += 1;
    }

    /// The number of a title.
    fn number(&self, title: u32) -> u32 {
        self.titles[title as usize].parse().expect("a number")
    }

    fn add(&mut self, name: u32, count: u64, time: u64) {
        let sum = self.sums.entry(name).or_default();
        (sum.0, sum.1) = (sum.0 + count, sum.1 + time);
    }
}

impl Format for Adding {
    type Track = usize;
    type Text = ();
    type Output = Adding;
    type Error = Infallible;

    fn start(&mut self, _: &RunInfo<'_>) {}
    fn define(&mut self, _: &Definitions) {}
    fn title(&mut self, title: &str) {
        self.titles.push(title.to_owned());
    }
    fn text(&mut self, _: &str) {}
    fn thread(&mut self, _: &RunInfo<'_>, _: ThreadRef, _: &str, _: bool) -> usize {
        self.open.push(Vec::new());
        self.last.push(0);
        self.open.len() - 1
    }
    fn activities(&mut self, _: ThreadRef, _: &str) -> usize {
        self.open.push(Vec::new());
        self.last.push(0);
        self.open.len() - 1
    }
    fn shared(&mut self, _: Shared, _: &str, _: Option<u32>) -> usize {
        unreachable!("threads alone")
    }
    fn counter(&mut self, _: Counter) -> usize {
        0
    }
    fn set_rank(&mut self, _: &LogicalThread, _: &usize, _: u32) {}
    fn take_slice(&mut self, _: &Slice<'_>) {}
    fn take_instant(&mut self, _: &Instant<'_>) {}
    fn set_partner(&mut self, _: Option<(Partner, &())>) {}
    fn add_partner(&mut self, _: Partner, _: &()) {}
    fn begin(&mut self, track: &mut usize, at: u64, slice: Titled<&Slice<'_>>, _: bool) {
        self.at(*track, at);
        let name = self.number(slice.title);
        self.open[*track].push((at, name));
    }
    fn end(&mut self, track: &mut usize, at: u64, _: Mark) {
        self.at(*track, at);
        let (begin, name) = self.open[*track].pop().expect("an open slice");
        self.add(name, 1, at - begin);
        self.lines.push(format!("{begin} to {at}: {name}"));
    }
    fn instant(&mut self, track: &mut usize, at: u64, instant: Titled<&Instant<'_>>, _: bool) {
        self.at(*track, at);
        let name = self.number(instant.title);
        self.add(name, 1, 0);
        self.lines.push(format!("{at}: {name}"));
    }
    fn summary(&mut self, track: &mut usize, summary: &Summary<'_>) {
        self.at(*track, summary.from);
        self.at(*track, summary.to);
        for sum in summary.sums {
            self.add(self.number(sum.name), sum.count, sum.total);
        }
        let own: u64 = summary.sums.iter().map(|sum| sum.own).sum();
        assert_eq!(own + summary.around, summary.to - summary.from);
        let title =
            summary.title(|name| ["zero", "one", "two", "three"][self.number(name) as usize]);
        self.lines.push(format!("{} to {}: {title}", summary.from, summary.to));
    }
    fn activity(&mut self, track: &mut usize, part: &Activities) {
        assert!(part.from >= self.last[*track], "{} after {}", part.from, self.last[*track]);
        self.last[*track] = part.to;
        for (activity, _, time) in part.sums() {
            *self.states.entry(activity.name()).or_default() += time;
        }
    }
    fn value(&mut self, _: &mut usize, _: u64, _: Counter, _: i64) {}
    fn mean(&mut self, _: &mut usize, _: u64, _: Counter, _: f64) {}
    fn core(&mut self, _: u64, _: ThreadRef, _: Core) {}
    fn remark_loss(&mut self, _: u64, _: &str) {}
    fn bytes(&self) -> u64 {
        self.bytes
    }
    fn finish(self, _: Counts) -> Result<Adding, Infallible> {
        Ok(self)
    }
}

/// A call for the only thread.
#[derive(Clone, Copy, Debug)]
enum Call {
    Begin(u64, u32),
    End(u64),
    Instant(u64, u32),
    Lost(u64),
}

/// The calls drawn at the finest of these resolutions that has at most `limit` calls.
fn draw(calls: &[Call], resolutions: &[u64], limit: u64) -> Written<Adding> {
    let formats = resolutions.iter().map(|resolution| (*resolution, Adding::default()));
    let mut sink = crate::TrackSink::new(Overview::new(formats, limit, false), View::Threads);
    let (facts, threads) = (Facts::default(), [ompttrace_model::ThreadInfo::default()]);
    let mut definitions = Definitions::default();
    for name in 0..4 {
        definitions.add_string(&name.to_string());
    }
    let run = RunInfo { facts: &facts, threads: &threads, begin: 0, end: 0, realtime_offset: 0 };
    sink.start(&run);
    let executor = Executor { thread: 0, logical_thread: None };
    for call in calls {
        let (kind, mark) = (SliceKind::Task, Mark::Observed);
        let slice = |name| Slice::new(kind, name, 0);
        let instant = |kind, name| Instant::new(kind, name, 0);
        let (at, event) = match *call {
            Call::Begin(at, name) => (at, Event::Begin(executor, slice(name))),
            Call::End(at) => (at, Event::End(executor, kind, mark)),
            Call::Instant(at, name) => {
                (at, Event::Instant(executor, instant(InstantKind::Flush, name)))
            }
            Call::Lost(at) => (at, Event::Instant(executor, instant(InstantKind::Lost, 3))),
        };
        sink.event(&definitions, at, &event);
    }
    let Ok(written) = sink.finish(&definitions, &RunSummary::default());
    written.expect("a trace")
}

fn lines(calls: &[Call], resolution: u64) -> Vec<String> {
    draw(calls, &[resolution], 0).output.lines
}

#[test]
fn what_is_long_stays_and_neighbours_that_are_short_become_one() {
    use Call::{Begin, End, Instant};
    let calls = [
        Begin(0, 0),
        Begin(10, 1),
        End(20),
        Begin(25, 1),
        Begin(26, 2),
        End(28),
        End(30),
        Instant(35, 3),
        Begin(40, 2),
        End(240),
        Begin(250, 1),
        End(255),
        End(1000),
    ];
    // The only short one after the long one stays as it is.
    let want = ["10 to 35: 2 × one, 100 % work", "40 to 240: 2", "250 to 255: 1", "0 to 1000: 0"];
    assert_eq!(lines(&calls, 100), want);
    assert_eq!(lines(&calls, 10_000), ["0 to 1000: zero, 100 % work"]);
}

#[test]
fn a_summary_is_no_longer_than_it_takes_and_bridges_no_gap() {
    use Call::{Begin, End};
    let short = |at| [Begin(at, 1), End(at + 10)];
    let calls: Vec<_> = [0, 20, 40, 60, 80, 90, 300, 320].into_iter().flat_map(short).collect();
    let want = [
        "0 to 50: 3 × one, 60 % work",
        "60 to 100: 3 × one, 75 % work",
        "300 to 330: 2 × one, 66 % work",
    ];
    assert_eq!(lines(&calls, 50), want);
}

#[test]
fn losses_are_drawn_where_they_are() {
    let calls =
        [Call::Begin(0, 1), Call::Lost(5), Call::End(10), Call::Begin(11, 1), Call::End(12)];
    assert_eq!(lines(&calls, 100), ["5: 3", "0 to 10: 1", "11 to 12: 1"]);
}

/// Calls that nest, and end.
fn calls() -> impl Strategy<Value = Vec<Call>> {
    let step = (0u64..60, 0u32..4, 0u8..8);
    prop::collection::vec(step, 0..300).prop_map(|steps| {
        let (mut now, mut open, mut calls) = (0, 0, Vec::new());
        for (wait, name, what) in steps {
            // A gap or a long slice now and then.
            now += if wait == 59 { 5_000 } else { wait };
            match what {
                0..=2 if open < 6 => {
                    open += 1;
                    calls.push(Call::Begin(now, name));
                }
                0..=5 if open > 0 => {
                    open -= 1;
                    calls.push(Call::End(now));
                }
                6 => calls.push(Call::Lost(now)),
                _ => calls.push(Call::Instant(now, name)),
            }
        }
        calls.extend((0..open).map(|_| Call::End(now)));
        calls
    })
}

proptest! {
    #[test]
    fn nothing_is_lost_at_any_resolution(calls in calls(), limit in 1u64..400) {
        let whole = draw(&calls, &[0], u64::MAX).output;
        let (states, whole) = (whole.states, whole.sums);
        for resolution in [1, 30, 100, 1_000, 100_000] {
            let drawn = draw(&calls, &[resolution], 0).output;
            prop_assert_eq!((&drawn.sums, &drawn.states), (&whole, &states));
        }
        let steps = [0, 10, 50, 100, 1_000];
        let written = draw(&calls, &steps, limit);
        prop_assert_eq!((&written.output.sums, &written.output.states), (&whole, &states));
        prop_assert!(written.output.bytes <= limit || written.resolution == 1_000);
        // A finer one would have been too large, also by itself.
        if let Some(finer) = steps.iter().rev().find(|step| **step < written.resolution) {
            prop_assert!(*finer != 0 || draw(&calls, &[0], u64::MAX).output.bytes > limit);
        }
    }
}
