//! Slots of a thread: how they are filled, changed, written and given up. Knows no stream beside the events.

pub(crate) mod chunk;
pub(crate) mod drain;
pub(crate) mod fragments;
pub(crate) mod head;
pub(crate) mod overflow;
pub(crate) mod part;
