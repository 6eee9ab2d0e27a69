//! Devices that recorded themselves: what `devices` and `device_records` have, as threads of their own, on the host's clock.
//!
//! Each thread of a device, each hardware id of its native records, and each stream of an accelerator is a thread of the
//! timeline after those of the host.

mod clock;
mod line;
mod merged;
mod runs;
mod streams;
#[cfg(test)]
mod tests;
mod waits;

use clock::Clock;
use line::Line;
use merged::Merged;
use ompttrace_model::ompt::Thread;
use ompttrace_model::{DeviceStream, ThreadInfo};
use ompttrace_recording::Recording;
use ompttrace_recording::device_records::{REGIONS, UNIFIED};
use ompttrace_recording::reader::Stream;
use runs::{Batch, SortedRun, Spill};
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read};
use std::mem::take;
use std::path::Path;
use std::sync::Arc;
use streams::Streams;
use waits::Waits;
pub(crate) use waits::{Synchronization, Synchronizations};

/// Maximum number of threads of all devices; records of further threads go to a common one of their device.
const MOST_THREADS: usize = 4096;
/// Maximum number of devices whose types are kept, more than any machine has.
const MOST_DEVICES: usize = 4096;
/// Records that wait for a time, of all devices; others get that of their device's clock's begin.
const MOST_UNTIMED: usize = 4096;
/// Maximum number of bytes of records in memory; further ones wait in a file.
const BUDGET: usize = 64 << 20;
/// Words of a run that are in memory: at least one entry of the usual size, at most what a disk likes.
const WINDOWS: std::ops::RangeInclusive<usize> = 64..=8192;

/// Contents of the files of devices.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    /// Threads of the devices, in the order of their numbers, which follow those of the host.
    pub(crate) threads: Vec<Device>,
    /// Names of kernels, by the numbers that activities have.
    pub(crate) texts: HashMap<u64, String>,
    /// Events, streams and activities that calls and streams wait for.
    pub(crate) synchronizations: Synchronizations,
    /// Number of waits of streams for events.
    pub(crate) event_waits: u64,
    /// Activities that are missing, as the driver says.
    pub(crate) lost: u64,
    /// Number of bytes that could not be read as entries.
    pub(crate) unreadable: u64,
}

/// One thread of a device with its records, by time.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) info: ThreadInfo,
    clock: Arc<Clock>,
    runs: Vec<SortedRun>,
    /// Words of a run that are in memory at a time.
    window: usize,
    /// Times of the first and last record, on the device's clock.
    times: Option<(u64, u64)>,
    /// The id in the system of the host's thread whose calls of CUDA these are; `None` if they are none.
    pub(crate) caller: Option<u32>,
}

impl Device {
    /// Times of the first and last record, in ticks of the recording's clock.
    pub(crate) fn span(&self) -> Option<(u64, u64)> {
        self.times.map(|(first, last)| (self.clock.ticks(first), self.clock.ticks(last)))
    }

    /// True if this is a stream of an accelerator, or the calls that cause what such streams do.
    pub(crate) fn has_activities(&self) -> bool {
        self.info.stream.is_some() || self.caller.is_some()
    }

    /// The records of the device thread, by time.
    pub(crate) fn stream<'a>(&self) -> Stream<'a> {
        Stream::of_blocks(Box::new(Merged::new(Arc::clone(&self.clock), &self.runs, self.window)))
    }
}

/// The thread of the timeline that a record belongs to: device and part of it. Threads of a device are adjacent.
type DeviceThread = (u64, Unit);

/// A part of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Thread(u64),
    /// Native records of a hardware id; it is negative if they have none.
    Hardware(i64),
    /// Stream of an accelerator; activities that overlap are in different lanes.
    Stream {
        context: u32,
        stream: u32,
        lane: u32,
    },
    /// Calls of CUDA that a thread of the host makes, by its id in the system.
    Calls(u32),
}

impl Unit {
    /// The stream of this device that it is, if it is one.
    fn stream(self, device: u32) -> Option<DeviceStream> {
        match self {
            Unit::Stream { context, stream, .. } => Some(DeviceStream { device, context, stream }),
            Unit::Thread(_) | Unit::Hardware(_) | Unit::Calls(_) => None,
        }
    }

    fn caller(self) -> Option<u32> {
        if let Unit::Calls(thread) = self { Some(thread) } else { None }
    }

    /// Its name after that of its device.
    fn name(self) -> String {
        match self {
            Unit::Thread(thread) => format!(" thread {thread}"),
            Unit::Hardware(hardware @ 0..) => format!(" hardware {hardware}"),
            Unit::Hardware(_) => String::new(),
            Unit::Stream { context: REGIONS, lane: 0, .. } => " target constructs".to_owned(),
            Unit::Stream { context: REGIONS, lane, .. } => {
                format!(" target constructs ({})", lane + 1)
            }
            Unit::Stream { context: UNIFIED, lane: 0, .. } => " unified memory".to_owned(),
            Unit::Stream { context: UNIFIED, lane, .. } => {
                format!(" unified memory ({})", lane + 1)
            }
            Unit::Stream { stream, lane: 0, .. } => format!(" stream {stream}"),
            Unit::Stream { stream, lane, .. } => format!(" stream {stream} ({})", lane + 1),
            Unit::Calls(thread) => format!(" calls of thread {thread}"),
        }
    }
}

/// The records of a device thread that were read so far.
#[derive(Debug, Default)]
struct Records {
    batch: Batch,
    runs: Vec<SortedRun>,
    times: Option<(u64, u64)>,
}

/// State of the reading.
#[derive(Debug)]
struct Reading<'f> {
    clocks: BTreeMap<u64, Clock>,
    names: BTreeMap<u64, String>,
    device_threads: BTreeMap<DeviceThread, Records>,
    /// The time of each device's last record.
    latest: BTreeMap<u64, u64>,
    /// Records of devices of which no time is known so far.
    untimed: Vec<(DeviceThread, Vec<u64>)>,
    /// Number of bytes of records in memory, and its maximum.
    bytes: usize,
    budget: usize,
    /// File for the records that exceed the maximum, and the folders in which it may be created.
    spill: Option<Spill>,
    folders: &'f [&'f Path],
    streams: Streams,
}

impl Reading<'_> {
    fn take(&mut self, line: Line<'_>) {
        match line {
            Line::Device(device, name) => self.name(device, name),
            Line::Clock(device, ticks, time) => {
                self.clocks.entry(device).or_default().add(ticks, time);
            }
            Line::Event { device, thread, time, words } => {
                self.add((device, Unit::Thread(thread)), time, &words);
            }
            Line::Native { device, hardware, time, words } => {
                self.add((device, Unit::Hardware(hardware.max(-1))), time, &words);
            }
        }
    }

    fn name(&mut self, device: u64, name: &str) {
        if self.names.len() < MOST_DEVICES {
            self.names.insert(device, name.to_owned());
        }
    }

    /// A record without a time has that of the one before, or else of the first that has one.
    fn add(&mut self, device_thread: DeviceThread, time: u64, words: &[u64]) {
        let before = self.latest.get(&device_thread.0).copied();
        match (time, before) {
            (0, Some(before)) => self.put(device_thread, before, words),
            (0, None) if self.untimed.len() < MOST_UNTIMED => {
                self.untimed.push((device_thread, words.to_vec()));
            }
            (time, before) => {
                self.latest.insert(device_thread.0, time);
                if before.is_none() {
                    self.put_untimed(device_thread.0, time);
                }
                self.put(device_thread, time, words);
            }
        }
    }

    /// Gives the records of a device that came before any with a time this one.
    #[cold]
    fn put_untimed(&mut self, device: u64, time: u64) {
        let (own, others) =
            take(&mut self.untimed).into_iter().partition(|((of, _), _)| *of == device);
        self.untimed = others;
        let own: Vec<(DeviceThread, Vec<u64>)> = own;
        own.iter().for_each(|(device_thread, words)| self.put(*device_thread, time, words));
    }

    fn put(&mut self, device_thread: DeviceThread, time: u64, words: &[u64]) {
        let known = self.device_threads.len() < MOST_THREADS
            || self.device_threads.contains_key(&device_thread);
        let device_thread =
            if known { device_thread } else { (device_thread.0, Unit::Hardware(-1)) };
        let records = self.device_threads.entry(device_thread).or_default();
        let (first, last) = records.times.unwrap_or((time, time));
        records.times = Some((first.min(time), last.max(time)));
        self.bytes += records.batch.put(time, words);
        if self.bytes > self.budget {
            self.make_room();
        }
    }

    /// Puts all records in memory into a file; where there is no room for that they stay.
    #[cold]
    fn make_room(&mut self) {
        if self.spill.is_none() {
            self.spill = Spill::new(self.folders);
        }
        let Some(spill) = &mut self.spill else { return self.budget = usize::MAX };
        for records in self.device_threads.values_mut().filter(|records| !records.batch.is_empty())
        {
            match spill.write(take(&mut records.batch)) {
                Ok(run) => records.runs.push(run),
                Err((batch, _)) => {
                    records.batch = batch;
                    return self.budget = usize::MAX;
                }
            }
        }
        self.bytes = 0;
    }

    fn finish(mut self, first_number: u32) -> Vec<Device> {
        let untimed: Vec<u64> = self.untimed.iter().map(|((device, _), _)| *device).collect();
        for device in untimed {
            let begin = self.clocks.get(&device).and_then(Clock::begin);
            self.put_untimed(device, begin.unwrap_or(0));
        }
        let device_threads = take(&mut self.device_threads);
        let runs: usize = device_threads.values().map(|records| records.runs.len()).sum();
        let window = (self.budget / 8 / runs.max(1)).clamp(*WINDOWS.start(), *WINDOWS.end());
        let clocks: BTreeMap<u64, Arc<Clock>> =
            self.clocks.into_iter().map(|(device, clock)| (device, Arc::new(clock))).collect();
        let device = |((device_thread, records), number): ((_, Records), u32)| {
            let (device, unit): DeviceThread = device_thread;
            let name = match unit.caller() {
                Some(_) => format!("CUDA{}", unit.name()),
                None => format!("device {device}{}", unit.name()),
            };
            let name = match self.names.get(&device) {
                Some(kind) => format!("{name}: {kind}"),
                None => name,
            };
            let number = first_number.saturating_add(number);
            let stream = unit.stream(device as u32);
            let info = ThreadInfo { number, os_thread: 0, name, kind: Thread::Device, stream };
            let caller = unit.caller();
            let has_own = stream.is_none() && caller.is_none() || clocks.contains_key(&device);
            let clock = if has_own { device } else { streams::CLOCK };
            let clock = clocks.get(&clock).cloned().unwrap_or_default();
            let Records { batch, mut runs, times } = records;
            if !batch.is_empty() {
                runs.push(SortedRun::Memory(batch.sorted().into()));
            }
            Device { info, clock, runs, window, times, caller }
        };
        device_threads.into_iter().zip(0u32..).map(device).collect()
    }
}

impl Devices {
    /// Reads the devices of a recording; nothing where there are none.
    pub(crate) fn of(recording: &Recording) -> Devices {
        let (lines, records) = (recording.devices_file(), recording.device_records_file());
        if lines.is_none() && records.is_none() {
            return Devices::default();
        }
        let numbers = recording.threads.iter().map(|thread| thread.number.saturating_add(1));
        let first = numbers.max().unwrap_or(0);
        let elsewhere = std::env::temp_dir();
        let budget = (BUDGET, &[&*recording.path, &*elsewhere][..]);
        let waits = recording.device_records_file().map(Waits::of).unwrap_or_default();
        Devices::read((lines.map(BufReader::new), records, waits), first, budget)
    }

    /// Reads the devices with at most `budget` bytes of records in memory, and the others in a file in one of
    /// `folders`.
    fn read(
        (lines, records, waits): (Option<impl BufRead>, Option<impl Read>, Waits),
        first: u32,
        (budget, folders): (usize, &[&Path]),
    ) -> Devices {
        let mut reading = Reading {
            clocks: BTreeMap::new(),
            names: BTreeMap::new(),
            device_threads: BTreeMap::new(),
            latest: BTreeMap::new(),
            untimed: Vec::new(),
            bytes: 0,
            budget,
            spill: None,
            folders,
            streams: Streams::with(waits),
        };
        let of_lines = lines.map_or(0, |file| line::each(file, |line| reading.take(line)));
        let unreadable = of_lines + records.map_or(0, |file| reading.take_records(file));
        let event_waits = reading.streams.waits.count;
        let synchronizations = reading.take_waits();
        let Streams { texts, lost, .. } = take(&mut reading.streams);
        let threads = reading.finish(first);
        Devices { threads, texts, synchronizations, event_waits, lost, unreadable }
    }
}
