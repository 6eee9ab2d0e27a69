//! Commands to the recorder from outside a thread's own events.

pub(crate) mod control;
