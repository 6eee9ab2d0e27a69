//! Records of MPI.

use ompttrace_model::{Collective, Message, MpiEvent};

use super::encode::{Encoder, code};
use super::record::Record;
use crate::batch::MpiRecord;
use crate::ids::CommId;
use crate::tables::collectives::{collective_op, collective_root};

impl Encoder {
    /// Writes a record of MPI; `comm`: the archive's number of a communicator.
    pub(super) fn mpi(&mut self, at: u64, record: &MpiRecord, comm: impl Fn(u32) -> CommId) {
        let event = match record {
            MpiRecord::Event(event) => event,
            // Written where what is open is known: `accesses.rs`.
            MpiRecord::ObjectCallEnd(_) => return,
            MpiRecord::CollectiveEnd(collective) => {
                return self.event(at, code::MPI_COLLECTIVE_END, |record| {
                    write_collective(record, collective, &comm);
                });
            }
        };
        match event {
            MpiEvent::Sent(message, request) => {
                let codes = (code::MPI_SEND, code::MPI_ISEND);
                self.message(at, codes, (message, *request), &comm);
            }
            MpiEvent::Received(message, request) => {
                let codes = (code::MPI_RECV, code::MPI_IRECV);
                self.message(at, codes, (message, *request), &comm);
            }
            MpiEvent::SendComplete(request) => self.request(at, code::MPI_ISEND_COMPLETE, *request),
            MpiEvent::ReceivePosted(request) => self.request(at, code::MPI_IRECV_REQUEST, *request),
            MpiEvent::Tested(request) => self.request(at, code::MPI_REQUEST_TEST, *request),
            MpiEvent::Cancelled(request) => self.request(at, code::MPI_REQUEST_CANCELLED, *request),
            // No record: it is left out before.
            MpiEvent::Freed(_) => {}
            MpiEvent::ObjectMade(..)
            | MpiEvent::Accessed(_)
            | MpiEvent::AccessPosted(_)
            | MpiEvent::AccessComplete(_)
            | MpiEvent::AccessTested(_)
            | MpiEvent::AccessCancelled(_)
            | MpiEvent::ObjectCall(_) => {}
            MpiEvent::Collective(_) => self.event(at, code::MPI_COLLECTIVE_BEGIN, |_| {}),
            MpiEvent::CollectivePosted(_, request) => {
                self.event(at, code::NON_BLOCKING_COLLECTIVE_REQUEST, |record| {
                    record.long(*request);
                });
            }
            MpiEvent::CollectiveComplete(collective, request) => {
                self.event(at, code::NON_BLOCKING_COLLECTIVE_COMPLETE, |record| {
                    write_collective(record, collective, &comm);
                    record.long(*request);
                });
            }
        }
    }

    /// Writes a message: with a request as the second of the two types, without one as the first.
    fn message(
        &mut self,
        at: u64,
        (plain, with_request): (u8, u8),
        (message, request): (&Message, Option<u64>),
        comm: impl Fn(u32) -> CommId,
    ) {
        let code = if request.is_some() { with_request } else { plain };
        self.event(at, code, |record| {
            record.number(message.peer);
            record.number(comm(message.communicator));
            record.number(message.tag);
            record.long(message.bytes);
            if let Some(request) = request {
                record.long(request);
            }
        });
    }

    fn request(&mut self, at: u64, code: u8, request: u64) {
        self.number_event(at, code, request);
    }
}

fn write_collective(
    record: &mut Record<'_>,
    collective: &Collective,
    comm: impl Fn(u32) -> CommId,
) {
    let Collective { function, communicator, root, sent, received, .. } = *collective;
    record.byte(collective_op(function).unwrap_or_default());
    record.number(comm(communicator));
    record.number(collective_root(root));
    record.long(sent);
    record.long(received);
}
