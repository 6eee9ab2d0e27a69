//! The activities of threads, which their states are drawn as.

use crate::fake::START;
use crate::listing::listed;
use ompttrace_model::{Event, State, View};

#[test]
fn neighbouring_states_of_one_activity_are_one_and_nothing_is_drawn_of_a_thread_that_is_not_there()
{
    let (lines, drawn) = listed(View::Threads, |fake| {
        for (at, state) in [
            (0, Some(State::Idle)),
            (100, Some(State::WorkParallel)),
            (200, Some(State::WorkSerial)),
            (400, Some(State::OverheadSync)),
            (410, Some(State::WaitBarrier)),
            (450, Some(State::WaitTaskwait)),
            (490, Some(State::OffCoreBlocked)),
            (600, None),
            (700, Some(State::Idle)),
            (800, None),
        ] {
            fake.emit(START + at, Event::State(1, state));
        }
    });
    let parts: Vec<_> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("what worker 1 does: "))
        .map(|part| part.replace(" to ", "-"))
        .collect();
    let wanted = [
        "idle 0-100",
        "work 100-400",
        "overhead 400-410",
        "wait 410-490",
        "off core 490-600",
        "idle 700-800",
    ];
    assert_eq!((parts.len() as u64, parts), (drawn.activities, wanted.map(str::to_owned).to_vec()));
}
