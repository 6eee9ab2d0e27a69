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

pub use blocks::block::{Room, creates_at, is_task_site, room, room_for_task, set_creates_at};
pub use blocks::kept::{KeptTeam, keep, keep_team, kept, leave, left, take_kept};
pub use blocks::state::{State, state};
pub use commands::control::{
    abandon, close, end, flush, flush_at_exit, gapless_threads, open_early, pause, pool_in_reach,
    remove_pool, removed_files, resume, written_bytes,
};
pub use events::fork::{arm_child, begin_of_child, forked_child, pause_child};
pub use events::resumed::{MOST_ONGOING, add_source, put_ongoing};
pub use events::slow::{
    next_id, other_threads, put_more, slow, slow_with_site, starve, thread_ended,
};
pub use events::texts::{LONGEST_TEXT, put_text};
pub use files::output::{AppendFile, Output, largest_file};
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
pub use registry::losses::lost_outside_threads;
pub use registry::panics::{caught, report_panics};
pub use registry::park::{Parked, park_others};
pub use registry::patience::{hangs, unless_it_hangs};
pub use registry::recorder::{ArmError, Plan, arm, set_arm_in_child, sign_of_life};
pub use registry::waits::drains;
pub use streams::cores::{CoresSummary, cores_summary};
pub use streams::counters::{CountersSummary, counters_summary};
pub use streams::samples::{
    Interrupted, SampledStack, SamplesSummary, Walker, end_wall_samples, forget_thread_state,
    samples_summary, set_thread_state, set_walker,
};
pub use tables::contexts::{put_context, wants_contexts};
pub use tables::sites::{address_of, code_left, code_loaded, set_module_hook, site_of};
