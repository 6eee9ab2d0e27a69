//! The writer of OTF2 archives, for Vampir, Score-P's tools and everything that reads OTF2.
//!
//! [`Otf2Sink`] receives a timeline, whole or in windows. The way through the files: in a
//! `session` `encode` gives slices and instants their regions and attributes (`tables`), once for all that look alike (`looks`);
//! `events` takes everything else. `archive_state` puts them on the stack of the
//! task that runs on a location and adds teams, tasks and locks. What it makes is cut into segments (`segment`), of which
//! `join` puts the archives together, `archive` encodes them on other threads, and `define` writes with libotf2 what all
//! of it refers to.
//!
//! A slice keeps its position on the stack of its task, so `suspend` writes nothing and `task_runs` a
//! ThreadTaskSwitch. A team's communicator is known when its last thread has begun, and until then the
//! segments that name it wait (`join/teams.rs`). Regions that turn out hot get small numbers in addition to their own,
//! through mapping tables (`join/regions.rs`). Memory follows distinct names, source locations and teams: in the
//! threads view a run whose teams are always others has many. It does not follow the number of threads
//! that were ever there (`archive_state/threads.rs`).
//!
//! An archive of several processes (`job`) is made of each by itself; at the end `define` gives their definitions common numbers, to
//! which the local definitions of each process map its own.
//!
//! The archives have no tracks of regions and of locks, which OTF2 expresses by teams and by the order of acquisition;
//! no flows, which it expresses by tasks; and no begin and end of threads, as a location begins with its first event.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod archive;
mod archive_state;
mod batch;
mod define;
mod encode;
mod error;
mod events;
mod ids;
mod job;
mod join;
mod lock_regions;
mod looks;
mod marks;
mod op;
mod process;
mod segment;
mod session;
mod sink;
mod tables;
mod windows;
mod written;

pub use error::Error;
pub use job::{Otf2Job, Otf2RankSink};
pub use process::Process;
pub use sink::Otf2Sink;
pub use written::{Contents, Written};
