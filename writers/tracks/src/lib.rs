//! The tracks of a timeline: for OS threads, logical threads, levels of parallel regions, locks and counters; what each
//! shows, and how it is named. All formats that have tracks share this crate.
//!
//! [`TrackSink`] receives the timeline and passes each event to a [`Format`] once for every track that shows it. The format
//! encodes a track, an event, its annotations and its flows.
//!
//! Absent are bytes, and everything that only one format has.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod activities;
mod counts;
mod destination;
mod first_look;
mod format;
mod join;
mod numbers;
mod overview;
mod parts;
mod same;
mod sink;
mod states;
mod tables;
mod titles;
mod windows;

pub use activities::Activities;
pub use counts::{Counts, Events};
pub use destination::Destination;
pub use first_look::{FirstLook, PlainSlice, PlainTrack, Remark, in_order};
pub use format::{Format, Partner, Partners, Shared, Titled};
pub use overview::{Overview, Sum, Summary, Written};
pub use sink::TrackSink;
pub use windows::{Drawn, TrackWindow, TrackWindows, Window, Windowed};
