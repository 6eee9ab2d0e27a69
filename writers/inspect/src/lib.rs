//! The state of an OpenMP program at the end of its recording, which for a running program is now: open threads, regions,
//! tasks and locks ([`Snapshot`]), what each thread waits for, and what keeps it waiting ([`Finding`]).
//!
//! [`SnapshotSink`] receives the timeline and keeps what is open, and nothing of what is over. A caller that has the
//! process adds what the kernel knows of the threads ([`OsThread`]); nothing here reads a process.
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

pub use os::{OsThread, StackFrame};
pub use sink::SnapshotSink;
pub use snapshot::{
    Construct, Finding, FindingKind, Holder, ImplicitTask, Lock, Region, Snapshot, Task, TaskState,
    Thread, Wait,
};
pub use stack::stack_lines;
pub use text::render;
