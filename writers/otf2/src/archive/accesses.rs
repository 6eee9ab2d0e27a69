//! Accesses of one location to windows and files of MPI, until they are complete.
//!
//! An access to a window is complete when its own thread synchronises the window. So each location follows its own accesses: those
//! that another thread completes stay open until the window is gone.

use ompttrace_model::{Access, Moves, MpiEvent, MpiObjectKind, ObjectCall};
use otf2_sys::*;

use super::encode::Encoder;
use super::objects::{ALL_RANKS, Moved, Operation};
use crate::ids::window_of;
use crate::tables::objects::{
    Effect, atomic_type, effect_of, io_operation, is_collective, is_split, lock_type, opened,
};

/// Open accesses of a location beyond these are forgotten, all of them: no program synchronises so rarely.
const MOST: usize = 1 << 20;

/// An access to a window.
#[derive(Clone, Copy, Debug)]
struct Open {
    operation: Operation,
    /// True once it is complete for this process.
    is_complete_here: bool,
}

/// The accesses that are not complete.
#[derive(Debug, Default)]
pub(super) struct Accesses {
    open: Vec<Open>,
    /// Accesses to files that one function begins and another ends: the file, of which there is one at most, and the access.
    split: Vec<(u32, u64)>,
}

impl Accesses {
    /// Writes the records of an event.
    pub(super) fn event(&mut self, at: u64, event: &MpiEvent, to: &mut Encoder) {
        match event {
            MpiEvent::ObjectMade(MpiObjectKind::Window, object, _) => {
                to.create_window(at, window_of(*object));
            }
            MpiEvent::ObjectMade(MpiObjectKind::File, object, mode) => {
                to.create_handle(at, *object, opened(*mode));
            }
            MpiEvent::Accessed(access) => self.begin(at, access, false, to),
            MpiEvent::AccessPosted(access) => self.begin(at, access, true, to),
            MpiEvent::AccessComplete(access) => self.complete(at, access, to),
            MpiEvent::AccessTested(Access { object, id, .. }) => match event_of_file(event) {
                true => to.test_io(at, *object, *id),
                false => to.test_operation(at, window_of(*object), *id),
            },
            MpiEvent::AccessCancelled(Access { object, id, .. }) if event_of_file(event) => {
                to.cancel_io(at, *object, *id);
            }
            MpiEvent::ObjectCall(call) if effect_of(call.function).is_some_and(is_collective) => {
                to.begin_rma_collective(at);
            }
            _ => {}
        }
    }

    /// Writes the records of the end of a call that was given a window or a file.
    pub(super) fn end(&mut self, at: u64, call: &ObjectCall, to: &mut Encoder) {
        const PROCESS: u32 = OTF2_RMA_SYNC_LEVEL_PROCESS;
        const MEMORY: u32 = OTF2_RMA_SYNC_LEVEL_MEMORY;
        let (win, remote) = (window_of(call.object), call.peer);
        let Some(effect) = effect_of(call.function) else { return };
        match effect {
            Effect::Fence => {
                self.complete_there(at, win, None, to);
                let barrier = OTF2_COLLECTIVE_OP_BARRIER as u8;
                to.end_rma_collective(at, win, barrier, PROCESS | MEMORY);
            }
            Effect::Free => {
                self.complete_there(at, win, None, to);
                to.destroy_window(at, win);
                to.end_rma_collective(at, win, OTF2_COLLECTIVE_OP_DESTROY_HANDLE as u8, PROCESS);
            }
            Effect::Lock => to.acquire_window(at, win, remote, lock_type(call.lock)),
            Effect::LockAll => to.acquire_window(at, win, ALL_RANKS, OTF2_LOCK_SHARED as u8),
            Effect::Unlock => {
                self.complete_there(at, win, Some(remote), to);
                to.release_window(at, win, remote);
            }
            Effect::UnlockAll => {
                self.complete_there(at, win, None, to);
                to.release_window(at, win, ALL_RANKS);
            }
            Effect::Flush => self.complete_there(at, win, Some(remote), to),
            Effect::FlushAll | Effect::Complete => self.complete_there(at, win, None, to),
            Effect::FlushLocal => self.complete_here(at, win, Some(remote), to),
            Effect::FlushLocalAll => self.complete_here(at, win, None, to),
            Effect::Wait => to.window_changed(at, win),
            Effect::Sync => to.synchronise_memory(at, win, remote),
            Effect::Close => to.destroy_handle(at, call.object),
            // The bytes that it has moved have a record.
            Effect::End => {}
        }
    }

    /// An access begins; `posted`: it goes on after the call, and has a request.
    fn begin(&mut self, at: u64, access: &Access, posted: bool, to: &mut Encoder) {
        let &Access { object, peer: remote, bytes, id, .. } = access;
        let Some(moves) = access.moves() else { return };
        let operation = Operation { win: window_of(object), remote, id };
        match moves {
            Moves::Read | Moves::Write => return self.begin_io(at, access, posted, to),
            Moves::Put => to.put(at, (operation.win, remote), bytes, id),
            Moves::Get => to.get(at, (operation.win, remote), bytes, id),
            Moves::Accumulate | Moves::FetchAndAccumulate | Moves::CompareAndSwap => {
                let (given, taken) = access.given_and_taken();
                let kind = atomic_type(moves).unwrap_or_default();
                to.atomic(at, kind, operation, Moved(given, taken));
            }
        }
        if self.open.len() >= MOST {
            self.open.clear();
        }
        self.open.push(Open { operation, is_complete_here: false });
    }

    fn begin_io(&mut self, at: u64, access: &Access, posted: bool, to: &mut Encoder) {
        let &Access { object: handle, bytes, id, .. } = access;
        let (mode, flags) = io_operation(access);
        let splits = is_split(access);
        let goes_on = posted || splits;
        let flags = if goes_on { flags | OTF2_IO_OPERATION_FLAG_NON_BLOCKING } else { flags };
        to.begin_io(at, (handle, id), (mode, flags), bytes);
        if goes_on {
            to.issue_io(at, handle, id);
        }
        if splits {
            self.split.retain(|(open, _)| *open != handle);
            self.split.push((handle, id));
        }
    }

    /// An access is complete for this process.
    fn complete(&mut self, at: u64, access: &Access, to: &mut Encoder) {
        let &Access { object, bytes, id, function, .. } = access;
        if let Some(Moves::Read | Moves::Write) = access.moves() {
            return to.complete_io(at, (object, id), bytes);
        }
        if effect_of(function) == Some(Effect::End) {
            let found = self.split.iter().position(|(open, _)| *open == object);
            if let Some((handle, id)) = found.map(|at| self.split.swap_remove(at)) {
                to.complete_io(at, (handle, id), bytes);
            }
            return;
        }
        let found = self.open.iter_mut().rfind(|open| open.operation.id == id);
        if let Some(open) = found.filter(|open| !open.is_complete_here) {
            open.is_complete_here = true;
            to.complete_here(at, open.operation.win, id);
        }
    }

    /// The accesses to a window, or to one rank's part of it, are complete for this process.
    fn complete_here(&mut self, at: u64, win: u32, remote: Option<u32>, to: &mut Encoder) {
        let of = self.open.iter_mut().filter(|open| open.operation.is_to(win, remote));
        for open in of.filter(|open| !open.is_complete_here) {
            open.is_complete_here = true;
            to.complete_here(at, win, open.operation.id);
        }
    }

    /// They are complete in the window, too.
    fn complete_there(&mut self, at: u64, win: u32, remote: Option<u32>, to: &mut Encoder) {
        self.complete_here(at, win, remote, to);
        self.open.retain(|open| {
            let is_complete = open.operation.is_to(win, remote);
            if is_complete {
                to.complete_there(at, win, open.operation.id);
            }
            !is_complete
        });
    }
}

/// True if an event is about an access to a file.
fn event_of_file(event: &MpiEvent) -> bool {
    match event {
        MpiEvent::AccessTested(access) | MpiEvent::AccessCancelled(access) => {
            matches!(access.moves(), Some(Moves::Read | Moves::Write))
        }
        _ => false,
    }
}

impl Operation {
    /// True for an operation on this window, and on one rank's part of it, if that is given.
    fn is_to(&self, win: u32, remote: Option<u32>) -> bool {
        self.win == win && remote.is_none_or(|remote| remote == self.remote)
    }
}
