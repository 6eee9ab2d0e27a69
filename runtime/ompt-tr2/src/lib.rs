//! The adapter for OMPT as in Technical Report 2 of 2014, which LLVM's runtime implemented from 3.8 to 5.0 and
//! OpenUH's implements: what such a runtime calls, and how it becomes records.
//!
//! The table of events is `events.rs`, LLVM's deviations are in `llvm.rs`; README.md has the interpretation where the
//! report contradicts itself. As in the adapter for today's interface there are no locks, no allocation and no
//! formatting in a callback.
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
