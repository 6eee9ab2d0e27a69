//! The messages of a Perfetto trace that ompttrace uses, and no others.
//!
//! Perfetto's own schema has thousands of fields; compiled whole it takes
//! minutes to build and makes every packet slow to encode. `proto/` holds the
//! few that we write, under their true numbers. This crate serves two purposes:
//! packets that are written seldom (descriptors of tracks, clock snapshots) are
//! encoded through it, and tests decode through it what the hand-written encoder
//! of `ompttrace-perfetto` produced.
//!
//! The hot path does not use this crate: no event is ever encoded through prost.

#[allow(missing_docs, clippy::all)]
#[rustfmt::skip]
mod generated;

pub use generated::*;
pub use prost::Message;
