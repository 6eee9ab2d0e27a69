//! The life of a traced process: settings, run folder, commands, fork, exit.
//!
//! One of it serves every source of events in a library: OMPT's runtimes come in through
//! [`HOOKS`], a source without a handshake of its own through [`begin()`],
//! [`at_last`] and [`finalized`]. What every
//! library of ours exports stands in [`exports`].
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod arguments;
mod began;
mod begin;
mod closing;
mod config;
mod control;
mod counter;
mod devices;
mod excerpt;
mod exit;
mod export;
pub mod exports;
mod facts_file;
mod modules;
mod pattern;
mod process;
mod ranks;
mod room;
mod run;
mod signals;
mod start_folder;
mod unload;
mod values;

pub use begin::{HOOKS, begin, finalized, note, on_runtime, records};
pub use closing::say;
pub use control::on_command;
pub use exit::at_last;
pub use ompttrace_ompt::{Family, Selection};
pub use ompttrace_recorder::caught;
pub use unload::on_code_left;
