//! The numbers of flows, made from ids by hashing them.

use ompttrace_model::MESSAGE_FLOW;
pub(crate) use ompttrace_model::{FastMap, mix};
use ompttrace_recording::Id;

/// A flow within this process.
#[inline(always)]
const fn own(flow: u64) -> u64 {
    flow & !MESSAGE_FLOW
}

/// The flow from a task's creation through all its segments.
#[inline(always)]
pub(crate) const fn task_flow(task: Id) -> u64 {
    own(mix(task.started().0 ^ 0x7461_0000_0000_0000))
}

/// The flow from a region to the implicit task of its thread `thread_num`.
#[inline(always)]
pub(crate) const fn fork_flow(region: Id, thread_num: u64) -> u64 {
    own(mix(mix(region.0 ^ 0x666f_0000_0000_0000).wrapping_add(thread_num)))
}

/// The flow from an operation of a target construct to what it makes a device do.
pub(crate) const fn operation_flow(host_op: u64) -> u64 {
    own(mix(host_op ^ 0x6f70_0000_0000_0000))
}

/// The flow from a call of CUDA to what it makes a device do.
pub(crate) const fn call_flow(correlation: u64) -> u64 {
    own(mix(correlation ^ 0x6361_0000_0000_0000))
}

/// The flow number `wait` from what a device's stream does to what waits for it.
pub(crate) const fn event_flow(wait: u32) -> u64 {
    own(mix(wait as u64 ^ 0x6576_0000_0000_0000))
}

/// The flow to the next hold of a lock from the one that a thread, at this position, got at this time.
#[inline(always)]
pub(crate) const fn lock_flow(lock: u32, (acquired, thread): (u64, u32)) -> u64 {
    let thread = (thread as u64) << 32;
    own(mix(mix((thread | lock as u64) ^ 0x6c6f_0000_0000_0000).wrapping_add(acquired)))
}

/// The flow from a call of MPI, at this time on the thread at this position, to the one that completes its request.
#[inline(always)]
pub(crate) const fn request_flow(thread: u32, at: u64) -> u64 {
    own(mix(mix(thread as u64 ^ 0x6d70_0000_0000_0000).wrapping_add(at)))
}

/// The iteration that `numbers` name in loop number `ordinal` of a region.
pub(crate) fn iteration_key(region: Id, ordinal: u32, numbers: impl Iterator<Item = i64>) -> u64 {
    let of_loop = mix(mix(region.0 ^ 0x646f_0000_0000_0000).wrapping_add(ordinal.into()));
    numbers.fold(of_loop, |key, number| mix(key.wrapping_add(number as u64)))
}

/// The flow number `branch` from an iteration to one that waits for it.
pub(crate) const fn iteration_flow(key: u64, branch: u32) -> u64 {
    own(mix(key ^ 0x6974_0000_0000_0000).wrapping_add(branch as u64))
}

/// The flow from a task to one that depends on it.
#[inline(always)]
pub(crate) const fn dependence_flow(source: Id, sink: Id) -> u64 {
    own(mix(mix(source.started().0 ^ 0x6465_0000_0000_0000) ^ sink.started().0))
}
