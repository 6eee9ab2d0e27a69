//! The adapter for OMPT as Technical Report 2 of 2014 has it, which LLVM's runtime spoke from 3.8 to 5.0
//! and OpenUH's speaks: what such a runtime calls, and how it becomes records.
//!
//! The table of events is `events.rs`, LLVM's own differences are in `llvm.rs`; README.md has the
//! readings where the report contradicts itself. As in the adapter for today's interface there are no
//! locks, no allocation and no formatting in a callback.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod device;
mod dialect;
mod ends;
mod events;
mod inquiry;
mod llvm;
mod register;
mod roots;
mod stack;
mod start;
mod table;

pub use ends::{ompt_control, ompt_control_};
pub use start::{Initialize, ompt_initialize, ompt_tool};
