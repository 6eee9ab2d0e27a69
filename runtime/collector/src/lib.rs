//! The adapter for runtimes with the Sun Collector API (white paper of 2007): what such a runtime
//! calls, and how it becomes records.
//!
//! Such a runtime never looks for a tool: the tool looks for it (`hook.rs`, `attach.rs`), asks for
//! every event (`events.rs`), and asks back in each what the event does not carry (`ask.rs`). What it
//! has to know of a thread to make tasks and teams of it is in `thread.rs`. As in the other adapters
//! there are no locks, no allocation and no formatting in a callback.
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
