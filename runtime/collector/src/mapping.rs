//! Which event of the interface becomes which of the model, and in which group it can be left out.

use collector_sys::Event;
use ompttrace_life::Family;

/// One row: an event of the interface, its group, the model's events by name.
pub(crate) struct Row {
    pub(crate) event: Event,
    pub(crate) family: Family,
    /// The event that it is in the model.
    pub(crate) told: &'static [&'static str],
}

const fn row(event: Event, family: Family, told: &'static [&'static str]) -> Row {
    Row { event, family, told }
}

const BARRIER: &[&str] = &["sync_region", "sync_region_wait"];

/// All 22.
pub(crate) const ROWS: &[Row] = &[
    row(Event::Fork, Family::Base, &["parallel_begin", "implicit_task"]),
    row(Event::Join, Family::Base, &["parallel_end", "implicit_task"]),
    row(Event::BeginIdle, Family::Base, &["sync_region_wait", "implicit_task"]),
    row(Event::EndIdle, Family::Base, &["sync_region_wait", "implicit_task"]),
    row(Event::BeginIbar, Family::Sync, BARRIER),
    row(Event::EndIbar, Family::Sync, BARRIER),
    row(Event::BeginEbar, Family::Sync, BARRIER),
    row(Event::EndEbar, Family::Sync, BARRIER),
    row(Event::BeginLkwt, Family::Mutex, &["mutex_acquire"]),
    row(Event::EndLkwt, Family::Mutex, &["mutex_acquired"]),
    row(Event::BeginCtwt, Family::Mutex, &["mutex_acquire"]),
    row(Event::EndCtwt, Family::Mutex, &["mutex_acquired"]),
    row(Event::BeginOdwt, Family::Mutex, &["mutex_acquire"]),
    row(Event::EndOdwt, Family::Mutex, &["mutex_acquired"]),
    row(Event::BeginMaster, Family::Work, &["masked"]),
    row(Event::EndMaster, Family::Work, &["masked"]),
    row(Event::BeginSingle, Family::Work, &["work"]),
    row(Event::EndSingle, Family::Work, &["work"]),
    row(Event::BeginOrdered, Family::Mutex, &["mutex_acquired"]),
    row(Event::EndOrdered, Family::Mutex, &["mutex_released"]),
    row(Event::BeginAtwt, Family::Mutex, &["mutex_acquire"]),
    row(Event::EndAtwt, Family::Mutex, &["mutex_acquired"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::events::EventCode;

    #[test]
    fn every_event_has_a_row_and_every_name_is_the_models() {
        assert!(ROWS.iter().map(|row| row.event).eq(Event::ALL.iter().copied()));
        let mut told = ROWS.iter().flat_map(|row| row.told);
        assert!(told.all(|name| EventCode::all().any(|code| code.name() == *name)));
    }
}
