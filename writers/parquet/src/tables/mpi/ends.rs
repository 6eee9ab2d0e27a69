//! Ends of messages and parts of collective operations: where a rank begins each, and in which call it is complete.

use ompttrace_model::{Collective, Message, MpiEvent, NameRef, Slice, SourceRef};
use std::collections::HashMap;

/// A call, as a row of an end has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub number: u64,
    pub begin: u64,
    pub end: u64,
    pub name: NameRef,
    pub source: SourceRef,
}

/// The side of a message that the rank is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Send,
    Receive,
}

/// One end of something that ranks do together.
#[derive(Clone, Copy, Debug)]
pub(super) struct End<T> {
    pub thread: u32,
    pub what: T,
    /// The call that begins it.
    pub begun: Call,
    /// The call in which it is complete, and its position among the events of this call; `None`: it never is.
    pub done: Option<(Call, u32)>,
}

/// Ends of messages.
pub(super) type Messages = Vec<End<(Side, Message)>>;
/// Parts of collective operations.
pub(super) type Operations = Vec<End<Collective>>;

/// The open call of a thread.
#[derive(Debug)]
struct Open {
    call: Call,
    events: u32,
    messages: Messages,
    operations: Operations,
}

/// All ends of a run.
#[derive(Debug)]
pub(super) struct Ends {
    open: Vec<Option<Open>>,
    /// Sends, receives and operations that were posted, by their requests.
    sends: HashMap<u64, End<(Side, Message)>>,
    receives: HashMap<u64, Call>,
    posted: HashMap<u64, End<Collective>>,
    /// Ends that are complete, or never will be.
    pub messages: Messages,
    pub operations: Operations,
}

impl Ends {
    /// For this many threads.
    pub(super) fn new(threads: usize) -> Ends {
        Ends {
            open: (0..threads).map(|_| None).collect(),
            sends: HashMap::new(),
            receives: HashMap::new(),
            posted: HashMap::new(),
            messages: Vec::new(),
            operations: Vec::new(),
        }
    }

    /// A call begins; without a number it goes on, and what is in this part of it is not known.
    pub(super) fn begins(&mut self, thread: u32, number: Option<u64>, at: u64, slice: &Slice<'_>) {
        let Some(open) = self.open.get_mut(thread as usize) else { return };
        let of =
            |number| Call { number, begin: at, end: at, name: slice.name, source: slice.source };
        let open_call = |call| Open {
            call,
            events: 0,
            messages: Messages::new(),
            operations: Operations::new(),
        };
        *open = number.map(of).map(open_call);
    }

    /// The open call of a thread ends.
    pub(super) fn ends(&mut self, thread: u32, at: u64) {
        let open = self.open.get_mut(thread as usize).and_then(Option::take);
        let Some(Open { call: Call { number, .. }, mut messages, mut operations, .. }) = open
        else {
            return;
        };
        messages.iter_mut().for_each(|row| close(&mut row.done, number, at));
        operations.iter_mut().for_each(|row| close(&mut row.done, number, at));
        self.messages.append(&mut messages);
        self.operations.append(&mut operations);
    }

    /// An event in the open call of a thread.
    pub(super) fn event(&mut self, thread: u32, event: &MpiEvent) {
        let Some(Some(open)) = self.open.get_mut(thread as usize) else { return };
        open.events += 1;
        let (call, done) = (open.call, Some((open.call, open.events)));
        let given_up = match *event {
            MpiEvent::Sent(message, request) => {
                let what = (Side::Send, message);
                let row = End { thread, what, begun: call, done: None };
                match request {
                    Some(request) => self.sends.insert(request, row),
                    None => {
                        open.messages.push(End { done, ..row });
                        None
                    }
                }
            }
            MpiEvent::SendComplete(request) => {
                let send = self.sends.remove(&request);
                open.messages.extend(send.map(|row| End { done, ..row }));
                None
            }
            MpiEvent::ReceivePosted(request) => {
                self.receives.insert(request, call);
                None
            }
            MpiEvent::Received(message, request) => {
                let posted = request.and_then(|request| self.receives.remove(&request));
                let (what, begun) = ((Side::Receive, message), posted.unwrap_or(call));
                open.messages.push(End { thread, what, begun, done });
                None
            }
            MpiEvent::Collective(what) => {
                open.operations.push(End { thread, what, begun: call, done });
                None
            }
            MpiEvent::CollectivePosted(what, request) => {
                let row = End { thread, what, begun: call, done: None };
                self.operations.extend(self.posted.insert(request, row));
                None
            }
            MpiEvent::CollectiveComplete(_, request) => {
                let row = self.posted.remove(&request);
                open.operations.extend(row.map(|row| End { done, ..row }));
                None
            }
            MpiEvent::Cancelled(request) | MpiEvent::Freed(request) => {
                self.receives.remove(&request);
                self.sends.remove(&request)
            }
            MpiEvent::Tested(_)
            | MpiEvent::ObjectMade(..)
            | MpiEvent::Accessed(_)
            | MpiEvent::AccessPosted(_)
            | MpiEvent::AccessComplete(_)
            | MpiEvent::AccessTested(_)
            | MpiEvent::AccessCancelled(_)
            | MpiEvent::ObjectCall(_) => None,
        };
        self.messages.extend(given_up);
    }

    /// The run ends, and with it calls that are open; what was posted is never complete.
    pub(super) fn finish(&mut self, at: u64) {
        (0..self.open.len() as u32).for_each(|thread| self.ends(thread, at));
        let mut sends: Vec<_> = self.sends.drain().map(|(_, row)| row).collect();
        sends.sort_by_key(|row| (row.begun.begin, row.begun.number));
        self.messages.append(&mut sends);
        let mut posted: Vec<_> = self.posted.drain().map(|(_, row)| row).collect();
        posted.sort_by_key(|row| (row.begun.begin, row.begun.number));
        self.operations.append(&mut posted);
    }
}

/// The end of a call, in a row that is complete in it.
fn close(done: &mut Option<(Call, u32)>, number: u64, at: u64) {
    if let Some((call, _)) = done
        && call.number == number
    {
        call.end = at.max(call.begin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_model::SliceKind;
    use ompttrace_recording::mpi::Group;

    fn message(id: u64) -> Message {
        Message { communicator: 0, peer: 1, tag: 7, bytes: 8, id }
    }

    /// Calls of one thread: their numbers, begins and ends, with the events in them.
    fn ends(calls: &[(u64, u64, u64, &[MpiEvent])]) -> Ends {
        let mut ends = Ends::new(1);
        let slice = Slice::new(SliceKind::Mpi(Group::PointToPoint), 0, 0);
        for (number, begin, end, events) in calls {
            ends.begins(0, Some(*number), *begin, &slice);
            events.iter().for_each(|event| ends.event(0, event));
            ends.ends(0, *end);
        }
        ends.finish(1000);
        ends
    }

    #[test]
    fn posted_messages_are_complete_in_the_call_that_waits() {
        let ends = ends(&[
            (0, 10, 12, &[MpiEvent::ReceivePosted(1)]),
            (1, 20, 22, &[MpiEvent::Sent(message(5), Some(2))]),
            (2, 30, 90, &[MpiEvent::SendComplete(2), MpiEvent::Received(message(6), Some(1))]),
        ]);
        let rows = ends.messages.iter().map(|row| {
            let (call, position) = row.done.expect("complete");
            (row.what.1.id, row.begun.begin, call.begin, call.end, position)
        });
        assert_eq!(rows.collect::<Vec<_>>(), [(5, 20, 30, 90, 1), (6, 10, 30, 90, 2)]);
    }

    #[test]
    fn sends_that_are_never_complete_are_sends() {
        let ends = ends(&[
            (0, 10, 12, &[MpiEvent::Sent(message(5), Some(2))]),
            (1, 20, 22, &[MpiEvent::Sent(message(6), Some(3))]),
            (2, 30, 32, &[MpiEvent::Cancelled(3)]),
        ]);
        let mut ids: Vec<_> = ends.messages.iter().map(|row| row.what.1.id).collect();
        ids.sort_unstable();
        assert!(ids == [5, 6] && ends.messages.iter().all(|row| row.done.is_none()));
    }
}
