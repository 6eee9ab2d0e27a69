//! Which event of the interface becomes which of the model.

use collector_sys::{Event, State};

/// An event of the interface and the names of the model's events.
pub(crate) struct EventMapping {
    pub(crate) event: Event,
    /// The event that it is in the model.
    pub(crate) reported: &'static [&'static str],
}

const fn row(event: Event, reported: &'static [&'static str]) -> EventMapping {
    EventMapping { event, reported }
}

const BARRIER: &[&str] = &["sync_region", "sync_region_wait"];

/// All 22.
pub(crate) const ROWS: &[EventMapping] = &[
    row(Event::Fork, &["parallel_begin", "implicit_task"]),
    row(Event::Join, &["parallel_end", "implicit_task"]),
    row(Event::BeginIdle, &["sync_region_wait", "implicit_task"]),
    row(Event::EndIdle, &["sync_region_wait", "implicit_task"]),
    row(Event::BeginIbar, BARRIER),
    row(Event::EndIbar, BARRIER),
    row(Event::BeginEbar, BARRIER),
    row(Event::EndEbar, BARRIER),
    row(Event::BeginLkwt, &["mutex_acquire"]),
    row(Event::EndLkwt, &["mutex_acquired"]),
    row(Event::BeginCtwt, &["mutex_acquire"]),
    row(Event::EndCtwt, &["mutex_acquired"]),
    row(Event::BeginOdwt, &["mutex_acquire"]),
    row(Event::EndOdwt, &["mutex_acquired"]),
    row(Event::BeginMaster, &["masked"]),
    row(Event::EndMaster, &["masked"]),
    row(Event::BeginSingle, &["work"]),
    row(Event::EndSingle, &["work"]),
    row(Event::BeginOrdered, &["mutex_acquired"]),
    row(Event::EndOrdered, &["mutex_released"]),
    row(Event::BeginAtwt, &["mutex_acquire"]),
    row(Event::EndAtwt, &["mutex_acquired"]),
];

/// The number of a state among those of ompt_state_t.
pub(crate) const fn state(state: State) -> u64 {
    match state {
        State::Serial => 0,
        State::Work => 1,
        State::Reduc => 2,
        State::Ibar => 0x13,
        State::Ebar => 0x14,
        State::Lkwt => 0x41,
        State::Ctwt => 0x42,
        State::Atwt => 0x43,
        State::Odwt => 0x44,
        State::Idle => 0x100,
        State::Ovhd => 0x101,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::events::EventCode;

    #[test]
    fn every_event_has_a_row_and_every_name_is_the_models() {
        assert!(ROWS.iter().map(|row| row.event).eq(Event::ALL.iter().copied()));
        let mut reported = ROWS.iter().flat_map(|row| row.reported);
        assert!(reported.all(|name| EventCode::all().any(|code| code.name() == *name)));
    }
}
