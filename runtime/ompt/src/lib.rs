//! The OMPT adapter: what an OpenMP 5.0-6.0 runtime calls, and how it becomes records.
//!
//! Callbacks are in `callbacks/`, by family; one macro (`table`) makes them and their rows in the
//! registration table. There are no locks, no allocation and no formatting in a callback; the
//! recorder keeps the state of a thread.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod callbacks;
mod data;
mod displaced;
mod inquiry;
mod ongoing;
mod quirks;
mod register;
mod start;
mod table;
mod taskloops;
mod thread_state;
mod tracing;

pub use start::ompt_start_tool;
