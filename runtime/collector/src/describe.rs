//! Description of such a runtime in `recording.json`: the events that it delivers, and those that it cannot report.

use crate::mapping::{EventMapping, ROWS};
use collector_sys::{ErrorCode, State};
use ompttrace_life::Selection;
use ompttrace_recording::facts::Runtime;

/// The interface's name in `recording.json`.
pub(crate) const INTERFACE: &str = "collector";

/// Notes on what no runtime with this interface reports.
const NEVER_REPORTED: [&str; 3] = [
    "never reported: explicit tasks, loops and sections, source locations, sizes of teams, thread \
     numbers, mutexes that were had without waiting and when they are free again",
    "inferred: implicit tasks, from forks, joins and idleness",
    "what threads did before the library had found the runtime is not in the recording",
];

/// Asks for every wanted event with `register` and describes the runtime in `library`.
pub(crate) fn runtime(
    library: String,
    selection: &Selection,
    register: impl Fn(&EventMapping) -> Option<ErrorCode>,
) -> Runtime {
    let answers = ROWS.iter().map(|row| (row.event.name(), answer(row, selection, &register)));
    Runtime {
        interface: INTERFACE.to_owned(),
        version: "a runtime that does not say its name".to_owned(),
        library,
        callbacks: answers.map(|(name, answer)| (name.to_owned(), answer.to_owned())).collect(),
        notes: NEVER_REPORTED.map(str::to_owned).to_vec(),
        states: State::ALL.iter().map(|state| (*state as u64, state.name().to_owned())).collect(),
        ..Runtime::default()
    }
}

fn answer(
    row: &EventMapping,
    selection: &Selection,
    register: &impl Fn(&EventMapping) -> Option<ErrorCode>,
) -> &'static str {
    if !row.recorded.iter().any(|event| selection.keeps(*event)) {
        return "not wanted";
    }
    register(row).map_or("not answered", ErrorCode::name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use collector_sys::Event;
    use ompttrace_life::Family;

    #[test]
    fn what_is_refused_or_not_wanted_is_said() {
        let selection = Selection { without: vec![Family::Mutex], ..Selection::default() };
        let runtime = runtime("lib".into(), &selection, |row| match row.event {
            Event::BeginEbar => Some(ErrorCode::Unsupported),
            Event::BeginAtwt => unreachable!("mutexes are not wanted"),
            _ => Some(ErrorCode::Ok),
        });
        assert_eq!(runtime.callbacks.len(), 22);
        for (event, answer) in [
            ("thr_begin_master", "ok"),
            ("thr_begin_ebar", "unsupported"),
            ("thr_begin_atwt", "not wanted"),
        ] {
            assert_eq!(runtime.callbacks[event], answer);
        }
    }
}
