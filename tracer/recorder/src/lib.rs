//! Records events inside the traced process: clock, per-thread chunks, pool, drain.
//!
//! An adapter asks [`room`] for a slot, turns its arguments into a record and stores it there; without
//! room it continues in a cold function through [`slow`]. It does not need to know whether the thread
//! is new, its slot full, the tool paused or the process a forked child: one branch serves all cases.
//! The recorder does not know which interface an event came from.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod blocks;
mod commands;
mod events;
mod files;
mod host;
mod registry;
mod slots;
mod streams;
mod tables;

pub use blocks::group::{Group, cursor, group};
pub use blocks::growing::{Growing, growing};
pub use blocks::kept::{
    KeptTeam, creates_at, keep, keep_team, kept, leave, left, set_creates_at, take_kept,
};
pub use blocks::room::{Room, is_known_thread, room, room_for_task};
pub use blocks::state::{State, state};
pub use commands::arm::{ArmError, Plan, arm};
pub use commands::control::{
    abandon, close, drains, end, flush, flush_at_exit, gapless_threads, lost_outside_threads,
    open_early, pause, pool_in_reach, remove_pool, removed_files, resume, written_bytes,
};
pub use commands::wall_samples::end_wall_samples;
pub use events::context::{put_context, wants_contexts};
pub use events::definitions::thread_ended;
pub use events::fork::{arm_child, begin_of_child, forked_child, pause_child, set_arm_in_child};
pub use events::ongoing::{MOST_ONGOING, put_ongoing};
pub use events::phases::{begin_iteration, begin_phase, end_phase};
pub use events::slow::{
    look, next_id, other_threads, put, put_group, put_more, slow, slow_with_site, starve,
};
pub use events::texts::{LONGEST_TEXT, put_text};
pub use files::output::{AppendFile, Output};
pub use files::own_file::misplaced_writes;
pub use files::own_folder::OwnFolder;
pub use host::clock::{
    ClockSource, best_clock_pair, clock_pair, clock_source, heed_forbidden_counter, nanoseconds_of,
    realtime, ticks,
};
pub use host::cost::record_cost;
pub use host::message;
pub use host::own_page::{Zeroed, give_page_back, take_page};
pub use host::owner::Owner;
pub use host::page::page_bytes;
pub use host::sync::Locked;
pub use host::system::largest_file;
pub use registry::hung_disk::{hangs, unless_it_hangs};
pub use registry::outside::{set_outside_commands, take_outside_command};
pub use registry::panics::{caught, report_panics};
pub use registry::park::{Parked, park_others};
pub use registry::recorder::sign_of_life;
pub use registry::resumed::add_source;
pub use streams::cores::CoresSummary;
pub use streams::counters::CountersSummary;
pub use streams::samples::{
    Interrupted, SampledStack, SamplesSummary, Walker, forget_thread_state, set_thread_state,
    set_walker,
};
pub use streams::{cores_summary, counters_summary, samples_summary};
pub use tables::modules::{code_loaded, set_module_hook};
pub use tables::sites::{address_of, code_left, is_task_site, site_of};
