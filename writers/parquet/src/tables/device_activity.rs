//! Activities of devices, one row for each kernel, copy, memset, event of unified memory, and wait of a stream. The file is there where
//! there are any.

use super::operations::{Cause, Operations};
use super::{location, long};
use crate::Error;
use crate::bins::Bins;
use crate::column::{Column, Kind, Longs, Spec, Values, optional_ints, texts};
use crate::file::{OptionalFile, Table};
use ompttrace_model::{
    ArgKey, ArgValue, Definitions, DeviceStream, Event, NameRef, OnDevice, RunInfo, Slice,
    SliceKind, ThreadInfo,
};
use ompttrace_recording::PinnedFolder;

pub(crate) const TABLE: Table = Table {
    name: "device_activity",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("thread", Kind::Int),
        Spec::of("device", Kind::Int),
        Spec::of("context", Kind::Int),
        Spec::of("stream", Kind::Int),
        Spec::near("ts_ns"),
        Spec::near("dur_ns"),
        Spec::of("kind", Kind::Text),
        Spec::of("name", Kind::Text),
        Spec::optional("bytes", Kind::Long),
        Spec::optional("correlation", Kind::Long),
        Spec::optional("host_op", Kind::Long),
        Spec::optional("host_thread", Kind::Int),
        Spec::optional("construct", Kind::Text),
        Spec::optional("location", Kind::Text),
        Spec::optional("count", Kind::Long),
        Spec::optional("address", Kind::Long),
    ],
    sorted_by: &[],
};

/// Rows of a row group.
const ROWS: usize = 1 << 16;

/// An activity.
#[derive(Clone, Copy, Debug)]
struct Activity {
    thread: u32,
    stream: DeviceStream,
    begin: u64,
    end: u64,
    kind: OnDevice,
    name: NameRef,
    bytes: Option<u64>,
    correlation: Option<u64>,
    host_op: Option<u64>,
    cause: Option<Cause>,
    /// Groups of page faults, or records that this one is the sum of.
    count: Option<u64>,
    address: Option<u64>,
}

/// A thread of the timeline that is a stream.
#[derive(Clone, Copy, Debug)]
struct Stream {
    number: u32,
    stream: DeviceStream,
    open: Option<Activity>,
}

/// The table as it grows.
pub(crate) struct DeviceActivity {
    run: i64,
    bins: Bins,
    /// The number of each thread, by position.
    numbers: Vec<u32>,
    streams: Vec<Option<Stream>>,
    operations: Operations,
    file: OptionalFile,
    rows: Vec<Activity>,
}

impl DeviceActivity {
    /// The table of a run; `None`: it has no streams of devices.
    pub(crate) fn of(number: i64, bins: Bins, run: &RunInfo<'_>) -> Option<DeviceActivity> {
        let stream = |info: &ThreadInfo| {
            info.stream.map(|stream| Stream { number: info.number, stream, open: None })
        };
        let streams: Vec<_> = run.threads.iter().map(stream).collect();
        streams.iter().any(Option::is_some).then(|| DeviceActivity {
            run: number,
            bins,
            numbers: run.threads.iter().map(|thread| thread.number).collect(),
            streams,
            operations: Operations::default(),
            file: OptionalFile::new(TABLE),
            rows: Vec::new(),
        })
    }

    /// Takes an event of the timeline; the table is in this folder.
    pub(crate) fn event(
        &mut self,
        to: (&PinnedFolder, &Definitions),
        at: u64,
        event: &Event<'_>,
    ) -> Result<(), Error> {
        match *event {
            Event::Begin(executor, ref slice) => match slice.kind {
                SliceKind::Device(kind) => self.begins(executor.thread, at, kind, slice),
                _ => self.operations.begins(executor.thread, slice),
            },
            Event::End(executor, SliceKind::Device(_), _) => {
                return self.ends(to, executor.thread, at);
            }
            Event::End(executor, kind, _) => self.operations.ends(executor.thread, kind),
            _ => {}
        }
        Ok(())
    }

    fn begins(&mut self, thread: u32, begin: u64, kind: OnDevice, slice: &Slice<'_>) {
        let [bytes, correlation, host_op] =
            [ArgKey::Bytes, ArgKey::Correlation, ArgKey::HostOp].map(|key| slice.number(key));
        let cause = self.operations.cause(slice);
        let groups = slice.number(ArgKey::Groups);
        let count = groups.or_else(|| slice.number(ArgKey::Count));
        let address = slice.args.iter().find(|arg| arg.key == ArgKey::Address);
        let address = address.and_then(|arg| match arg.value {
            ArgValue::Address(address) => Some(address),
            _ => None,
        });
        let Some(on) = self.streams.get_mut(thread as usize).and_then(Option::as_mut) else {
            return;
        };
        on.open = Some(Activity {
            thread: on.number,
            stream: on.stream,
            begin,
            end: begin,
            kind,
            name: slice.name,
            bytes,
            correlation,
            host_op,
            cause,
            count: count.or(kind.is_unified().then_some(1)),
            address,
        });
    }

    fn ends(
        &mut self,
        to: (&PinnedFolder, &Definitions),
        thread: u32,
        at: u64,
    ) -> Result<(), Error> {
        let on = self.streams.get_mut(thread as usize).and_then(Option::as_mut);
        let open = on.and_then(|stream| stream.open.take());
        self.rows.extend(open.map(|activity| Activity { end: at, ..activity }));
        if self.rows.len() < ROWS { Ok(()) } else { self.put(to) }
    }

    fn put(&mut self, (folder, definitions): (&PinnedFolder, &Definitions)) -> Result<(), Error> {
        let rows = std::mem::take(&mut self.rows);
        let columns = self.columns(definitions, &rows);
        self.file.put(folder, columns)
    }

    fn columns(&self, definitions: &Definitions, rows: &[Activity]) -> Vec<Column> {
        let text = |name: NameRef| definitions.strings().get(name as usize).map(AsRef::as_ref);
        let causes = || rows.iter().map(|row| row.cause);
        let locations: Vec<_> = causes()
            .map(|cause| cause.and_then(|cause| location(definitions, cause.source)))
            .collect();
        let number = |thread: u32| self.numbers.get(thread as usize).map(|number| *number as i32);
        let int = |value: fn(&Activity) -> u32| {
            Column::of(Values::Int(rows.iter().map(|row| super::int(value(row))).collect()))
        };
        let longs = |value: fn(&Activity) -> Option<u64>| {
            let mut column = Longs::default();
            rows.iter().for_each(|row| column.push(value(row).map(long)));
            column.column()
        };
        let times = |value: fn(&Bins, &Activity) -> i64| {
            Column::of(Values::Long(rows.iter().map(|row| value(&self.bins, row)).collect()))
        };
        vec![
            Column::of(Values::Same(self.run, rows.len())),
            int(|row| row.thread),
            int(|row| row.stream.device),
            int(|row| row.stream.context),
            int(|row| row.stream.stream),
            times(|bins, row| bins.time_of_day(row.begin)),
            times(|_, row| long(row.end.saturating_sub(row.begin))),
            texts(rows.iter().map(|row| Some(kind(row.kind))), false),
            texts(rows.iter().map(|row| text(row.name)), false),
            longs(|row| row.bytes),
            longs(|row| row.correlation),
            longs(|row| row.host_op),
            optional_ints(causes().map(|cause| cause.and_then(|cause| number(cause.thread)))),
            texts(causes().map(|cause| cause.and_then(|cause| text(cause.construct?))), true),
            texts(locations.iter().map(Option::as_deref), true),
            longs(|row| row.count),
            longs(|row| row.address),
        ]
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self, to: (&PinnedFolder, &Definitions)) -> Result<(), Error> {
        if !self.rows.is_empty() {
            self.put(to)?;
        }
        self.file.finish()
    }
}

fn kind(activity: OnDevice) -> &'static str {
    match activity {
        OnDevice::Kernel => "kernel",
        OnDevice::CopyToDevice | OnDevice::CopyFromDevice | OnDevice::Copy => "copy",
        OnDevice::Set => "memset",
        OnDevice::Region => "target",
        OnDevice::MigrateToDevice | OnDevice::MigrateFromDevice | OnDevice::Migrate => "migration",
        OnDevice::Fault => "page fault",
        OnDevice::HostFault => "host page fault",
        OnDevice::Thrashing => "thrashing",
        OnDevice::Throttling => "throttling",
        OnDevice::RemoteMap => "remote map",
        OnDevice::WaitEvent => "wait",
        OnDevice::Other => "other",
    }
}
