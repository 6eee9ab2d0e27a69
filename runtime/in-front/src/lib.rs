//! What adapters share that stand in front of a runtime's own functions, because it has no interface for tools: what a
//! thread knows of itself, a call of an entry point, the records that follow from it, and how threads come and go.
//!
//! A library has one such adapter at most: the thread's words are one symbol.
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
