//! Writes a trace in the JSON format of Chrome: for the Perfetto UI, chrome://tracing, Speedscope and
//! other readers.
//!
//! The file is one array with one event a line, and loads even if it is truncated after any line. Slices
//! are pairs of `B` and `E`; flows are `s`, `t` and `f` bound to the slice around them; times are
//! microseconds since the start of the run with three decimals, which keep every nanosecond for 52
//! days even in a reader that stores them as floating-point numbers.
//!
//! The format has processes and threads, and no other tracks. OS threads are in their process; logical
//! threads, tracks of parallel regions and locks are threads of artificial processes beside it, with
//! numbers that no real process has: see `tracks`.
//!
//! The format lacks a separate table of the slices' source locations (they are an argument, `location`), markers of
//! lost data (a loss is an instant), and ordering in the file: readers sort.

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
