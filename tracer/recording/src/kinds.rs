//! Kinds of events that OMPT has no enumerator for: ours, from 512 on, after all of its own.

/// sync_region_wait: a worker waits for work outside every parallel region, as its source reports.
pub const IDLE: u64 = 512;
/// target: a target data region, from its begin to its end.
pub const TARGET_DATA: u64 = 512;
/// target_data_op: a variable is mapped or moved, the source does not report how; [`data_map`] adds what it does report.
pub const DATA_MAP: u64 = 512;
/// Set in addition to ompt_task_flag_t in the flags of a task_create: the task runs on this thread from here on. Its
/// source reports where tasks begin to run instead of where they are created, by this event alone if it reports no
/// switch to them.
pub const TASK_BEGINS: u64 = 1 << 33;
/// The thread_num or team_size of an implicit task whose source does not report it.
pub const UNREPORTED: u64 = u32::MAX as u64;

/// The kind of a mapping with its source's numbers for synchronous or not and for the direction, whose meaning no
/// document describes.
#[inline(always)]
pub const fn data_map(sync: u64, map: u64) -> u64 {
    DATA_MAP + (sync & 3) * 64 + (map & 63)
}
