//! Further streams of a thread, besides its events: its cores, its counters, and its samples.
//!
//! The recorder gets them as [`FurtherStreams`](crate::registry::recorder::FurtherStreams). Their knowledge of a
//! thread is on the private page of its block ([`of_thread`]). No stream knows another.

mod all;
pub(crate) mod cores;
pub(crate) mod counters;
mod of_thread;
pub(crate) mod samples;

pub(crate) use all::{AllStreams, end_wall};
pub use all::{cores_summary, counters_summary, samples_summary};
