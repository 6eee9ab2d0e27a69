//! The adapter for GCC's libgomp, which has no interface for tools: functions of its names stand in
//! front of it, report what they are asked for, and pass it on.
//!
//! A program reaches us because a preloaded library is looked through first. Each entry point
//! (`entries`) finds the libgomp that its caller would have reached (`libgomp`), so that several of
//! them can live in one process. A call site is looked up once, for the libgomp that its library
//! depends on, and that one's functions all at once: a look-up inside a region may wait for a
//! thread that holds the loader's lock and waits for the region.
//!
//! Outlined functions and tasks are wrapped without memory of our own. A task's header goes in front of
//! its data by a copy function of ours; a taskloop's with the data, because libgomp keeps all tasks on
//! the stack where there is a copy function. libomp's functions of these names are passed on unreported,
//! with a jump, so that it sees the program's own address.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod call;
mod describe;
mod entries;
mod entry;
mod entry_point;
mod fulfil;
mod inquiry;
mod libgomp;
mod libraries;
mod missing;
mod own;
mod region;
mod start;

use ompttrace_in_front::{report, thread};
