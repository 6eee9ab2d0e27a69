//! libompttrace_collector.so: an OMPT 5.x tool that provides the Sun Collector API, so that collectors
//! written for it work on runtimes with OMPT.
//!
//! OMPT's callbacks (`callbacks.rs`) update each thread's state (`thread.rs`) and deliver the paper's
//! events (`session.rs`); requests (`requests.rs`) read that state. Nothing takes a lock. Whatever the
//! paper requires to be async-signal-safe uses only words of the calling thread and OMPT's own
//! async-signal-safe `ompt_get_state`.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod callbacks;
mod held;
mod requests;
mod session;
mod start;
mod thread;
mod tls;

pub use held::ompttrace_collector_overflows;
pub use requests::{__omp_collector_api, ompttrace_collector_provider};
pub use start::ompt_start_tool;
