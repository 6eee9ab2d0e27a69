//! Activities of devices: sums by device, kernel, direction of copies and migrations, and target construct. What it keeps grows with the number
//! of different ones, and up to limits with operations and copied pieces of memory.

mod busy;
mod operations;
mod report;

use crate::construct_table::ConstructRef;
use crate::sink::End;
use crate::state::State;
use busy::Busy;
use ompttrace_model::{
    ArgKey, DeviceStream, NameRef, OnDevice, Slice, SliceKind, ThreadInfo, ThreadRef,
};
use operations::{Operation, Operations};
pub(crate) use report::report;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Sums of activities of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: u64,
    time: u64,
    shortest: u64,
    longest: u64,
    bytes: u64,
}

impl Sums {
    /// Adds the time of an activity within the window, and what is counted where it ends there.
    fn add(&mut self, time: u64, bytes: u64, counts: bool) {
        self.add_several(time, bytes, u64::from(counts));
    }

    /// As [`Sums::add`], of an activity that stands for several.
    fn add_several(&mut self, time: u64, bytes: u64, count: u64) {
        self.time = self.time.saturating_add(time);
        if count == 0 {
            return;
        }
        self.shortest = if self.count == 0 { time } else { self.shortest.min(time) };
        self.count = self.count.saturating_add(count);
        self.longest = self.longest.max(time);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Activities of devices for a target construct.
#[derive(Clone, Copy, Debug, Default)]
struct OfTarget {
    kernels: Sums,
    copies: Sums,
    repeated: Sums,
}

/// An activity that goes on.
#[derive(Clone, Copy, Debug)]
struct Open {
    activity: OnDevice,
    name: NameRef,
    begin: u64,
    bytes: u64,
    /// Number of records of the driver for which it stands, or of groups of page faults.
    count: u64,
    operation: Option<Operation>,
}

/// A stream, or a part of one where its activities overlap, and what goes on in it.
#[derive(Clone, Copy, Debug)]
struct Stream {
    is: DeviceStream,
    open: Option<Open>,
    /// True if it does something in the window.
    is_used: bool,
}

/// All sums.
#[derive(Debug, Default)]
pub(crate) struct DeviceSums {
    /// By thread of the timeline.
    streams: Vec<Option<Stream>>,
    names: BTreeMap<u32, String>,
    busy: BTreeMap<u32, Busy>,
    kernels: FxHashMap<(u32, NameRef), Sums>,
    copies: FxHashMap<(u32, NameRef), Sums>,
    unified: FxHashMap<(u32, OnDevice), Sums>,
    /// Waits of streams for events, by device.
    waits: FxHashMap<u32, Sums>,
    targets: FxHashMap<ConstructRef, OfTarget>,
    operations: Operations,
    /// Threads of the host that work, and their number.
    works: Vec<bool>,
    working: u32,
}

/// True for slices whose time is no construct's: streams of devices are no threads of the program, and a call of CUDA only gives its
/// states to the construct in which it is made.
pub(crate) fn is_of_devices(kind: SliceKind) -> bool {
    matches!(kind, SliceKind::Device(_) | SliceKind::DeviceCall { .. })
}

/// True for what makes a device busy: neither a stream that waits, nor what the host does.
fn is_at_work(activity: OnDevice) -> bool {
    !matches!(activity, OnDevice::WaitEvent | OnDevice::HostFault)
}

impl DeviceSums {
    /// Sums of the devices whose streams are among these threads.
    pub(crate) fn of(threads: &[ThreadInfo]) -> DeviceSums {
        let mut sums = DeviceSums::default();
        for info in threads {
            if let Some(stream) = info.stream {
                sums.busy.entry(stream.device).or_default();
                let name = info.name.split_once(": ").map_or("", |(_, name)| name);
                sums.names.insert(stream.device, name.to_owned());
            }
            let stream = |is| Stream { is, open: None, is_used: false };
            sums.streams.push(info.stream.map(stream));
        }
        sums
    }

    /// True if no device reports anything.
    #[inline]
    fn are_none(&self) -> bool {
        self.busy.is_empty()
    }

    /// A thread of the host is in another state from this time on.
    #[inline]
    pub(crate) fn state(&mut self, t: ThreadRef, at: u64, state: Option<State>) {
        if !self.are_none() {
            self.note_work(t, at, state.is_some_and(State::is_work));
        }
    }

    #[cold]
    fn note_work(&mut self, t: ThreadRef, at: u64, works: bool) {
        let thread = t as usize;
        if self.works.len() <= thread {
            self.works.resize(thread + 1, false);
        }
        let Some(before) = self.works.get_mut(thread) else { return };
        if std::mem::replace(before, works) == works {
            return;
        }
        let host_works = self.working > 0;
        self.busy.values_mut().for_each(|busy| busy.settle(at, host_works));
        self.working = if works { self.working + 1 } else { self.working.saturating_sub(1) };
    }

    /// A data operation or a submission begins, in a target construct.
    pub(crate) fn operation_begins(&mut self, slice: &Slice<'_>, construct: ConstructRef) {
        if !self.are_none() && matches!(slice.kind, SliceKind::DataOp(_) | SliceKind::Submit) {
            self.operations.begins(slice, construct);
        }
    }

    /// A stream begins something.
    pub(crate) fn begins(&mut self, t: ThreadRef, at: u64, slice: &Slice<'_>) {
        let SliceKind::Device(activity) = slice.kind else { return };
        // That the device is in a construct does not make it busy, and its records in its own form say again what others say.
        if matches!(activity, OnDevice::Region | OnDevice::Other) {
            return;
        }
        let host_works = self.working > 0;
        let operation = self.operations.of_activity(slice);
        let bytes = slice.number(ArgKey::Bytes).unwrap_or(0);
        let count = slice.number(ArgKey::Groups).or_else(|| slice.number(ArgKey::Count));
        let Some(stream) = self.streams.get_mut(t as usize).and_then(Option::as_mut) else {
            return;
        };
        let count = count.unwrap_or(1);
        stream.open = Some(Open { activity, name: slice.name, begin: at, bytes, count, operation });
        if is_at_work(activity)
            && let Some(busy) = self.busy.get_mut(&stream.is.device)
        {
            busy.begins(at, activity, host_works);
        }
    }

    /// A stream ends what it does.
    pub(crate) fn ends(&mut self, t: ThreadRef, end: End) {
        let End { at, counts, .. } = end;
        let host_works = self.working > 0;
        let Some(stream) = self.streams.get_mut(t as usize).and_then(Option::as_mut) else {
            return;
        };
        let (device, Some(open)) = (stream.is.device, stream.open.take()) else { return };
        if is_at_work(open.activity)
            && let Some(busy) = self.busy.get_mut(&device)
        {
            busy.ends(at, open.activity, host_works);
        }
        let time = at.saturating_sub(open.begin);
        if open.activity == OnDevice::WaitEvent {
            return self.waits.entry(device).or_default().add(time, 0, counts);
        }
        if open.activity.is_unified() {
            let sums = self.unified.entry((device, open.activity)).or_default();
            return sums.add_several(time, open.bytes, if counts { open.count } else { 0 });
        }
        let is_kernel = open.activity == OnDevice::Kernel;
        if time > 0 || counts {
            stream.is_used = true;
            let all = if is_kernel { &mut self.kernels } else { &mut self.copies };
            all.entry((device, open.name)).or_default().add(time, open.bytes, counts);
        }
        // A construct has times of the host also in windows without activities.
        let Some(operation) = open.operation else { return };
        let target = self.targets.entry(operation.construct).or_default();
        let sums = if is_kernel { &mut target.kernels } else { &mut target.copies };
        sums.add(time, open.bytes, counts);
        if operation.is_repeated && !is_kernel {
            target.repeated.add(time, open.bytes, counts);
        }
    }
}
