//! The fast path: check for room, read the clock, store, commit.

use crate::blocks::block::{Block, IN_USE};
use crate::blocks::record_slot::RecordSlot;
use crate::blocks::tls;
use crate::host::clock;
use crate::host::sync::Ordering;
use ompttrace_recording::events::{MAX_WORDS, Scope};
use ompttrace_recording::words::Payload;
use ompttrace_recording::{EventCode, Id};
use std::marker::PhantomData;

impl Block {
    /// A slot for a record at the cursor, without checking for space.
    #[inline(always)]
    pub(crate) fn room_at(&'static self, ticks: u64, cursor: u64) -> Room {
        // At once: the arguments of a callback leave no registers for it.
        RecordSlot::at(cursor).ticks(ticks);
        Room { cursor, block: self, of_this_thread: PhantomData }
    }
}

/// A slot for one record, which already has the time of its event.
#[must_use = "an event without its record is lost uncounted"]
pub struct Room {
    cursor: u64,
    block: &'static Block,
    /// The slot belongs to the calling thread: it must not be passed to another.
    of_this_thread: PhantomData<*mut u8>,
}

/// A slot for the calling thread's next record, or `None`: continue in a cold function with
/// [`crate::slow`]. The clock is read here, before any other work.
#[inline(always)]
pub fn room() -> Option<Room> {
    room_in(tls::block())
}

#[inline(always)]
fn room_in(block: &'static Block) -> Option<Room> {
    // Only the owner moves the cursor, so its own last store is what it reads.
    let cursor = block.control.cursor().load(Ordering::Relaxed);
    if cursor >= block.private.end.load(Ordering::Relaxed) {
        return None;
    }
    Some(block.room_at(clock::counter(), cursor))
}

/// True if the calling thread has had an event.
pub fn is_known_thread() -> bool {
    tls::block().private.magic.load(Ordering::Relaxed) == IN_USE
}

/// A slot for the record of a task's creation at a code address, and the new task's id; `None`:
/// there is no room, or the last task of this thread was created elsewhere.
#[inline(always)]
pub fn room_for_task(address: u64) -> Option<(Room, Id)> {
    let block = tls::block();
    if block.private.task_site.load(Ordering::Relaxed) != address {
        return None;
    }
    let room = room_in(block)?;
    let part = block.private.task_part.load(Ordering::Relaxed);
    Some((room, Id(part | u64::from(next_counter(block)))))
}

impl Room {
    /// The next id's counter and the thread's part of it.
    #[inline(always)]
    pub fn next_id(&self) -> (u64, u32) {
        next_id(self.block)
    }

    /// The block, and where the record goes.
    pub(crate) fn parts(self) -> (&'static Block, u64) {
        (self.block, self.cursor)
    }

    /// This slot for a record of another time.
    pub(crate) fn at_time(self, ticks: u64) -> Room {
        RecordSlot::at(self.cursor).ticks(ticks);
        self
    }

    /// Stores a record and commits it: a reader, also of a killed process, sees all of it or none.
    #[inline(always)]
    pub fn put<P: Payload>(self, code: EventCode, payload: P) {
        const { assert!(P::WORDS < MAX_WORDS) };
        let mut slot = RecordSlot::at(self.cursor);
        slot.code(code);
        payload.store(&mut slot);
        let next = self.cursor + 8 * (P::WORDS as u64 + 1);
        self.block.control.cursor().store(next, Ordering::Release);
    }
}

/// Stores a record of ours at the cursor, where [`Block::has_room`] said that there is room.
pub(crate) fn put_cold(block: &'static Block, ticks: u64, number: u16, payload: impl Payload) {
    let cursor = block.control.cursor().load(Ordering::Relaxed);
    if block.has_room(cursor, 0) {
        block.room_at(ticks, cursor).put(EventCode::new(number, Scope::None), payload);
    }
}

/// Makes an id's parts from a block's counter.
#[inline(always)]
pub(crate) fn next_id(block: &Block) -> (u64, u32) {
    (block.private.thread_part.load(Ordering::Relaxed), next_counter(block))
}

#[inline(always)]
fn next_counter(block: &Block) -> u32 {
    let counter = block.private.counter.load(Ordering::Relaxed).wrapping_add(1);
    block.private.counter.store(counter, Ordering::Relaxed);
    counter
}
