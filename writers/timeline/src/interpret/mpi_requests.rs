//! Requests of MPI: which call completes what another one has posted, and what was received.

use super::mpi::{Args, completes_all, ranked};
use super::{Interpreter, Outcome};
use crate::hash::request_flow;
use crate::matching::Which;
use crate::out::{Details, number};
use crate::state::requests::{Call, Request, Transfer, at_index, frees};
use ompttrace_model::{ArgKey, InstantKind, MESSAGE_FLOW, MpiEvent};
use ompttrace_recording::events::{Event, MpiDone, MpiPost, MpiReceived, MpiRequest, Record};
use ompttrace_recording::mpi::{CANCELLED, Group, PERSISTENT, function, rank};

impl Interpreter<'_> {
    /// The open call has made a request.
    pub(super) fn mpi_post(&mut self, t: u32, at: u64, event: &MpiPost) -> Outcome {
        let Request { by, persistent, .. } = self.make_request(t, at, event);
        let posted = by.posted().or_else(|| by.access().map(MpiEvent::AccessPosted));
        self.mpi_event(t, at, posted.filter(|_| !persistent));
        Outcome::Interpreted
    }

    /// The persistent requests that the call was given are started: each is another request in the trace.
    pub(super) fn start_requests(&mut self, t: u32, (at, ticks): (u64, u64)) {
        let mut given = std::mem::take(&mut self.thread(t).given);
        for one in given.iter_mut().filter(|one| one.request.persistent) {
            let in_job = self.in_job(t, ticks, Which::Started(one.index));
            let id = request_flow(t, at).wrapping_add(one.index) & !MESSAGE_FLOW;
            let by = Call { id, in_job, is_started: true, ..one.request.by };
            one.request.by = by;
            self.requests.change(one, |call| *call = by);
            self.mpi_event(t, at, by.posted());
        }
        self.thread(t).given = given;
    }

    fn make_request(&mut self, t: u32, at: u64, event: &MpiPost) -> Request<Call> {
        let call = &mut self.thread(t).call;
        let by = *call;
        // Should the same call make another one, it has another number.
        (call.id, call.has_flow) = (by.id.wrapping_add(1), false);
        let request = Request { made: (at, t), persistent: event.kind & PERSISTENT != 0, by };
        self.requests.made(event.request, request);
        request
    }

    /// The next call is given a request.
    pub(super) fn mpi_request(&mut self, t: u32, event: &MpiRequest) -> Outcome {
        let given = self.requests.given(event.request, event.index);
        self.thread(t).given.extend(given);
        Outcome::Interpreted
    }

    /// A request that the open call was given is complete.
    pub(super) fn mpi_done(&mut self, t: u32, (at, ticks): (u64, u64), event: &MpiDone) -> Outcome {
        let MpiDone { index, flags, peer, tag, bytes } = *event;
        let in_job = self.in_job(t, ticks, Which::Done(index));
        let thread = self.thread(t);
        let ends_here = !function(thread.call.function).is_some_and(completes_all);
        let Some(found) = at_index(&mut thread.given, index) else { return Outcome::Absorbed };
        found.is_done = true;
        let found = *found;
        let Request { persistent, by, .. } = found.request;
        self.requests.change(&found, |call| call.is_started = false);
        let request = Some(by.id).filter(|_| !persistent || by.is_started);
        let flow_end = request.filter(|_| ends_here && by.has_flow);
        if flags & CANCELLED != 0 {
            let is_known = by.posted().is_some();
            let cancelled = request.filter(|_| is_known).map(MpiEvent::Cancelled);
            let cancelled = cancelled.or_else(|| by.access().map(MpiEvent::AccessCancelled));
            self.mpi_event(t, at, cancelled);
            return Outcome::Interpreted;
        }
        if let Some(Transfer::Receive(..)) = by.transfer {
            let received = MpiReceived { peer, tag, bytes };
            let by = Call { in_job, ..by };
            return self.received(t, at, &received, (&by, request, flow_end));
        }
        self.mpi_event(t, at, by.complete(request).or_else(|| by.access_complete(bytes)));
        if let Some(flow) = flow_end {
            let named = self.plain("request complete");
            let thread = &mut self.threads[t as usize];
            let (task, flow_ends) = (thread.current, [flow]);
            let details = Details { flow_ends: &flow_ends, ..Details::default() };
            self.out.instant(thread, at, InstantKind::MpiCompleted, named, task, details);
        }
        Outcome::Interpreted
    }

    /// The open call has received a message.
    pub(super) fn mpi_received(
        &mut self,
        t: u32,
        (at, ticks): (u64, u64),
        event: &MpiReceived,
    ) -> Outcome {
        let in_job = self.in_job(t, ticks, Which::Received);
        let call = Call { in_job, ..self.thread(t).call };
        self.received(t, at, event, (&call, None, None))
    }

    /// A message is received, which was to be by this call, with its request, and the flow that ends here.
    fn received(
        &mut self,
        t: u32,
        at: u64,
        event: &MpiReceived,
        (by, request, flow_end): (&Call, Option<u64>, Option<u64>),
    ) -> Outcome {
        if event.peer as u32 == rank::NONE {
            return self.moved(t, at, event.bytes);
        }
        let message = by.from(event.peer, event.tag, event.bytes);
        self.mpi_event(t, at, message.map(|message| MpiEvent::Received(message, request)));
        let mut args = Args::default();
        args.add(ranked(ArgKey::Peer, event.peer));
        args.add(ranked(ArgKey::Tag, event.tag));
        args.add(Some(number(ArgKey::Bytes, event.bytes)));
        let named = self.plain("received");
        let thread = &mut self.threads[t as usize];
        let of_message = Some(by.in_job).filter(|flow| *flow != 0);
        let mut flow_ends = std::mem::take(&mut self.flow_ends);
        flow_ends.clear();
        flow_ends.extend(flow_end.into_iter().chain(of_message));
        let details = Details { args: args.all(), flow_ends: &flow_ends, ..Details::default() };
        let task = thread.current;
        self.out.instant(thread, at, InstantKind::MpiReceived, named, task, details);
        self.flow_ends = flow_ends;
        Outcome::Interpreted
    }

    /// The open call ends: what it was given and is not complete is open again, unless it was freed.
    pub(super) fn give_back(&mut self, t: u32, at: u64) {
        if self.thread(t).given.is_empty() {
            return;
        }
        let mut given = std::mem::take(&mut self.thread(t).given);
        let called = self.thread(t).call.function;
        // Not where it is started or cancelled.
        let is_test = function(called).is_some_and(|function| function.group == Group::Wait);
        for given in given.iter().filter(|given| !given.is_done) {
            let Request { persistent, by, .. } = given.request;
            let is_known = by.posted().is_some() && (!persistent || by.is_started);
            let event = if frees(called) {
                self.requests.freed(given);
                is_known.then_some(MpiEvent::Freed(by.id))
            } else {
                self.requests.given_back(given);
                let tested = is_known.then_some(MpiEvent::Tested(by.id));
                let tested = tested.or_else(|| by.access().map(MpiEvent::AccessTested));
                tested.filter(|_| is_test)
            };
            self.mpi_event(t, at, event);
        }
        given.clear();
        self.thread(t).given = given;
    }

    /// A record of a request that was posted or started before the window, by a call that is over.
    pub(super) fn know_request(&mut self, t: u32, record: &Record<'_>) {
        let at = self.clock.nanoseconds(record.ticks);
        match record.event() {
            Event::MpiSend(event) => {
                self.mpi_send(t, &event);
            }
            Event::MpiReceive(event) => {
                self.mpi_receive(t, &event);
            }
            Event::MpiCollective(event) => {
                self.mpi_collective(t, &event);
            }
            Event::MpiAccess(event) => {
                self.mpi_access(t, &event);
            }
            Event::MpiRequest(event) => {
                self.mpi_request(t, &event);
            }
            Event::MpiEnter(event) => {
                self.begin_call(t, (at, record.ticks), &event);
                self.start_requests(t, (at, record.ticks));
                self.thread(t).given.clear();
            }
            Event::MpiPost(event) => {
                self.make_request(t, at, &event);
            }
            // No other records are kept for it.
            _ => {}
        }
    }
}

impl Call {
    /// The event of what it posts, if that is known.
    fn posted(&self) -> Option<MpiEvent> {
        match self.transfer? {
            Transfer::Send(..) => Some(MpiEvent::Sent(self.message()?, Some(self.id))),
            Transfer::Receive(peer, ..) => {
                let is_known = self.communicator.is_some() && peer as u32 != rank::NONE;
                is_known.then_some(MpiEvent::ReceivePosted(self.id))
            }
            Transfer::Collective(..) => {
                Some(MpiEvent::CollectivePosted(self.collective()?, self.id))
            }
            Transfer::Access(..) | Transfer::Polls(_) => None,
        }
    }

    /// The end of what it has posted, but for a receive.
    fn complete(&self, request: Option<u64>) -> Option<MpiEvent> {
        match self.transfer? {
            Transfer::Send(..) => self.message().and(request.map(MpiEvent::SendComplete)),
            Transfer::Collective(..) => {
                Some(MpiEvent::CollectiveComplete(self.collective()?, request?))
            }
            Transfer::Receive(..) | Transfer::Access(..) | Transfer::Polls(_) => None,
        }
    }
}
