//! The adapter for runtimes with the Sun Collector API (white paper of 2007): what such a runtime
//! calls, and how it becomes records.
//!
//! Such a runtime never looks for a tool: the tool looks for it (`hook.rs`, `attach.rs`), registers
//! every event (`events.rs`), and requests in each event what the event does not carry (`ask.rs`).
//! `thread.rs` has the state of a thread from which tasks and teams are inferred. As in the other
//! adapters there are no locks, no allocation and no formatting in a callback.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod ask;
mod attach;
mod describe;
mod events;
mod hook;
mod mapping;
mod teams;
mod thread;
mod unmatched;

pub use hook::__gmon_start__;
