//! Streams that a thread has beside its events: which core it has, what is counted of it, what it does at intervals.

pub(crate) mod cores;
pub(crate) mod counters;
pub(crate) mod samples;
