//! Writes a trace in Perfetto's native format.
//!
//! `encode` knows packets: it turns slices, instants, flows and counter values into bytes, in ten-odd
//! nanoseconds an event, and knows nothing of OpenMP. `tracks` describes tracks and their tree. The
//! writer proper, `sink`, uses both; `ompttrace-tracks` decides which tracks there are and what they show.
//!
//! This crate cannot read traces: they are decoded only in tests, by the messages of `ompttrace-perfetto-protos` and by
//! Perfetto's own trace processor.

pub mod encode;
mod error;
mod sink;
pub mod tracks;

pub use error::Error;
pub use ompttrace_tracks::{Counts, Events};
pub use sink::{PerfettoOverview, PerfettoSink, SharedCores, View, Written};
