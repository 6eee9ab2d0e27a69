//! Calls of MPI: slices of the running task, with what they transfer, and what they have received.

use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::names::Subject;
use crate::out::{Details, address, number, word};
use crate::state::requests::Request;
use crate::state::thread::{OpenSlice, Transfer};
use ompttrace_model::{Arg, ArgKey, ArgValue, InstantKind, Mark, SliceKind};
use ompttrace_recording::events::{
    MpiAccess, MpiCollective, MpiCommunicator, MpiDone, MpiEnter, MpiLeave, MpiPolls, MpiPost,
    MpiReceive, MpiReceived, MpiRequest, MpiSend, MpiWorld,
};
use ompttrace_recording::mpi::{Group, function, rank};
use ompttrace_recording::words::KIND_MASK;

/// The most arguments of a call.
const MOST_ARGS: usize = 4;

impl Interpreter<'_> {
    pub(super) fn mpi_enter(&mut self, t: u32, at: u64, event: &MpiEnter) -> Outcome {
        // Calls do not nest: the end of one that an exception left was never recorded.
        if self.thread(t).innermost().is_some_and(|open| is_mpi(open.kind)) {
            self.close_top(t, at, Mark::Inferred);
        }
        let called = event.kind & KIND_MASK;
        let group = function(called).map_or(Group::Other, |function| function.group);
        let code = Code::new(event.code, event.kind & !KIND_MASK);
        let named = self.names.at(&mut self.out.to.definitions, Subject::Mpi(called), code);
        let mut args = Args::default();
        let transfer = self.thread(t).next_transfer.take();
        self.thread(t).receives = matches!(transfer, Some(Transfer::Receive(..)));
        match transfer {
            Some(Transfer::Send(peer, tag, bytes) | Transfer::Receive(peer, tag, bytes)) => {
                args.add(ranked(ArgKey::Peer, peer));
                args.add(ranked(ArgKey::Tag, tag));
                args.add(Some(number(ArgKey::Bytes, bytes)));
            }
            Some(Transfer::Collective(root, given, taken)) => {
                args.add(ranked(ArgKey::Root, root));
                args.add(Some(number(ArgKey::Sent, given)));
                args.add(Some(number(ArgKey::Received, taken)));
            }
            Some(Transfer::Access(peer, bytes)) => {
                args.add(ranked(ArgKey::Peer, peer));
                args.add(Some(number(ArgKey::Bytes, bytes)));
            }
            Some(Transfer::Polls(count)) => args.add(Some(number(ArgKey::Count, count))),
            None => {}
        }
        args.add(self.communicator(event.communicator));
        self.open(t, at, OpenSlice::new(SliceKind::Mpi(group), named), Details::args(args.all()))
    }

    pub(super) fn mpi_leave(&mut self, t: u32, at: u64, event: &MpiLeave) -> Outcome {
        if event.result != 0 {
            let args = [number(ArgKey::Result, event.result)];
            let named = self.plain("MPI error");
            self.simple(t, at, InstantKind::MpiError, named, &args);
        }
        let Interpreter { threads, requests, .. } = self;
        if let Some(thread) = threads.get_mut(t as usize) {
            thread.given.drain(..).for_each(|given| requests.given_back(given));
        }
        self.end_here(t, at, is_mpi)
    }

    pub(super) fn mpi_send(&mut self, t: u32, event: &MpiSend) -> Outcome {
        let MpiSend { peer, tag, bytes } = *event;
        self.thread(t).next_transfer = Some(Transfer::Send(peer, tag, bytes));
        Outcome::Interpreted
    }

    pub(super) fn mpi_receive(&mut self, t: u32, event: &MpiReceive) -> Outcome {
        let MpiReceive { peer, tag, bytes } = *event;
        self.thread(t).next_transfer = Some(Transfer::Receive(peer, tag, bytes));
        Outcome::Interpreted
    }

    pub(super) fn mpi_collective(&mut self, t: u32, event: &MpiCollective) -> Outcome {
        let MpiCollective { root, given, taken, .. } = *event;
        self.thread(t).next_transfer = Some(Transfer::Collective(root, given, taken));
        Outcome::Interpreted
    }

    pub(super) fn mpi_access(&mut self, t: u32, event: &MpiAccess) -> Outcome {
        self.thread(t).next_transfer = Some(Transfer::Access(event.peer, event.bytes));
        Outcome::Interpreted
    }

    /// The next call is a run of polls.
    pub(super) fn mpi_polls(&mut self, t: u32, event: &MpiPolls) -> Outcome {
        // A single one is a call like any other.
        let count = event.count.saturating_add(event.other_count);
        self.thread(t).next_transfer = (count > 1).then_some(Transfer::Polls(count));
        Outcome::Interpreted
    }

    /// The open call has made a request.
    pub(super) fn mpi_post(&mut self, t: u32, event: &MpiPost) -> Outcome {
        let request =
            Request { receives: self.thread(t).receives, persistent: event.kind & 1 != 0 };
        self.requests.made(event.request, request);
        Outcome::Interpreted
    }

    /// The next call is given a request.
    pub(super) fn mpi_request(&mut self, t: u32, event: &MpiRequest) -> Outcome {
        let given = self.requests.given(event.request, event.index);
        self.thread(t).given.extend(given);
        Outcome::Interpreted
    }

    /// A request that the open call was given is complete.
    pub(super) fn mpi_done(&mut self, t: u32, at: u64, event: &MpiDone) -> Outcome {
        let MpiDone { index, peer, tag, bytes, .. } = *event;
        let given = &mut self.thread(t).given;
        // They were given in the order of the list.
        let found = given.binary_search_by_key(&index, |one| one.index);
        let Some(found) = found.ok().and_then(|found| given.get_mut(found)) else {
            return Outcome::Absorbed;
        };
        found.is_done = true;
        let receives = found.request.receives;
        if receives && peer as u32 != rank::NONE {
            return self.mpi_received(t, at, &MpiReceived { peer, tag, bytes });
        }
        Outcome::Interpreted
    }

    pub(super) fn mpi_received(&mut self, t: u32, at: u64, event: &MpiReceived) -> Outcome {
        let mut args = Args::default();
        args.add(ranked(ArgKey::Peer, event.peer));
        args.add(ranked(ArgKey::Tag, event.tag));
        args.add(Some(number(ArgKey::Bytes, event.bytes)));
        let named = self.plain("received");
        self.simple(t, at, InstantKind::MpiReceived, named, args.all())
    }

    pub(super) fn mpi_world(&mut self, event: &MpiWorld) -> Outcome {
        self.communicators.world(event);
        Outcome::Interpreted
    }

    pub(super) fn mpi_communicator(&mut self, event: &MpiCommunicator) -> Outcome {
        self.communicators.made(event);
        Outcome::Interpreted
    }

    /// A communicator as an argument: its name, where it is known.
    fn communicator(&mut self, handle: u64) -> Option<Arg> {
        if handle == 0 {
            return None;
        }
        let Some(name) = self.communicators.name(handle) else {
            return Some(address(ArgKey::Communicator, handle));
        };
        let text = self.names.word(&mut self.out.to.definitions, name);
        Some(Arg { key: ArgKey::Communicator, value: ArgValue::Text(text) })
    }
}

fn is_mpi(kind: SliceKind) -> bool {
    matches!(kind, SliceKind::Mpi(_))
}

/// A rank, tag or root; `None`: the function has none.
fn ranked(key: ArgKey, value: u64) -> Option<Arg> {
    let value = value as u32;
    match value {
        rank::NONE => None,
        rank::ANY => Some(word(key, "any")),
        rank::OTHER_GROUP => Some(word(key, "in the other group")),
        _ => Some(Arg { key, value: ArgValue::Signed(i64::from(value as i32)) }),
    }
}

/// A few arguments.
struct Args([Arg; MOST_ARGS], usize);

impl Default for Args {
    fn default() -> Args {
        Args([number(ArgKey::Count, 0); MOST_ARGS], 0)
    }
}

impl Args {
    fn add(&mut self, arg: Option<Arg>) {
        if let (Some(arg), Some(place)) = (arg, self.0.get_mut(self.1)) {
            *place = arg;
            self.1 += 1;
        }
    }

    fn all(&self) -> &[Arg] {
        self.0.get(..self.1).unwrap_or_default()
    }
}
