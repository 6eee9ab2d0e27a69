//! A fast hash for ids and addresses, and the numbers of flows that are made from them.
//!
//! Keys come from recordings, not from an attacker who could choose them to collide: a multiply and
//! a fold are enough, and several times faster than the standard library's hash.

use ompttrace_model::MESSAGE_FLOW;
use ompttrace_recording::Id;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// An odd number with irregular bits (2^64 divided by the golden ratio).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A map by id or address.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Fold>>;

/// Multiplies and folds the high half onto the low one, where tables look first.
#[derive(Default, Clone, Copy)]
pub(crate) struct Fold(u64);

impl Hasher for Fold {
    #[inline(always)]
    fn finish(&self) -> u64 {
        self.0
    }
    #[inline(always)]
    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value);
    }
    #[inline(always)]
    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }
    #[inline(always)]
    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }
    #[inline(always)]
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            self.write_u64(u64::from_ne_bytes(word) ^ chunk.len() as u64);
        }
    }
}

/// One round: different inputs of one caller give different outputs.
#[inline(always)]
pub(crate) const fn mix(value: u64) -> u64 {
    let product = value.wrapping_mul(MULTIPLIER);
    product ^ (product >> 32)
}

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
