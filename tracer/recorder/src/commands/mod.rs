//! Commands to the recorder from outside of a thread's own events: begin, pause, flush, close. Knows all but the tables.

pub(crate) mod arm;
pub(crate) mod control;
pub(crate) mod wall_samples;
