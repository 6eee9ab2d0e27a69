//! Detachable tasks: the table from the handle of an event, which is all that a program knows of it, to the task.
//!
//! A table without locks, as large as programs need by all experience; a task that finds no slot in
//! it has an end that is not reported.

use crate::entries::schedule;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use ompttrace_recording::Id;

/// ompt_task_status_t.
const COMPLETE: u32 = 1;
const DETACHED: u32 = 4;
const EARLY: u32 = 5;
const LATE: u32 = 6;

/// Bits that are added to a task's id in the table: its function has returned, its event was fulfilled. In ids these
/// bits distinguish fresh and implicit tasks, so a started explicit task has neither.
const OVER: u64 = 1 << 63;
const FULFILLED: u64 = 1 << 62;

struct Slot {
    handle: AtomicUsize,
    task: AtomicU64,
}

const SLOTS: usize = 1024;
static TABLE: [Slot; SLOTS] =
    [const { Slot { handle: AtomicUsize::new(0), task: AtomicU64::new(0) } }; SLOTS];

fn slots(handle: usize) -> impl Iterator<Item = &'static Slot> {
    let first = (handle as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
    (0..SLOTS).filter_map(move |n| TABLE.get((first as usize + n) % SLOTS))
}

fn find(handle: usize) -> Option<&'static Slot> {
    slots(handle).take(64).find(|slot| slot.handle.load(Ordering::Acquire) == handle)
}

/// Enters a new detachable task into the table.
pub(crate) fn made(handle: usize, id: Id) {
    let free = slots(handle).take(64).find(|slot| {
        let (acquire, relaxed) = (Ordering::Acquire, Ordering::Relaxed);
        slot.handle.compare_exchange(0, handle, acquire, relaxed).is_ok()
    });
    if let Some(slot) = free {
        slot.task.store(id.started().0, Ordering::Release);
    }
}

/// Notes that the task's function has returned; returns the status complete if its event was fulfilled before, else
/// detached.
pub(crate) fn body_is_over(handle: usize) -> u32 {
    let Some(slot) = find(handle) else { return DETACHED };
    if slot.task.fetch_or(OVER, Ordering::AcqRel) & FULFILLED != 0 {
        slot.handle.store(0, Ordering::Release);
        return COMPLETE;
    }
    DETACHED
}

/// Records that the program fulfils an event, early if the task's function has not returned yet, else late.
pub(crate) fn fulfilled(handle: usize) {
    let Some(slot) = find(handle) else { return };
    let task = slot.task.fetch_or(FULFILLED, Ordering::AcqRel);
    let id = task & !(OVER | FULFILLED);
    if task & OVER == 0 {
        return schedule(id, EARLY, 0);
    }
    slot.handle.store(0, Ordering::Release);
    schedule(id, LATE, 0);
}
