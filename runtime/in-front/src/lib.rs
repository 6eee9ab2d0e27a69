//! Shared by the adapters that wrap a runtime's functions because it has no interface for tools: the state of a thread, a
//! call of an entry point, the records that follow from it, and the begin and end of threads.
//!
//! A library has at most one such adapter: the thread's words are one symbol.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub mod call;
pub mod dependences;
mod entry;
pub mod loops;
pub mod ongoing;
pub mod regions;
pub mod report;
pub mod tasks;
pub mod thread;
pub mod threads;
pub mod wanted;
pub mod word;
