//! Calls of MPI, one row each.

use super::columns::{Columns, optional_longs};
use crate::column::{Column, Kind, Spec, longs, optional_ints};
use crate::file::Table;
use ompttrace_model::{Arg, ArgKey, ArgValue, MpiEvent, NameRef, Slice, SourceRef};

pub(super) const TABLE: Table = Table {
    name: "mpi_calls",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("thread", Kind::Int),
        Spec::near("ts_ns"),
        Spec::near("dur_ns"),
        Spec::of("function", Kind::Text),
        Spec::of("calls", Kind::Long),
        Spec::optional("communicator", Kind::Text),
        Spec::optional("location", Kind::Text),
        Spec::optional("peer", Kind::Int),
        Spec::optional("tag", Kind::Int),
        Spec::optional("root", Kind::Int),
        Spec::optional("sent_bytes", Kind::Long),
        Spec::optional("received_bytes", Kind::Long),
        Spec::of("call", Kind::Long),
    ],
    sorted_by: &[],
};

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    thread: u32,
    /// Its number: those of a run count from 0, in the order of their begins.
    number: u64,
    begin: u64,
    end: u64,
    name: NameRef,
    /// The number of calls: more than 1 for a run of polls.
    calls: u64,
    source: SourceRef,
    communicator: Option<NameRef>,
    peer: Option<i32>,
    tag: Option<i32>,
    root: Option<i32>,
    sent: Option<u64>,
    received: Option<u64>,
}

/// The calls of a run.
#[derive(Debug)]
pub(super) struct Calls {
    /// The open call of each thread.
    open: Vec<Option<Call>>,
    /// The number of the last call of each thread, and of the next one of all.
    last: Vec<u64>,
    next: u64,
    /// Calls that are over.
    pub rows: Vec<Call>,
}

impl Calls {
    /// For this many threads.
    pub(super) fn new(threads: usize) -> Calls {
        Calls { open: vec![None; threads], last: vec![0; threads], next: 0, rows: Vec::new() }
    }

    /// A call begins, or goes on; returns its number.
    pub(super) fn begins(&mut self, thread: u32, begin: u64, slice: &Slice<'_>) -> u64 {
        let args = slice.args;
        let communicator = args.iter().find_map(|arg| match (arg.key, arg.value) {
            (ArgKey::Communicator, ArgValue::Text(name)) => Some(name),
            _ => None,
        });
        let [peer, tag, root] =
            [ArgKey::Peer, ArgKey::Tag, ArgKey::Root].map(|key| rank(args, key));
        let (name, source, end) = (slice.name, slice.source, begin);
        let (sent, received) = (None, None);
        let count = args.iter().find(|arg| arg.key == ArgKey::Count).map(|count| count.value);
        let calls = match count {
            // A further part of a call that was interrupted.
            _ if slice.resumed => 0,
            Some(ArgValue::Number(count)) => count,
            _ => 1,
        };
        let number = self.number(thread, slice.resumed);
        let call = Call {
            thread,
            number,
            begin,
            end,
            name,
            calls,
            source,
            communicator,
            peer,
            tag,
            root,
            sent,
            received,
        };
        if let Some(open) = self.open.get_mut(thread as usize) {
            *open = Some(call);
        }
        number
    }

    /// The number of the next call of a thread, or of the one that goes on.
    fn number(&mut self, thread: u32, resumed: bool) -> u64 {
        let Some(last) = self.last.get_mut(thread as usize) else { return self.next };
        if !resumed {
            *last = self.next;
            self.next += 1;
        }
        *last
    }

    /// A call transfers something.
    pub(super) fn transfers(&mut self, thread: u32, event: &MpiEvent) {
        let Some(call) = self.open.get_mut(thread as usize).and_then(Option::as_mut) else {
            return;
        };
        let add = |sum: &mut Option<u64>, bytes| {
            *sum = Some(sum.unwrap_or_default().saturating_add(bytes));
        };
        match event {
            MpiEvent::Sent(message, _) => add(&mut call.sent, message.bytes),
            MpiEvent::Received(message, _) => add(&mut call.received, message.bytes),
            MpiEvent::Collective(operation) | MpiEvent::CollectivePosted(operation, _) => {
                add(&mut call.sent, operation.sent);
                add(&mut call.received, operation.received);
            }
            MpiEvent::Accessed(access) | MpiEvent::AccessPosted(access) => {
                let (given, taken) = access.given_and_taken();
                add(&mut call.sent, given);
                add(&mut call.received, taken);
            }
            _ => {}
        }
    }

    /// The open call of a thread ends.
    pub(super) fn ends(&mut self, thread: u32, at: u64) {
        let open = self.open.get_mut(thread as usize).and_then(Option::take);
        self.rows.extend(open.map(|call| Call { end: at, ..call }));
    }
}

pub(super) fn columns(mut of: Columns<'_>, rows: &[Call]) -> Vec<Column> {
    let long = super::super::long;
    vec![
        of.run(rows.len()),
        of.threads(rows.iter().map(|row| row.thread)),
        of.times_of_day(rows.iter().map(|row| row.begin)),
        longs(rows.iter().map(|row| long(row.end.saturating_sub(row.begin)))),
        of.names(rows.iter().map(|row| Some(row.name)), false),
        longs(rows.iter().map(|row| long(row.calls))),
        of.names(rows.iter().map(|row| row.communicator), true),
        of.locations(rows.iter().map(|row| Some(row.source))),
        optional_ints(rows.iter().map(|row| row.peer)),
        optional_ints(rows.iter().map(|row| row.tag)),
        optional_ints(rows.iter().map(|row| row.root)),
        optional_longs(rows.iter().map(|row| row.sent)),
        optional_longs(rows.iter().map(|row| row.received)),
        longs(rows.iter().map(|row| long(row.number))),
    ]
}

/// A rank or tag; none where the function takes any, or the rank is in another group.
fn rank(args: &[Arg], key: ArgKey) -> Option<i32> {
    let value = args.iter().find(|arg| arg.key == key)?.value;
    match value {
        ArgValue::Signed(value) => i32::try_from(value).ok(),
        _ => None,
    }
}
