//! Slots of a thread: what is in them, how they are filled, written and given up. Knows of no stream beside the events.

pub(crate) mod chunk;
pub(crate) mod drain;
pub(crate) mod fragments;
pub(crate) mod head;
pub(crate) mod overflow;
pub(crate) mod part;
