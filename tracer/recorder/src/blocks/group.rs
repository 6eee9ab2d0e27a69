//! Several records that are stored together: one look for room, one reading of the clock, one commit.
//!
//! A group needs no more room than a single record, and therefore is no larger than the largest record.

use crate::blocks::block::Block;
use crate::blocks::record_slot::{self, RecordSlot};
use crate::blocks::room::Room;
use crate::blocks::{growing, tls};
use crate::host::clock;
use crate::host::sync::Ordering;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::MAX_WORDS;
use ompttrace_recording::words::Payload;
use std::marker::PhantomData;

/// A slot for some records, and those that are in it so far.
#[must_use = "records that are not committed are lost uncounted"]
pub struct Group {
    cursor: u64,
    /// The end of the records that are stored so far.
    end: u64,
    ticks: u64,
    block: &'static Block,
    /// The slot belongs to the calling thread: it must not be passed to another.
    of_this_thread: PhantomData<*mut u8>,
}

/// As [`crate::room`] for a group of records.
#[inline(always)]
pub fn group() -> Option<Group> {
    let block = tls::block();
    let cursor = block.control.cursor().load(Ordering::Relaxed);
    if cursor >= block.private.end.load(Ordering::Relaxed) {
        return None;
    }
    Some(Group::new(block, cursor, clock::counter()))
}

/// The cursor of the calling thread: it moves with every record.
#[inline(always)]
pub fn cursor() -> u64 {
    tls::block().control.cursor().load(Ordering::Relaxed)
}

impl Room {
    /// The slot for a group of records.
    pub fn group(self) -> Group {
        let (block, cursor) = self.parts();
        // SAFETY: the first word of the thread's own slot, where the room's time is stored.
        let ticks = unsafe { record_slot::load(cursor) };
        Group::new(block, cursor, ticks)
    }
}

impl Group {
    #[inline(always)]
    fn new(block: &'static Block, cursor: u64, ticks: u64) -> Group {
        Group { cursor, end: cursor, ticks, block, of_this_thread: PhantomData }
    }

    /// The time of the event.
    #[inline(always)]
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// The cursor of the calling thread, which has stored nothing since.
    #[inline(always)]
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Adds a record of the event's time; what would make the group too large is left out.
    #[inline(always)]
    pub fn add<P: Payload>(self, code: EventCode, payload: P) -> Group {
        let ticks = self.ticks;
        self.add_at(ticks, code, payload)
    }

    /// Adds a record of an earlier time, at which the thread's last record is not later.
    #[inline(always)]
    pub fn add_at<P: Payload>(mut self, ticks: u64, code: EventCode, payload: P) -> Group {
        let end = self.end + 8 * (P::WORDS as u64 + 1);
        if end - self.cursor <= 8 * MAX_WORDS as u64 {
            let mut slot = RecordSlot::at(self.end);
            slot.ticks(ticks);
            slot.code(code);
            payload.store(&mut slot);
            self.end = end;
        }
        self
    }

    /// Commits them: a reader, also of a killed process, sees all of them or none.
    #[inline(always)]
    pub fn commit(self) {
        self.block.control.cursor().store(self.end, Ordering::Release);
    }

    /// Commits them; they may [grow](growing::Growing) until the thread's next record.
    #[inline(always)]
    pub fn commit_growing(self) {
        growing::begin(self.block, self.cursor, self.end);
        self.commit();
    }
}
