//! Interprets a recording as a timeline: threads, regions, teams, tasks, logical threads, waits, locks, flows.
//!
//! [`run`] merges all threads' records by time, interprets them as this crate's README.md
//! guarantees, and passes the result to a [`Sink`](ompttrace_model::Sink). It knows no output format.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod ahead;
mod background_writer;
mod before;
mod checkpoints;
mod clock;
mod code;
mod cores;
mod counters;
mod counts;
mod devices;
mod hash;
mod interpret;
mod life;
mod lookahead;
mod matching;
mod merge;
mod moves;
mod names;
mod out;
mod parallel;
mod run;
mod samples;
mod setup;
mod source_ids;
mod state;
mod survey;
#[cfg(feature = "testing")]
pub mod testing;
pub mod time_windows;

pub use background_writer::BackgroundWriter;
pub use clock::Clock;
pub use counts::{Counts, DeviceCounts, MpiCounts, StackCounts, ThreadCounts, count};
pub use life::{last_known, records_of, span_of};
pub use matching::{JobMessages, LastArrivals, Matching, MessageCounts, OfJob, Ranks};
pub use merge::Merge;
pub use parallel::{
    Joined, Sample, StepKind, StepTimes, WindowOptions, run_in_windows, sample_windows,
};
pub use run::{Options, TimelineError, run, run_of_job, run_with};
