//! Streams that a thread has beside its events: which core it has, what is counted of it, what it does at intervals.
//!
//! The recorder is given them as [`FurtherStreams`](crate::registry::recorder::FurtherStreams). What they know of a thread is on
//! the private page of its block ([`of_thread`]). No stream knows another.

mod all;
pub(crate) mod cores;
pub(crate) mod counters;
mod of_thread;
pub(crate) mod samples;

pub(crate) use all::{AllStreams, end_wall};
pub use all::{cores_summary, counters_summary, samples_summary};
