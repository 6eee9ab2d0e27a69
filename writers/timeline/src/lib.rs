//! One recording made into a timeline: threads, regions, teams, tasks, lanes, waits, locks, flows.
//!
//! [`run`] merges all threads' records by time, gives them their meaning as ARCHITECTURE.md, "The
//! timeline's contract", says, and tells it to a [`Sink`]. No output format is known here.

pub mod sink;

pub use sink::{
    Arg, ArgKey, ArgValue, Counter, Instant, InstantKind, Lane, Lock, Mark, NameRef, Place,
    PlaceRef, RegionRow, RunInfo, Sink, Slice, SliceKind, SourcePlace, Summary, ThreadInfo,
};
