//! The events of a recording and their bytes, defined once for the traced process that writes them
//! and for the exporter that reads them: events, ids, fragments, the pool, the run folder.
//!
//! FORMAT.md beside this folder describes the layouts. Nothing here uses a C type of a tool
//! interface or a trace format. A change of any layout needs a new [`FORMAT_VERSION`].
//!
//! Counts the explicit tasks that each thread of a run created:
//!
//! ```no_run
//! use ompttrace_recording::{Event, Recording, RecordingError};
//! use std::path::Path;
//!
//! # fn main() -> Result<(), RecordingError> {
//! let recording = Recording::open(Path::new("heat.42.ompttrace"))?;
//! for thread in 0..recording.threads.len() {
//!     let mut stream = recording.stream(thread);
//!     let mut tasks = 0;
//!     while let Some(event) = stream.take(|record| record.event()) {
//!         tasks += u64::from(matches!(event, Event::TaskCreate(_)));
//!     }
//!     println!("thread {thread} created {tasks} tasks");
//! }
//! recording.check() // A disk that failed meanwhile is an error.
//! # }
//! ```
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub mod correction;
pub mod device_records;
pub mod displaced;
pub mod events;
pub mod excerpt;
pub mod facts;
pub mod folder;
pub mod fragment;
pub mod harmless;
pub mod id;
pub mod kinds;
pub mod launchers;
pub mod ledger;
pub mod mpi;
pub mod outside;
pub mod phases;
pub mod pinned;
pub mod pool;
pub mod reader;
pub mod settings;
pub mod short;
pub mod words;

pub use correction::Correction;
pub use events::{Event, EventCode, Scope};
pub use id::Id;
pub use pinned::PinnedFolder;
pub use reader::{Recording, RecordingError};

/// The version of every layout in this crate, written into `recording.json` and into the pool.
pub const FORMAT_VERSION: u32 = 5;

/// The oldest version that is read; 1 to 3 were drafts that no release wrote.
pub const OLDEST_VERSION: u32 = 4;

/// The exit status of a command that made its output of a recording which lacks what it had when it was closed.
pub const INCOMPLETE_STATUS: u8 = 3;
