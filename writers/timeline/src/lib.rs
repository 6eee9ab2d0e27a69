//! One recording made into a timeline: threads, regions, teams, tasks, lanes, waits, locks, flows.
//!
//! [`run`] merges all threads' records by time, gives them the meaning that this crate's README.md
//! promises, and tells it to a [`Sink`]. No output format is known here.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod ahead;
mod args;
mod behind;
mod both;
mod category;
mod clock;
mod code;
mod counters;
mod counts;
mod devices;
mod foreign;
mod frame;
mod hash;
mod interpret;
mod item;
mod labels;
mod life;
mod lookahead;
mod maybe;
mod merge;
mod moves;
mod names;
mod out;
pub mod pieces;
mod run;
pub mod sink;
mod state;
mod summary;
mod survey;
#[cfg(feature = "testing")]
pub mod testing;
mod view;
mod working;

pub use behind::Behind;
pub use both::{Both, EitherError};
pub use category::Category;
pub use clock::Clock;
pub use counts::{Counts, StackCounts, ThreadCounts, count};
pub use labels::{base_name, end_in_words, process_name, thread_name};
pub use life::{last_known, span_of};
pub use maybe::Exactly;
pub use merge::Merge;
pub use run::{TimelineError, run, run_watched};
pub use sink::{
    Arg, ArgKey, ArgValue, ContextRef, Counter, Frame, FrameKind, Instant, InstantKind, Item, Lane,
    LaneRef, Lock, LockEvent, LockRef, Mark, Member, NameRef, Place, PlaceRef, RegionRow, RunInfo,
    Sink, Slice, SliceKind, SourcePlace, Summary, ThreadInfo, ThreadRef, Variable,
};
pub use view::View;
pub use working::{has_chunks, works};
