//! Interprets a recording as a timeline: threads, regions, teams, tasks, logical threads, waits, locks, flows.
//!
//! [`run`] merges all threads' records by time, interprets them as this crate's README.md
//! guarantees, and passes the result to a [`Sink`](ompttrace_model::Sink). It knows no output format.
//!
//! Prints each parallel region of a run with its duration:
//!
//! ```no_run
//! use ompttrace_model::{Definitions, Event, RegionTrack, RunInfo, Sink, Summary};
//! use ompttrace_recording::Recording;
//! use std::collections::HashMap;
//! use std::path::Path;
//!
//! #[derive(Default)]
//! struct Regions(HashMap<RegionTrack, (u64, String)>);
//!
//! impl Sink for Regions {
//!     type Output = ();
//!     type Error = std::convert::Infallible;
//!
//!     fn start(&mut self, _: &RunInfo<'_>) {}
//!
//!     fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
//!         match *event {
//!             Event::RegionBegin(track, slice) => {
//!                 let name = definitions.strings()[slice.name as usize].to_string();
//!                 self.0.insert(track, (at, name));
//!             }
//!             Event::RegionEnd(track, _) => {
//!                 if let Some((begin, name)) = self.0.remove(&track) {
//!                     println!("{name}: {} ns", at - begin);
//!                 }
//!             }
//!             _ => {}
//!         }
//!     }
//!
//!     fn finish(self, _: &Definitions, _: &Summary) -> Result<(), Self::Error> {
//!         Ok(())
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let recording = Recording::open(Path::new("heat.42.ompttrace"))?;
//! let ((), summary) = ompttrace_timeline::run(&recording, Regions::default())?;
//! println!("{} events, {} lost", summary.events, summary.lost);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod ahead;
mod background_writer;
mod before;
mod calls;
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
pub use matching::{
    Corrected, Exchanges, JobMessages, LastArrivals, Matching, MessageCounts, OfJob, Ranks,
};
pub use merge::Merge;
pub use parallel::{Joined, Sample, WindowOptions, run_in_windows, sample_begin, sample_windows};
pub use run::{Options, TimelineError, run, run_of_job, run_with};
