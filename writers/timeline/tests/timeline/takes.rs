//! Events that a sink has no use for do not come, and all others are as they would be.

use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary, Takes};
use ompttrace_recording::Recording;
use ompttrace_timeline::testing::nonsense;
use std::convert::Infallible;

/// Position of resumptions in [`LEFT_OUT`].
const RESUMPTIONS: usize = 1;
/// Each of the frequent kinds of events alone is left out.
const LEFT_OUT: [Takes; 8] = [
    Takes { activity: false, ..Takes::ALL },
    Takes { resumptions: false, ..Takes::ALL },
    Takes { task_switches: false, ..Takes::ALL },
    Takes { lock_requests: false, ..Takes::ALL },
    Takes { lock_owners: false, ..Takes::ALL },
    Takes { holds: false, ..Takes::ALL },
    Takes { states: false, ..Takes::ALL },
    Takes { messages: false, ..Takes::ALL },
];

/// Lists the events that come, without their times, which may be earlier where one before does not come.
#[derive(Default)]
struct Listing<const WITHOUT: usize>(Vec<(Option<usize>, String)>);

impl<const WITHOUT: usize> Sink for Listing<WITHOUT> {
    type Output = Vec<(Option<usize>, String)>;
    type Error = Infallible;

    const MIN_RESUME_NS: u64 = 0;
    const TAKES: Takes = if WITHOUT < LEFT_OUT.len() { LEFT_OUT[WITHOUT] } else { Takes::ALL };

    fn start(&mut self, _: &RunInfo<'_>) {}

    fn event(&mut self, _: &Definitions, _: u64, event: &Event<'_>) {
        self.0.push((family(event), format!("{:?}", event.without_lists())));
    }

    fn finish(self, _: &Definitions, _: &Summary) -> Result<Self::Output, Infallible> {
        Ok(self.0)
    }
}

/// Position in [`LEFT_OUT`] of the family that an event belongs to; `None` if it belongs to none.
fn family(event: &Event<'_>) -> Option<usize> {
    match event {
        Event::Counter(counter, _) => {
            (!matches!(counter, ompttrace_model::Counter::OfThread(..))).then_some(0)
        }
        Event::Suspend(..) => Some(1),
        Event::Begin(_, slice) if slice.resumed => Some(1),
        Event::TaskRuns(..) | Event::TaskEnd(..) => Some(2),
        Event::LockRequested { .. } => Some(3),
        Event::LockAcquired(..) | Event::LockReleased(..) => Some(4),
        Event::HoldBegin(..) | Event::HoldEnd(..) => Some(5),
        Event::State(..) => Some(6),
        Event::Mpi(..) => Some(7),
        _ => None,
    }
}

fn listed<const WITHOUT: usize>(recording: &Recording) -> Vec<(Option<usize>, String)> {
    match ompttrace_timeline::run(recording, Listing::<WITHOUT>::default()) {
        Ok((listed, _)) => listed,
        Err(error) => panic!("{error}"),
    }
}

/// Compares the events that belong to other families than `without`. Returns true if that family has events in `all`.
fn compare(
    all: &[(Option<usize>, String)],
    some: &[(Option<usize>, String)],
    without: usize,
) -> bool {
    let is_left_out = |entry: &(Option<usize>, String)| entry.0 == Some(without);
    // A slice that is suspended where the recording stops has its end there, unless suspensions are ends.
    let is_end =
        |entry: &(Option<usize>, String)| without == RESUMPTIONS && entry.1.starts_with("End");
    let others = |entries: &[(Option<usize>, String)]| {
        let others = entries.iter().filter(|entry| !is_left_out(entry) && !is_end(entry));
        others.cloned().collect::<Vec<_>>()
    };
    let (expected, found) = (others(all), others(some));
    let differs = expected.iter().zip(&found).position(|(one, other)| one != other);
    assert_eq!(differs.map(|at| (&expected[at], &found[at])), None, "without family {without}");
    assert_eq!(found.len(), expected.len(), "without family {without}");
    if without == RESUMPTIONS {
        let count = |of: &[(Option<usize>, String)], what: &str| {
            of.iter().filter(|entry| entry.1.starts_with(what)).count()
        };
        assert_eq!(count(some, "Suspend"), 0);
        let (begins, ends) = (count(some, "Begin"), count(some, "End"));
        assert!(count(all, "End") <= ends && ends <= begins && begins <= count(all, "Begin"));
    } else {
        assert!(!some.iter().any(is_left_out));
    }
    all.iter().any(is_left_out)
}

#[test]
fn all_else_is_as_it_would_be() {
    let mut has_any = [false; LEFT_OUT.len()];
    for seed in 1..100 {
        // Messages of MPI are rare.
        let length = if seed < 4 { 10_000 } else { 150 };
        let (_folder, recording) = nonsense(seed, length).open().expect("a run folder");
        let all = listed::<{ LEFT_OUT.len() }>(&recording);
        let listings = [
            listed::<0>(&recording),
            listed::<1>(&recording),
            listed::<2>(&recording),
            listed::<3>(&recording),
            listed::<4>(&recording),
            listed::<5>(&recording),
            listed::<6>(&recording),
            listed::<7>(&recording),
        ];
        for (without, listing) in listings.iter().enumerate() {
            has_any[without] |= compare(&all, listing, without);
        }
    }
    assert_eq!(has_any, [true; LEFT_OUT.len()]);
}
