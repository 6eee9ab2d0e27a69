//! Commands to the recorder from outside a thread's own events.

pub(crate) mod arm;
pub(crate) mod control;
pub(crate) mod wall_samples;
