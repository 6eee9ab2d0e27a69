//! Writes a trace in Perfetto's native format.
//!
//! Two parts. `encode` knows packets: it turns slices, instants, flows and
//! counter values into bytes, ten-odd nanoseconds an event, and knows nothing of
//! OpenMP. `tracks` says how tracks are described and form a tree. The writer proper,
//! `sink`, stands on both; which tracks there are and what they show is decided by
//! `ompttrace-tracks`.
//!
//! What is absent: reading. A trace is decoded only in tests, by the messages
//! of `ompttrace-perfetto-protos` and by Perfetto's own trace processor.

pub mod encode;
mod error;
mod sink;
pub mod tracks;

pub use error::Error;
pub use ompttrace_tracks::{Counts, Events};
pub use sink::{PerfettoOverview, PerfettoSink, SharedCores, View, Written};
