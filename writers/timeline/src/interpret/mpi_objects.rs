//! Windows and files of MPI: which one a call is given, what it moves, and when that is complete.

use super::{Interpreter, Outcome};
use crate::state::requests::{Call, Transfer};
use ompttrace_model::{Access, Moves, MpiEvent, MpiObjectKind, MpiObjectRef, ObjectCall};
use ompttrace_recording::events::{MpiEnter, MpiName, MpiObject};
use ompttrace_recording::mpi::{Function, Group, function};

impl Interpreter<'_> {
    /// The window or file that a call is given, if it is known.
    pub(super) fn object_of(&self, function: &Function, event: &MpiEnter) -> Option<MpiObjectRef> {
        let kind = match function.group {
            Group::Io => MpiObjectKind::File,
            _ => MpiObjectKind::Window,
        };
        self.communicators.objects.number(kind, event.communicator)
    }

    pub(super) fn mpi_object(&mut self, t: u32, at: u64, event: &MpiObject) -> Outcome {
        let communicator = self.communicators.number(event.communicator);
        let made =
            self.communicators.objects.made(t, event, communicator, &mut self.out.to.definitions);
        self.object_made(t, at, made);
        Outcome::Interpreted
    }

    /// A part of the name of a communicator or of a file.
    pub(super) fn mpi_name(&mut self, t: u32, at: u64, event: &MpiName) -> Outcome {
        let Some(name) = self.communicators.name_parts.add(t, event) else {
            return Outcome::Interpreted;
        };
        let to = &mut self.out.to.definitions;
        if self.communicators.objects.awaits_name(t, event.handle) {
            let made = self.communicators.objects.named(t, name, to);
            self.object_made(t, at, made);
        } else {
            self.communicators.named(event.handle, name, to);
        }
        Outcome::Interpreted
    }

    fn object_made(&mut self, t: u32, at: u64, made: Option<MpiObjectRef>) {
        let known = made.and_then(|number| {
            let object = self.out.to.definitions.objects().get(number as usize)?;
            Some(MpiEvent::ObjectMade(object.kind, number, object.mode))
        });
        self.mpi_event(t, at, known);
    }

    /// Emits what a call does to the window or file that it is given: an access, or anything else.
    pub(super) fn uses_object(&mut self, t: u32, at: u64, call: &Call) {
        let event = match call.access() {
            Some(access) => Some(MpiEvent::Accessed(access)),
            None => self.object_call(call).map(MpiEvent::ObjectCall),
        };
        self.mpi_event(t, at, event);
    }

    /// A call that is given a window or a file and moves nothing. A poll that has found nothing is none.
    fn object_call(&self, call: &Call) -> Option<ObjectCall> {
        let object = call.object?;
        let (peer, lock) = match call.transfer {
            // Of nobody's part of the window there is nothing to say.
            Some(Transfer::Access(peer, ..)) if (peer as u32 as i32) < 0 => return None,
            Some(Transfer::Access(peer, _, lock)) => (peer as u32, lock as u32),
            Some(Transfer::Polls(_)) => return None,
            _ => (self.own_rank(object)?, 0),
        };
        let moves = function(call.function).and_then(|function| Moves::of(function.name));
        let called = ObjectCall { object, function: call.function as u16, peer, lock, id: call.id };
        moves.is_none().then_some(called)
    }

    /// The rank of the process among those that have made a window or a file; 0 if that is not known.
    fn own_rank(&self, object: MpiObjectRef) -> Option<u32> {
        let known = &self.out.to.definitions;
        let communicator = known.objects().get(object as usize)?.communicator;
        let communicator = communicator.and_then(|of| known.communicators().get(of as usize));
        Some(communicator.map_or(0, |of| of.rank))
    }

    /// So many bytes were moved by the open call from or to a file.
    pub(super) fn moved(&mut self, t: u32, at: u64, bytes: u64) -> Outcome {
        let call = self.thread(t).call;
        let access = call.object.map(|object| Access {
            object,
            function: call.function as u16,
            peer: 0,
            bytes,
            id: call.id,
        });
        self.mpi_event(t, at, access.map(MpiEvent::AccessComplete));
        Outcome::Interpreted
    }
}

impl Call {
    /// The end of an access that it has posted; `bytes`: as the status says, which it does of files.
    pub(super) fn access_complete(&self, bytes: u64) -> Option<MpiEvent> {
        let access = self.access()?;
        let of_file = function(self.function).is_some_and(|function| function.group == Group::Io);
        let bytes = if of_file { bytes } else { access.bytes };
        Some(MpiEvent::AccessComplete(Access { bytes, ..access }))
    }

    /// The access that it is, or that it has posted.
    pub(super) fn access(&self) -> Option<Access> {
        let Some(Transfer::Access(peer, bytes, _)) = self.transfer else { return None };
        let (object, called) = (self.object?, function(self.function)?);
        // In a window, of no rank: then nothing is moved.
        let is_of_nobody = called.group == Group::OneSided && (peer as u32 as i32) < 0;
        let access = Access {
            object,
            function: self.function as u16,
            peer: peer as u32,
            bytes,
            id: self.id,
        };
        Moves::of(called.name).filter(|_| !is_of_nobody).map(|_| access)
    }
}
