//! The calls of one process in the order of time, and the number of each message and collective operation.

use super::communicators::{Communicators, Named};
use super::operations::{Part, part};
use super::{End, Matching, MessageCounts, Operation, Which, collective, message};
use crate::hash::FastMap;
use crate::state::requests::{Given, Request, Requests, Transfer, at_index, frees, starts};
use ompttrace_model::ompt::Command;
use ompttrace_recording::events::{
    Control, Event, MpiCollective, MpiDone, MpiEnter, MpiPost, MpiReceive, MpiRequest, MpiSend,
    Record,
};
use ompttrace_recording::mpi::{self, CANCELLED, PERSISTENT, rank};
use ompttrace_recording::words::KIND_MASK;

/// A call, or the call that has made a request.
#[derive(Clone, Copy, Debug, Default)]
struct Call {
    function: u64,
    /// Time at which the call began, in ticks of the recording's clock.
    enter: u64,
    transfer: Option<Transfer>,
    communicator: Option<Named>,
    /// True if the function has no communicator, as MPI_Mrecv: then it is not known which messages it receives.
    has_none: bool,
    /// Position of its receive in the order in which receives are posted.
    posted: u64,
    /// The number of the collective operation that it is, and this rank's part in it.
    operation: Option<(u64, Part)>,
}

/// The calls of a thread.
#[derive(Debug, Default)]
struct Thread {
    next: Option<Transfer>,
    call: Call,
    given: Vec<Given<Call>>,
    ends: Vec<End>,
}

/// A message that was received: its communicator, source, tag and place in the order of receives, and its event.
type Receive = ((u64, u32, u32), u64, (u32, u64, Which), u32);

/// See the file's text.
pub(super) struct Follower {
    threads: Vec<Thread>,
    communicators: Communicators,
    requests: Requests<Call>,
    /// Receives so far.
    posted: u64,
    /// The place of the last start of each persistent receive, by its handle.
    started: FastMap<u64, u64>,
    /// Messages so far: by communicator, destination and tag.
    sends: FastMap<(u64, u32, u32), u64>,
    /// Collective operations so far, by communicator.
    collectives: FastMap<u64, u64>,
    receives: Vec<Receive>,
    arrivals: Vec<(u64, u64)>,
    operations: Vec<Operation>,
    counts: MessageCounts,
    /// True once something was not recorded.
    has_gap: bool,
    /// True once a message was received of which it is not known which one it is: the order of later ones is not known, either.
    lacks_order: bool,
    /// Receives that are open when something is not recorded, or at the end: a later one that could match the same message, and is
    /// complete, comes after a message that is not known.
    open: Vec<Open>,
}

/// Open receives that are looked at one by one.
const MOST_OPEN: usize = 64;

/// An open receive: its communicator, source, tag, which may be any, and position.
type Open = (u64, u64, u64, u64);

impl Follower {
    pub(super) fn new((threads, job): (usize, u64), has_gap: bool) -> Follower {
        Follower {
            threads: (0..threads).map(|_| Thread::default()).collect(),
            communicators: Communicators::of_job(job),
            requests: Requests::default(),
            posted: 0,
            started: FastMap::default(),
            sends: FastMap::default(),
            collectives: FastMap::default(),
            receives: Vec::new(),
            arrivals: Vec::new(),
            operations: Vec::new(),
            counts: MessageCounts::default(),
            has_gap,
            lacks_order: false,
            open: Vec::new(),
        }
    }

    /// Takes the next record of the thread at a position.
    pub(super) fn record(&mut self, t: u32, record: &Record<'_>) {
        match record.event() {
            Event::MpiEnter(event) => self.enter(t, record.ticks, &event),
            Event::MpiLeft(_) | Event::MpiLeave(_) => self.leave(t, record.ticks),
            Event::MpiSend(MpiSend { peer, tag, bytes }) => {
                self.next(t, Some(Transfer::Send(peer, tag, bytes)));
            }
            Event::MpiReceive(MpiReceive { peer, tag, bytes }) => {
                self.next(t, Some(Transfer::Receive(peer, tag, bytes)));
            }
            Event::MpiCollective(MpiCollective { root, given, taken, .. }) => {
                self.next(t, Some(Transfer::Collective(root, given, taken)));
            }
            Event::MpiAccess(_) | Event::MpiPolls(_) => self.next(t, None),
            Event::MpiRequest(MpiRequest { request, index }) => {
                let given = self.requests.given(request, index);
                self.thread(t).given.extend(given);
            }
            Event::MpiPost(event) => self.post(t, record.ticks, &event),
            Event::MpiDone(event) => self.done(t, record.ticks, &event),
            Event::MpiReceived(event) => {
                let call = self.thread(t).call;
                let event = (event.peer as u32, event.tag as u32);
                self.received(&call, event, call.posted, (t, record.ticks, Which::Received));
            }
            Event::MpiWorld(event) => self.communicators.world(&event),
            Event::MpiMembers(event) => self.communicators.members(t, &event),
            Event::MpiCommunicator(event) => {
                let name = name(self.thread(t).call.function);
                self.communicators.made(t, name, &event);
            }
            Event::Lost(_) => self.gap(),
            Event::Control(Control { command, .. }) if Command::from(command) == Command::Pause => {
                self.gap();
            }
            _ => {}
        }
    }

    /// Something is not recorded from now on.
    fn gap(&mut self) {
        if !self.has_gap {
            self.note_open();
        }
        self.has_gap = true;
    }

    /// Notes the receives that are open.
    fn note_open(&mut self) {
        let given = self.threads.iter().flat_map(|thread| &thread.given);
        let given = given.filter(|one| !one.is_done).map(|one| (one.handle, one.request));
        let all = self.requests.all().map(|(handle, request)| (handle, *request)).chain(given);
        let open = all.filter_map(|(handle, request)| {
            let Transfer::Receive(peer, tag, _) = request.by.transfer? else { return None };
            let posted = match request.persistent {
                true => *self.started.get(&handle)?,
                false => request.by.posted,
            };
            let is_of_nobody = peer as u32 == rank::NONE;
            Some((request.by.communicator?.incoming, peer, tag, posted)).filter(|_| !is_of_nobody)
        });
        self.open = open.collect();
        if self.open.len() > MOST_OPEN {
            // The first of each communicator stands for all, as one of any message.
            let any = u64::from(rank::ANY);
            self.open.iter_mut().for_each(|(_, peer, tag, _)| (*peer, *tag) = (any, any));
            self.open.sort_unstable();
            self.open.dedup_by_key(|(communicator, ..)| *communicator);
        }
    }

    #[allow(clippy::indexing_slicing, reason = "there is one for each stream that is read")]
    fn thread(&mut self, t: u32) -> &mut Thread {
        &mut self.threads[t as usize]
    }

    fn next(&mut self, t: u32, transfer: Option<Transfer>) {
        self.thread(t).next = transfer;
    }

    fn enter(&mut self, t: u32, ticks: u64, event: &MpiEnter) {
        let called = event.kind & KIND_MASK;
        self.communicators.called(name(called), event.communicator);
        let communicator = self.communicators.named(event.communicator);
        self.posted += 1;
        let posted = self.posted;
        let thread = self.thread(t);
        let transfer = thread.next.take();
        let has_none = event.communicator == 0;
        let (function, enter, operation) = (called, ticks, None);
        let call = Call { function, enter, transfer, communicator, has_none, posted, operation };
        thread.call = call;
        // A message is taken from the order here, and which one is not known.
        self.lacks_order |= matches!(name(called), "MPI_Mprobe" | "MPI_Improbe");
        if !mpi::function(called).is_some_and(|function| function.posts) {
            self.thread(t).call.operation = self.transfer(t, &call, (ticks, Which::Call));
        }
        if starts(called) {
            self.start(t, ticks);
        }
    }

    /// The requests that the call was given are started.
    fn start(&mut self, t: u32, ticks: u64) {
        let given = std::mem::take(&mut self.thread(t).given);
        for one in given.iter().filter(|one| one.request.persistent) {
            self.posted += 1;
            self.started.insert(one.handle, self.posted);
            self.transfer(t, &one.request.by, (ticks, Which::Started(one.index)));
        }
        self.thread(t).given = given;
    }

    fn post(&mut self, t: u32, ticks: u64, event: &MpiPost) {
        let mut by = self.thread(t).call;
        let persistent = event.kind & PERSISTENT != 0;
        // What it receives is not recorded.
        self.lacks_order |= name(by.function).starts_with("MPI_Isendrecv");
        if !persistent {
            by.operation = self.transfer(t, &by, (by.enter, Which::Call));
        }
        self.requests.made(event.request, Request { made: (ticks, t), persistent, by });
    }

    /// Numbers what a call sends, or the collective operation that it is, which is returned.
    fn transfer(
        &mut self,
        t: u32,
        call: &Call,
        (ticks, which): (u64, Which),
    ) -> Option<(u64, Part)> {
        let mut operation = None;
        let id = match call.transfer {
            Some(Transfer::Send(peer, tag, _)) if is_rank(peer) => {
                self.send(call.communicator, peer as u32, tag as u32)
            }
            Some(Transfer::Collective(root, ..)) => {
                let id = self.collective(call.communicator, ticks);
                let part = part(name(call.function), root as u32, call.communicator);
                operation = id.map(|id| (id, part));
                id
            }
            _ => None,
        };
        if let Some(id) = id {
            self.thread(t).ends.push(End { ticks, which, id });
        }
        if let Some((id, _)) = operation.filter(|(_, part)| part.gives) {
            self.operations.push(Operation { id, ticks, is_end: false });
        }
        operation
    }

    /// A rank goes on after a collective operation.
    fn goes_on(&mut self, ticks: u64, operation: Option<(u64, Part)>) {
        if let Some((id, _)) = operation.filter(|(_, part)| part.waits) {
            self.operations.push(Operation { id, ticks, is_end: true });
        }
    }

    fn send(&mut self, communicator: Option<Named>, peer: u32, tag: u32) -> Option<u64> {
        let Some(Named { outgoing: id, rank, .. }) = self.certain(communicator) else {
            self.counts.unknown_communicator += u64::from(!self.has_gap);
            return None;
        };
        let k = self.sends.entry((id, peer, tag)).or_default();
        let number = message(id, (rank, peer), tag, *k);
        *k += 1;
        self.counts.sent += 1;
        Some(number)
    }

    fn collective(&mut self, communicator: Option<Named>, ticks: u64) -> Option<u64> {
        let Named { id, .. } = communicator.filter(|_| !self.has_gap)?;
        let k = self.collectives.entry(id).or_default();
        let number = collective(id, *k);
        *k += 1;
        self.arrivals.push((number, ticks));
        self.counts.collectives += 1;
        Some(number)
    }

    /// The communicator of a message, while all was recorded.
    fn certain(&mut self, communicator: Option<Named>) -> Option<Named> {
        self.counts.after_gap += u64::from(self.has_gap);
        communicator.filter(|_| !self.has_gap)
    }

    fn done(&mut self, t: u32, ticks: u64, event: &MpiDone) {
        let Some(found) = at_index(&mut self.thread(t).given, event.index) else { return };
        found.is_done = true;
        let (request, handle) = (found.request, found.handle);
        self.goes_on(ticks, request.by.operation);
        if event.flags & CANCELLED != 0
            || !matches!(request.by.transfer, Some(Transfer::Receive(..)))
        {
            return;
        }
        let last_start = if request.persistent { self.started.remove(&handle) } else { None };
        let posted = last_start.unwrap_or(request.by.posted);
        let what = (event.peer as u32, event.tag as u32);
        self.received(&request.by, what, posted, (t, ticks, Which::Done(event.index)));
    }

    fn received(
        &mut self,
        by: &Call,
        (peer, tag): (u32, u32),
        posted: u64,
        event: (u32, u64, Which),
    ) {
        if !is_rank(peer.into()) {
            return;
        }
        self.lacks_order |= by.has_none;
        if self.lacks_order && !self.has_gap {
            self.counts.unknown_order += 1;
            return;
        }
        match self.certain(by.communicator) {
            Some(Named { incoming: id, rank, .. }) => {
                self.receives.push(((id, peer, tag), posted, event, rank));
            }
            None => self.counts.unknown_communicator += u64::from(!self.has_gap),
        }
    }

    fn leave(&mut self, t: u32, ticks: u64) {
        let operation = self.thread(t).call.operation.take();
        self.goes_on(ticks, operation);
        let thread = self.thread(t);
        let frees = frees(thread.call.function);
        let mut given = std::mem::take(&mut thread.given);
        given.iter().for_each(|given| match frees {
            true => self.requests.freed(given),
            false => self.requests.given_back(given),
        });
        given.clear();
        self.thread(t).given = given;
    }

    /// Numbers the receives, which could not be as long as an earlier one was open.
    pub(super) fn finish(mut self) -> Matching {
        if !self.has_gap {
            self.note_open();
        }
        let mut receives = std::mem::take(&mut self.receives);
        let before = receives.len();
        receives.retain(|(kind, posted, ..)| {
            !self.open.iter().any(|open| may_precede(open, *kind, *posted))
        });
        self.counts.after_gap += (before - receives.len()) as u64;
        receives.sort_unstable();
        self.counts.received = receives.len() as u64;
        let (mut last, mut k) = (None, 0);
        for ((communicator, source, tag), _, (t, ticks, which), rank) in receives {
            let kind = Some((communicator, source, tag));
            k = if last == kind { k + 1 } else { 0 };
            last = kind;
            let id = message(communicator, (source, rank), tag, k);
            self.thread(t).ends.push(End { ticks, which, id });
        }
        let Follower { threads, arrivals, operations, counts, .. } = self;
        let rank = self.communicators.rank();
        let mut ends: Vec<_> = threads.into_iter().map(|thread| thread.ends).collect();
        ends.iter_mut().for_each(|ends| ends.sort_by_key(|end| (end.ticks, end.which)));
        Matching { ends, arrivals, operations, rank, counts }
    }
}

/// True if an open receive was posted before one of this kind, and its message may have been one of the same kind.
fn may_precede(
    &(communicator, peer, wanted, before): &Open,
    (of, source, tag): (u64, u32, u32),
    posted: u64,
) -> bool {
    let is_peer = !is_rank(peer) || peer as u32 == source;
    // A tag that is no tag is any.
    let is_tag = (wanted as u32 as i32) < 0 || wanted as u32 == tag;
    communicator == of && is_peer && is_tag && before < posted
}

/// True for a rank, and not for none or any.
fn is_rank(peer: u64) -> bool {
    peer as u32 as i32 >= 0
}

fn name(called: u64) -> &'static str {
    mpi::function(called).map_or("", |function| function.name)
}
