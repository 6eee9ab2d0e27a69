//! What an OpenMP program is in at the end of its recording, which for one that runs is now: threads, regions, tasks
//! and locks that are open ([`Snapshot`]), what each thread waits for, and what keeps it waiting ([`Finding`]).
//!
//! [`SnapshotSink`] keeps what is open while it is handed the timeline, and nothing of what is over. What the
//! kernel knows of the threads is added by a caller that has the process ([`OsThread`]); nothing here
//! reads a process.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod cycles;
mod findings;
mod make;
mod os;
mod sink;
mod snapshot;
mod stack;
mod state;
mod text;
mod waits;
mod words;

pub use os::{Frame, OsThread};
pub use sink::SnapshotSink;
pub use snapshot::{
    Construct, Finding, FindingKind, Holder, ImplicitTask, Lock, Region, Snapshot, Task, TaskState,
    Thread, Wait,
};
pub use stack::stack_lines;
pub use text::render;
