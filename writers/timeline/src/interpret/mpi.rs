//! Calls of MPI: slices of the running task, with what they transfer. What they complete: `mpi_requests.rs`.

use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::hash::request_flow;
use crate::matching::Which;
use crate::names::Subject;
use crate::out::{Details, address, number, word};
use crate::state::requests::{Call, Transfer, starts};
use crate::state::thread::OpenSlice;
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Collective, Definitions, InstantKind, MESSAGE_FLOW, Mark, Message,
    Moves, MpiEvent, SliceKind,
};
use ompttrace_recording::events::{
    MpiAccess, MpiCollective, MpiCommunicator, MpiEnter, MpiLeave, MpiMembers, MpiPolls,
    MpiReceive, MpiSend, MpiWorld,
};
use ompttrace_recording::mpi::{Function, Group, function, rank};
use ompttrace_recording::words::KIND_MASK;

/// The most arguments of a call.
const MOST_ARGS: usize = 6;

impl Interpreter<'_> {
    pub(super) fn mpi_enter(
        &mut self,
        t: u32,
        (at, ticks): (u64, u64),
        event: &MpiEnter,
    ) -> Outcome {
        // Calls do not nest: the end of one that an exception left was never recorded.
        if self.thread(t).innermost().is_some_and(|open| is_mpi(open.kind)) {
            self.close_top(t, at, Mark::Inferred);
        }
        let called = event.kind & KIND_MASK;
        let function = function(called);
        let group = function.map_or(Group::Other, |function| function.group);
        let code = Code::new(event.code, event.kind & !KIND_MASK);
        let named = self.names.at(&mut self.out.to.definitions, Subject::Mpi(called), code);
        let call = self.begin_call(t, (at, ticks), event);
        let mut args = Args::default();
        match call.transfer {
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
            Some(Transfer::Access(peer, bytes, _)) => {
                args.add(ranked(ArgKey::Peer, peer));
                let moves = function.and_then(|function| Moves::of(function.name));
                args.add(moves.map(|_| number(ArgKey::Bytes, bytes)));
            }
            // A single one is a call like any other.
            Some(Transfer::Polls(1)) => {}
            Some(Transfer::Polls(count)) => args.add(Some(number(ArgKey::Count, count))),
            None => {}
        }
        let takes_object = function.is_some_and(|function| function.takes_object);
        args.add(self.communicator(if takes_object { 0 } else { event.communicator }));
        self.last_arrival(at, &call, &mut args);
        let mut flows = std::mem::take(&mut self.flows);
        flows.clear();
        flows.extend(call.has_flow.then_some(call.id));
        self.flows_of_messages(t, ticks, &call, &mut flows);
        let flow_ends = self.completed_by(t, function);
        let details = Details {
            args: args.all(),
            flows: &flows,
            flow_ends: &flow_ends,
            ..Details::default()
        };
        let outcome = self.open(t, at, OpenSlice::new(SliceKind::Mpi(group), named), details);
        (self.flows, self.flow_ends) = (flows, flow_ends);
        if outcome != Outcome::Interpreted {
            self.thread(t).call.has_flow = false;
        } else if !function.is_some_and(|function| function.posts) {
            self.transfers(t, at, &call);
        }
        if starts(called) {
            self.start_requests(t, (at, ticks));
        }
        outcome
    }

    /// A call begins: what it transfers was recorded before.
    pub(super) fn begin_call(&mut self, t: u32, (at, ticks): (u64, u64), event: &MpiEnter) -> Call {
        let in_job = self.in_job(t, ticks, Which::Call);
        let called = event.kind & KIND_MASK;
        let (communicator, object) = match function(called).filter(|one| one.takes_object) {
            Some(function) => (None, self.object_of(function, event)),
            None => (self.communicators.number(event.communicator), None),
        };
        let thread = self.thread(t);
        let transfer = thread.next_transfer.take();
        let posts =
            function(called).is_some_and(|function| function.posts && !function.is_persistent());
        thread.call = Call {
            function: called,
            transfer,
            communicator,
            object,
            id: request_flow(t, at),
            has_flow: posts && transfer.is_some(),
            in_job,
            ..Call::default()
        };
        thread.call
    }

    /// The number of an event in the job; 0: none.
    pub(super) fn in_job(&self, t: u32, ticks: u64, which: Which) -> u64 {
        self.job.map_or(0, |job| job.matching.id(t, ticks, which))
    }

    /// Adds the flows of the messages that a call sends, also by starting persistent requests.
    fn flows_of_messages(&self, t: u32, ticks: u64, call: &Call, flows: &mut Vec<u64>) {
        let Some(job) = self.job else { return };
        if let Some(Transfer::Send(..)) = call.transfer {
            flows.extend(Some(call.in_job).filter(|flow| *flow != 0));
        }
        let given = self.threads.get(t as usize).map_or(&[][..], |thread| &thread.given);
        for one in given.iter().filter(|one| one.request.persistent) {
            let flow = job.matching.id(t, ticks, Which::Started(one.index));
            flows.extend(Some(flow).filter(|flow| flow & MESSAGE_FLOW != 0));
        }
    }

    /// Says which rank comes last to a collective operation, and how much later.
    fn last_arrival(&self, at: u64, call: &Call, args: &mut Args) {
        let Some(Transfer::Collective(..)) = call.transfer else { return };
        if let Some((last, rank)) = self.job.and_then(|job| job.last.last(call.in_job)) {
            args.add(Some(number(ArgKey::LastRank, rank.into())));
            args.add(Some(number(ArgKey::WaitedNs, last.saturating_sub(at))));
        }
    }

    /// Emits what a blocking call sends, or the collective operation that it is, or what it does to a window or a file.
    fn transfers(&mut self, t: u32, at: u64, call: &Call) {
        let event = match call.transfer {
            Some(Transfer::Send(..)) => call.message().map(|sent| MpiEvent::Sent(sent, None)),
            Some(Transfer::Collective(..)) => call.collective().map(MpiEvent::Collective),
            _ if call.object.is_some() => return self.uses_object(t, at, call),
            Some(Transfer::Receive(..) | Transfer::Access(..) | Transfer::Polls(_)) | None => None,
        };
        self.mpi_event(t, at, event);
    }

    pub(super) fn mpi_event(&mut self, t: u32, at: u64, event: Option<MpiEvent>) {
        let is_in_call = self.thread(t).innermost().is_some_and(|open| is_mpi(open.kind));
        if let Some(event) = event.filter(|_| is_in_call) {
            self.out.message(&mut self.threads[t as usize], at, event);
        }
    }

    pub(super) fn mpi_leave(&mut self, t: u32, at: u64, event: &MpiLeave) -> Outcome {
        if event.result != 0 {
            let args = [number(ArgKey::Result, event.result)];
            let named = self.plain("MPI error");
            self.simple(t, at, InstantKind::MpiError, named, &args);
        }
        self.give_back(t, at);
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
        self.thread(t).next_transfer = Some(Transfer::Access(event.peer, event.bytes, event.flags));
        Outcome::Interpreted
    }

    /// The next call is a run of polls.
    pub(super) fn mpi_polls(&mut self, t: u32, event: &MpiPolls) -> Outcome {
        let count = event.count.saturating_add(event.other_count);
        self.thread(t).next_transfer = Some(Transfer::Polls(count));
        Outcome::Interpreted
    }

    pub(super) fn mpi_world(&mut self, event: &MpiWorld) -> Outcome {
        self.communicators.world(event, &mut self.out.to.definitions);
        Outcome::Interpreted
    }

    pub(super) fn mpi_members(&mut self, t: u32, event: &MpiMembers) -> Outcome {
        self.communicators.members(t, event);
        Outcome::Interpreted
    }

    pub(super) fn mpi_communicator(&mut self, t: u32, event: &MpiCommunicator) -> Outcome {
        self.communicators.made(t, event, &mut self.out.to.definitions);
        Outcome::Interpreted
    }

    /// A communicator as an argument: its name, where it is known.
    fn communicator(&mut self, handle: u64) -> Option<Arg> {
        if handle == 0 {
            return None;
        }
        let Some(number) = self.communicators.number(handle) else {
            return Some(address(ArgKey::Communicator, handle));
        };
        let Interpreter { communicators, names, out, .. } = self;
        let define = |to: &mut Definitions, name: &str| names.word(to, name);
        let text = communicators.name(number, &mut out.to.definitions, define);
        Some(Arg { key: ArgKey::Communicator, value: ArgValue::Text(text) })
    }

    /// The flows of all requests that a call is given, if it returns when all are complete.
    fn completed_by(&mut self, t: u32, function: Option<&Function>) -> Vec<u64> {
        let mut flow_ends = std::mem::take(&mut self.flow_ends);
        flow_ends.clear();
        if function.is_some_and(completes_all) {
            let given = self.thread(t).given.iter().map(|given| given.request.by);
            flow_ends.extend(given.filter(|by| by.has_flow).map(|by| by.id));
        }
        flow_ends
    }
}

impl Call {
    /// The message that it sends.
    pub(super) fn message(&self) -> Option<Message> {
        let Some(Transfer::Send(peer, tag, bytes)) = self.transfer else { return None };
        self.from(peer, tag, bytes)
    }

    /// A message that it receives.
    pub(super) fn from(&self, peer: u64, tag: u64, bytes: u64) -> Option<Message> {
        let is_rank = peer as u32 as i32 >= 0;
        let communicator = self.communicator.filter(|_| is_rank)?;
        Some(Message { communicator, peer: peer as u32, tag: tag as u32, bytes, id: self.in_job })
    }

    /// The collective operation that it is.
    pub(super) fn collective(&self) -> Option<Collective> {
        let Some(Transfer::Collective(root, sent, received)) = self.transfer else { return None };
        let (function, root) = (self.function as u16, root as u32);
        let (communicator, id) = (self.communicator?, self.in_job);
        Some(Collective { function, communicator, root, sent, received, id })
    }
}

/// True for a function that returns when all requests that it is given are complete.
pub(super) fn completes_all(function: &Function) -> bool {
    function.group == Group::Wait && matches!(function.name, "MPI_Wait" | "MPI_Waitall")
}

pub(super) fn is_mpi(kind: SliceKind) -> bool {
    matches!(kind, SliceKind::Mpi(_))
}

/// A rank, tag or root; `None`: the function has none.
pub(super) fn ranked(key: ArgKey, value: u64) -> Option<Arg> {
    let value = value as u32;
    match value {
        rank::NONE => None,
        rank::ANY => Some(word(key, "any")),
        rank::OTHER_GROUP => Some(word(key, "in this group")),
        _ => Some(Arg { key, value: ArgValue::Signed(i64::from(value as i32)) }),
    }
}

/// A few arguments.
pub(super) struct Args([Arg; MOST_ARGS], usize);

impl Default for Args {
    fn default() -> Args {
        Args([number(ArgKey::Count, 0); MOST_ARGS], 0)
    }
}

impl Args {
    pub(super) fn add(&mut self, arg: Option<Arg>) {
        if let (Some(arg), Some(place)) = (arg, self.0.get_mut(self.1)) {
            *place = arg;
            self.1 += 1;
        }
    }

    pub(super) fn all(&self) -> &[Arg] {
        self.0.get(..self.1).unwrap_or_default()
    }
}
