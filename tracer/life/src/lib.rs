//! The life of a traced process: settings, run folder, commands, fork, exit.
//!
//! It serves all sources of events in a library and depends on none of them: a source calls [`begin()`] when it starts and
//! [`finalized`] when it ends; a source that is never finalised calls the latter from [`at_last`].
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod arguments;
mod atexit;
mod began;
mod begin;
mod closing;
mod code;
mod config;
mod control;
mod cores;
mod counter;
mod counters;
mod devices;
mod exit;
mod export;
mod facts_file;
mod fork_of;
mod modules;
mod operations;
mod pattern;
mod process;
mod quota;
mod ranks;
mod room;
mod run;
mod samples;
mod signals;
mod started_by;
mod surroundings;
mod unload;

pub use begin::{begin, cupti, finalized, is_ready, mpi_mode, note, on_runtime, records};
pub use closing::{conclude, say};
pub use control::{Origin, carry_out, command_given, on_command};
pub use devices::{device_name, put_device_records};
pub use exit::{at_last, ends_without_handlers};
pub use ompttrace_recorder::caught;
pub use ompttrace_recording::settings::{Cupti, Family, MpiMode, Selection};
pub use operations::{
    DeviceSource, device_begins, operation_begins, operation_ends, set_device_source,
};
pub use surroundings::thread_ends;
pub use unload::on_code_left;
