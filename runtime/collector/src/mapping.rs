//! Events and states of the interface, and the events and states of the model as which they are recorded.

use collector_sys::{Event, State};
use ompttrace_recording::events::{
    ImplicitTask, Masked, MutexAcquire, MutexAcquired, MutexReleased, ParallelBegin, ParallelEnd,
    SyncRegion, SyncRegionWait, Work,
};

/// An event of the interface and the numbers of the events that are recorded.
pub(crate) struct EventMapping {
    pub(crate) event: Event,
    /// Numbers of the model's events as which it is recorded.
    pub(crate) recorded: &'static [u16],
}

const fn row(event: Event, recorded: &'static [u16]) -> EventMapping {
    EventMapping { event, recorded }
}

const BARRIER: &[u16] = &[SyncRegion::NUMBER, SyncRegionWait::NUMBER];

/// All 22 events of the interface.
pub(crate) const ROWS: &[EventMapping] = &[
    row(Event::Fork, &[ParallelBegin::NUMBER, ImplicitTask::NUMBER]),
    row(Event::Join, &[ParallelEnd::NUMBER, ImplicitTask::NUMBER]),
    row(Event::BeginIdle, &[SyncRegionWait::NUMBER, ImplicitTask::NUMBER]),
    row(Event::EndIdle, &[SyncRegionWait::NUMBER, ImplicitTask::NUMBER]),
    row(Event::BeginIbar, BARRIER),
    row(Event::EndIbar, BARRIER),
    row(Event::BeginEbar, BARRIER),
    row(Event::EndEbar, BARRIER),
    row(Event::BeginLkwt, &[MutexAcquire::NUMBER]),
    row(Event::EndLkwt, &[MutexAcquired::NUMBER]),
    row(Event::BeginCtwt, &[MutexAcquire::NUMBER]),
    row(Event::EndCtwt, &[MutexAcquired::NUMBER]),
    row(Event::BeginOdwt, &[MutexAcquire::NUMBER]),
    row(Event::EndOdwt, &[MutexAcquired::NUMBER]),
    row(Event::BeginMaster, &[Masked::NUMBER]),
    row(Event::EndMaster, &[Masked::NUMBER]),
    row(Event::BeginSingle, &[Work::NUMBER]),
    row(Event::EndSingle, &[Work::NUMBER]),
    row(Event::BeginOrdered, &[MutexAcquired::NUMBER]),
    row(Event::EndOrdered, &[MutexReleased::NUMBER]),
    row(Event::BeginAtwt, &[MutexAcquire::NUMBER]),
    row(Event::EndAtwt, &[MutexAcquired::NUMBER]),
];

/// The ompt_state_t that corresponds to a state of the interface.
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

    #[test]
    fn every_event_has_a_row() {
        assert!(ROWS.iter().map(|row| row.event).eq(Event::ALL.iter().copied()));
    }
}
