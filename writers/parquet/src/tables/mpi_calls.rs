//! Calls of MPI, one row each. The file is there where there are any.

use crate::Error;
use crate::bins::Bins;
use crate::column::{Column, Kind, Longs, Spec, Values, optional_ints, texts};
use crate::file::{Table, TableFile};
use crate::sink::SCHEMA;
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Definitions, Event, MpiEvent, NameRef, Slice, SliceKind, SourceRef,
};
use ompttrace_recording::PinnedFolder;

pub(crate) const TABLE: Table = Table {
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
    ],
    sorted_by: &[],
};

/// Rows of a row group.
const ROWS: usize = 1 << 16;

/// A call.
#[derive(Clone, Copy, Debug)]
struct Call {
    thread: u32,
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

/// The table as it grows.
pub(crate) struct MpiCalls {
    run: i64,
    bins: Bins,
    /// The number of each thread, by position.
    numbers: Vec<u32>,
    file: Option<TableFile>,
    /// The open call of each thread.
    open: Vec<Option<Call>>,
    rows: Vec<Call>,
}

impl MpiCalls {
    pub(crate) fn new(run: i64, bins: Bins, numbers: Vec<u32>) -> MpiCalls {
        let open = numbers.iter().map(|_| None).collect();
        MpiCalls { run, bins, numbers, file: None, open, rows: Vec::new() }
    }

    /// Takes an event of the timeline; the table is in this folder.
    #[inline]
    pub(crate) fn event(
        &mut self,
        folder: &PinnedFolder,
        definitions: &Definitions,
        at: u64,
        event: &Event<'_>,
    ) -> Result<(), Error> {
        match *event {
            Event::Begin(executor, ref slice) if is_mpi(slice.kind) => {
                self.begins(executor.thread, at, slice)
            }
            Event::End(executor, kind, _) if is_mpi(kind) => {
                return self.ends((folder, definitions), executor.thread, at);
            }
            Event::Mpi(executor, ref event) => self.transfers(executor.thread, event),
            _ => {}
        }
        Ok(())
    }

    fn begins(&mut self, thread: u32, begin: u64, slice: &Slice<'_>) {
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
        let call = Call {
            thread,
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
    }

    fn transfers(&mut self, thread: u32, event: &MpiEvent) {
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
            _ => {}
        }
    }

    fn ends(
        &mut self,
        to: (&PinnedFolder, &Definitions),
        thread: u32,
        at: u64,
    ) -> Result<(), Error> {
        let open = self.open.get_mut(thread as usize).and_then(Option::take);
        self.rows.extend(open.map(|call| Call { end: at, ..call }));
        if self.rows.len() < ROWS { Ok(()) } else { self.put(to) }
    }

    fn put(&mut self, (folder, definitions): (&PinnedFolder, &Definitions)) -> Result<(), Error> {
        let rows = std::mem::take(&mut self.rows);
        let columns = self.columns(definitions, &rows);
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(TableFile::create(folder, &TABLE, SCHEMA, 0)?),
        };
        file.put(columns)
    }

    fn columns(&self, definitions: &Definitions, rows: &[Call]) -> Vec<Column> {
        let text = |name: NameRef| definitions.strings().get(name as usize).map(AsRef::as_ref);
        let locations: Vec<_> = rows.iter().map(|row| location(definitions, row.source)).collect();
        let number =
            |row: &Call| self.numbers.get(row.thread as usize).copied().unwrap_or_default();
        let long = |value: fn(&Call) -> Option<u64>| {
            let mut column = Longs::default();
            rows.iter().for_each(|row| column.push(value(row).map(super::long)));
            column.column()
        };
        let times = |value: fn(&Bins, &Call) -> i64| {
            Column::of(Values::Long(rows.iter().map(|row| value(&self.bins, row)).collect()))
        };
        vec![
            Column::of(Values::Same(self.run, rows.len())),
            Column::of(Values::Int(rows.iter().map(|row| number(row) as i32).collect())),
            times(|bins, row| bins.time_of_day(row.begin)),
            times(|_, row| super::long(row.end.saturating_sub(row.begin))),
            texts(rows.iter().map(|row| text(row.name)), false),
            Column::of(Values::Long(rows.iter().map(|row| super::long(row.calls)).collect())),
            texts(rows.iter().map(|row| row.communicator.and_then(text)), true),
            texts(locations.iter().map(Option::as_deref), true),
            optional_ints(rows.iter().map(|row| row.peer)),
            optional_ints(rows.iter().map(|row| row.tag)),
            optional_ints(rows.iter().map(|row| row.root)),
            long(|row| row.sent),
            long(|row| row.received),
        ]
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self, to: (&PinnedFolder, &Definitions)) -> Result<(), Error> {
        if !self.rows.is_empty() {
            self.put(to)?;
        }
        self.file.map_or(Ok(()), TableFile::finish)
    }
}

fn is_mpi(kind: SliceKind) -> bool {
    matches!(kind, SliceKind::Mpi(_))
}

/// A rank or tag; none where the function takes any, or the rank is in another group.
fn rank(args: &[Arg], key: ArgKey) -> Option<i32> {
    let value = args.iter().find(|arg| arg.key == key)?.value;
    match value {
        ArgValue::Signed(value) => i32::try_from(value).ok(),
        _ => None,
    }
}

/// Location of a call: its line, as in `stencil.c:47`, or the module and the offset in it if no line is known.
fn location(definitions: &Definitions, source: SourceRef) -> Option<String> {
    let location = definitions.source_locations().get(source.checked_sub(1)? as usize)?;
    location.program_line().or_else(|| location.module.clone())
}
