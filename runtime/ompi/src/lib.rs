//! The adapter for OMPi's host runtime, ORT, which is a static library and has no interface for tools: the linker puts
//! functions of ours in front of it (`--wrap`), which record what they are asked for and pass it on.
//!
//! A call of `ort_x` from another object than its own goes to `__wrap_ort_x` here, and `__real_ort_x` is ORT's. The
//! functions are listed in `entries`, and for the linker in `wrap.options`; a test compares the two. Functions
//! between ORT and its execution entity library are wrapped in the same way (`entries::library`, `eelib.options`).
//! Outlined functions are wrapped in the arguments of the calls that hand them over, so that every execution entity,
//! be it a thread or a process, comes through `region::team_thread`; a task's function is wrapped in front of its
//! data (`entries::tasks`).
//!
//! Types are those of OMPi 2.5.0. It lets no older one be linked: those lack `ort_reduce_add` and others.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod call;
mod describe;
mod eelib;
mod entries;
mod entry;
mod own;
mod region;
mod start;
mod teams;

use ompttrace_in_front::{report, thread};
