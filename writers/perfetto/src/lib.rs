//! Writes a trace in Perfetto's native format.
//!
//! Two layers. `encode` knows packets: it turns slices, instants, flows and
//! counter values into bytes, ten-odd nanoseconds an event, and knows nothing of
//! OpenMP. `tracks` says which rows the picture has and how they form a tree. The
//! writer proper, `sink`, which receives a timeline and decides what becomes a
//! slice and on which row, stands on both.
//!
//! What is absent: reading. A trace is decoded only in tests, by the messages
//! of `ompttrace-perfetto-protos` and by Perfetto's own trace processor.

pub mod encode;
mod error;
mod sink;
pub mod tracks;

pub use error::Error;
pub use sink::{Events, PerfettoSink, View, Written};
