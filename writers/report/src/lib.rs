//! Report of a recording: the time of its threads by state, the reasons for lost time, and the source locations that
//! cause it.
//!
//! [`ReportSink`] takes a timeline and makes a [`Report`]; [`text`](mod@text) and [`html`] draw one. [`job`] does the same for all
//! ranks of an MPI job.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod beside;
mod blame;
mod chain;
pub mod compare;
mod construct_table;
mod contexts;
mod core_use;
mod cores;
mod counters;
mod devices;
pub mod explain;
mod findings;
mod finish;
pub mod html;
pub mod job;
pub mod journal;
mod left_out;
mod locks;
mod marks;
pub mod model;
mod mpi;
mod numbers;
mod phase;
mod phases;
mod polls;
mod regions;
mod report_sink;
mod sampled;
pub mod scale;
mod sink;
mod state;
mod strip;
mod tables;
mod tasks;
pub mod text;
mod thread;
mod unfinished;
mod unread;
mod what_if;

pub use beside::{BatchSink, Batches, Beside, Failure};
pub use cores::CoreTimes;
pub use marks::{FindingMark, Marks, PathMark, RegionMark};
pub use model::Report;
pub use sink::{Ending, ReportSink, Window};
pub use state::{Metric, State, Times};
pub use strip::{Strip, StripSink};
