//! Writes a trace in the JSON format of Chrome: for the Perfetto UI, chrome://tracing, Speedscope and
//! whatever else reads it.
//!
//! The file is one array with one event a line, and loads even if it is cut off after any line. Slices
//! are pairs of `B` and `E`; flows are `s`, `t` and `f` bound to the slice around them; times are
//! microseconds since the start of the run with three decimals, which keep every nanosecond for 52
//! days even in a reader that holds them as floating-point numbers.
//!
//! The format knows processes and threads, and no other tracks. So OS threads stand in their process,
//! and logical threads, tracks of parallel regions and locks are threads of artificial processes beside it, whose
//! numbers no real process has: see `tracks`.
//!
//! What is absent: the source location of every slice as a separate table (it is an argument,
//! `location`), marks of lost data (a loss is an instant), and ordering in the file: readers sort.

mod args;
mod arrows;
mod category;
mod cores;
mod counters;
mod error;
mod flows;
mod lines;
mod output;
mod process;
mod sink;
mod texts;
mod trace;
mod tracks;
mod windows;

pub use error::Error;
pub use ompttrace_model::View;
pub use ompttrace_tracks::{Counts, Events};
pub use sink::{ChromeOverview, ChromeSink};
pub use trace::Written;
