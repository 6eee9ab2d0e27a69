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

mod area_file;
mod block;
mod chunk;
mod clock;
mod contexts;
mod control;
mod cores;
mod cost;
mod counters;
mod descriptors;
mod drain;
mod fork;
mod fragments;
mod head;
mod host;
mod inside;
mod kept;
mod ledger;
mod losses;
mod mapping;
pub mod message;
mod output;
mod overflow;
mod own_file;
mod own_folder;
mod own_page;
mod own_stack;
mod owner;
mod page;
mod panics;
mod park;
mod part;
mod patience;
mod perf;
mod pool;
mod primitives;
mod proc_file;
mod queue;
mod record_slot;
mod recorder;
mod resumed;
mod samples;
mod sites;
mod slow;
mod state;
mod sync;
mod texts;
mod tls;
mod vacated;
mod waits;

pub use block::{
    Room, creates_at, is_known_thread, is_task_site, room, room_for_task, set_creates_at,
};
pub use clock::{
    ClockSource, best_clock_pair, clock_pair, clock_source, heed_forbidden_counter, nanoseconds_of,
    realtime, ticks,
};
pub use contexts::{put_context, wants_contexts};
pub use control::{
    abandon, close, end, flush, flush_at_exit, gapless_threads, open_early, pause, pool_in_reach,
    remove_pool, removed_files, resume, written_bytes,
};
pub use cores::{CoresSummary, cores_summary};
pub use cost::record_cost;
pub use counters::{CountersSummary, counters_summary};
pub use fork::{arm_child, begin_of_child, forked_child, pause_child};
pub use kept::{KeptTeam, keep, keep_team, kept, leave, left, take_kept};
pub use losses::lost_outside_threads;
pub use output::{AppendFile, Output, largest_file};
pub use own_file::misplaced_writes;
pub use own_folder::OwnFolder;
pub use own_page::{Zeroed, give_page_back, take_page};
pub use owner::Owner;
pub use page::page_bytes;
pub use panics::{caught, report_panics};
pub use park::{Parked, park_others};
pub use patience::{hangs, unless_it_hangs};
pub use recorder::{ArmError, Plan, arm, set_arm_in_child, sign_of_life};
pub use resumed::{MOST_ONGOING, add_source, put_ongoing};
pub use samples::{
    Interrupted, SampledStack, SamplesSummary, Walker, end_wall_samples, forget_thread_state,
    samples_summary, set_thread_state, set_walker,
};
pub use sites::{address_of, code_left, code_loaded, set_module_hook, site_of};
pub use slow::{next_id, other_threads, put_more, slow, slow_with_site, starve, thread_ended};
pub use state::{State, state};
pub use sync::Locked;
pub use texts::{LONGEST_TEXT, put_text};
pub use waits::drains;
