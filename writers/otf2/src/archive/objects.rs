//! Records of windows and files of MPI, one function for each kind.

use super::encode::{Encoder, code};

/// Stands for all ranks of a window.
pub(super) const ALL_RANKS: u32 = u32::MAX;
/// The only lock of a rank's part of a window.
const LOCK: u64 = 0;

/// An operation on the memory of another rank: its window, the rank there, and a number that leads to the record of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub win: u32,
    pub remote: u32,
    pub id: u64,
}

/// Bytes that are sent, and those that come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moved(pub u64, pub u64);

impl Encoder {
    pub(super) fn atomic(&mut self, at: u64, kind: u8, operation: Operation, moved: Moved) {
        let Operation { win, remote, id } = operation;
        self.event(at, code::RMA_ATOMIC, |record| {
            record.number(win);
            record.number(remote);
            record.byte(kind);
            record.long(moved.0);
            record.long(moved.1);
            record.long(id);
        })
    }

    /// The operation is complete where it was issued.
    pub(super) fn complete_here(&mut self, at: u64, win: u32, id: u64) {
        self.of_operation(at, code::RMA_OP_COMPLETE_NON_BLOCKING, win, id)
    }

    /// It is complete in the window.
    pub(super) fn complete_there(&mut self, at: u64, win: u32, id: u64) {
        self.of_operation(at, code::RMA_OP_COMPLETE_REMOTE, win, id)
    }

    /// It was tested, and is not complete.
    pub(super) fn test_operation(&mut self, at: u64, win: u32, id: u64) {
        self.of_operation(at, code::RMA_OP_TEST, win, id)
    }

    fn of_operation(&mut self, at: u64, code: u8, win: u32, id: u64) {
        self.event(at, code, |record| {
            record.number(win);
            record.long(id);
        })
    }

    pub(super) fn begin_rma_collective(&mut self, at: u64) {
        self.event(at, code::RMA_COLLECTIVE_BEGIN, |_| {})
    }

    pub(super) fn end_rma_collective(&mut self, at: u64, win: u32, operation: u8, level: u32) {
        self.event(at, code::RMA_COLLECTIVE_END, |record| {
            record.byte(operation);
            record.number(level);
            record.number(win);
            record.number(otf2_sys::OTF2_COLLECTIVE_ROOT_NONE);
            record.long(0);
            record.long(0);
        })
    }

    pub(super) fn acquire_window(&mut self, at: u64, win: u32, remote: u32, kind: u8) {
        self.event(at, code::RMA_ACQUIRE_LOCK, |record| {
            record.number(win);
            record.number(remote);
            record.long(LOCK);
            record.byte(kind);
        })
    }

    pub(super) fn release_window(&mut self, at: u64, win: u32, remote: u32) {
        self.event(at, code::RMA_RELEASE_LOCK, |record| {
            record.number(win);
            record.number(remote);
            record.long(LOCK);
        })
    }

    pub(super) fn synchronise_memory(&mut self, at: u64, win: u32, remote: u32) {
        self.event(at, code::RMA_SYNC, |record| {
            record.number(win);
            record.number(remote);
            record.byte(otf2_sys::OTF2_RMA_SYNC_TYPE_MEMORY as u8);
        })
    }

    /// Others have accessed the window, and are done with it.
    pub(super) fn window_changed(&mut self, at: u64, win: u32) {
        self.event(at, code::RMA_WAIT_CHANGE, |record| record.number(win))
    }

    pub(super) fn create_handle(
        &mut self,
        at: u64,
        handle: u32,
        (mode, flags, status): (u8, u32, u32),
    ) {
        self.event(at, code::IO_CREATE_HANDLE, |record| {
            record.number(handle);
            record.byte(mode);
            record.number(flags);
            record.number(status);
        })
    }

    pub(super) fn destroy_handle(&mut self, at: u64, handle: u32) {
        self.event(at, code::IO_DESTROY_HANDLE, |record| record.number(handle))
    }

    pub(super) fn begin_io(
        &mut self,
        at: u64,
        (handle, id): (u32, u64),
        (mode, flags): (u8, u32),
        bytes: u64,
    ) {
        self.event(at, code::IO_OPERATION_BEGIN, |record| {
            record.number(handle);
            record.byte(mode);
            record.number(flags);
            record.long(bytes);
            record.long(id);
        })
    }

    pub(super) fn issue_io(&mut self, at: u64, handle: u32, id: u64) {
        self.of_operation(at, code::IO_OPERATION_ISSUED, handle, id)
    }

    pub(super) fn test_io(&mut self, at: u64, handle: u32, id: u64) {
        self.of_operation(at, code::IO_OPERATION_TEST, handle, id)
    }

    pub(super) fn cancel_io(&mut self, at: u64, handle: u32, id: u64) {
        self.of_operation(at, code::IO_OPERATION_CANCELLED, handle, id)
    }

    pub(super) fn complete_io(&mut self, at: u64, (handle, id): (u32, u64), bytes: u64) {
        self.event(at, code::IO_OPERATION_COMPLETE, |record| {
            record.number(handle);
            record.long(bytes);
            record.long(id);
        })
    }
}
