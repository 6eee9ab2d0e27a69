//! Snapshots of artificial recordings: of states that are hard to reach with a runtime, and of impossible ones.

mod script;

mod cycles;
mod nonsense;
mod tasks;
