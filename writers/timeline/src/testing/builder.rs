//! Writes a run folder record by record, as the traced process would.

use ompttrace_recording::events::{self, EventCode, Scope};
use ompttrace_recording::facts::{ClockPair, Facts, Process};
use ompttrace_recording::fragment::{CORE_STREAM, FragmentHeader, SAMPLE_STREAM};
use ompttrace_recording::{FORMAT_VERSION, Recording, folder, words};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Number of bytes of the largest chunk.
const CHUNK: usize = 16 * 1024;
/// Our first thread has this kernel id, and it is the process's too.
const PID: u32 = 4000;

/// An event of the table, ready to be written.
pub trait Payload {
    /// Number of the event.
    const NUMBER: u16;
    /// Appends the payload of the event.
    fn push(&self, to: &mut Vec<u64>);
}

macro_rules! payloads {
    ($($type:ident)+) => { $(
        impl Payload for events::$type {
            const NUMBER: u16 = events::$type::NUMBER;
            fn push(&self, to: &mut Vec<u64>) {
                to.extend(self.words());
            }
        }
    )+ };
}

payloads! {
    ThreadBegin ThreadEnd ParallelBegin ParallelEnd TaskCreate TaskSchedule ImplicitTask Target
    TargetDataOp TargetSubmit ControlTool DeviceInitialize DeviceFinalize DeviceLoad DeviceUnload
    SyncRegionWait MutexReleased Dependences TaskDependence Work Masked TargetMap SyncRegion
    LockInit LockDestroy MutexAcquire MutexAcquired NestLock Flush Cancel Reduction Dispatch
    TargetEmi TargetDataOpEmi TargetSubmitEmi TargetMapEmi Error ThreadInfo CodeSite Dependence
    MapItem Text Lost Wait Control OngoingTask SwitchOut SwitchIn CoresUnknown RunDelay CoresRead
    CounterValue ChunkEnd SamplesBegin Sample SampleFrames MpiWorld MpiEnter MpiLeave MpiSend MpiReceive
    MpiReceived MpiCollective MpiCommunicator MpiPost MpiRequest MpiDone MpiPolls MpiLeft MpiAccess MpiClock MpiMembers MpiName MpiObject
    DeviceActivity
}

/// A run folder in the making. Ticks are nanoseconds.
#[derive(Debug, Default)]
pub struct RunBuilder {
    /// Contents of `recording.json`; missing clock pairs are added.
    pub facts: Facts,
    threads: Vec<Vec<u64>>,
    cores: Vec<Vec<u64>>,
    samples: Vec<Vec<u64>>,
}

impl RunBuilder {
    /// A closed run without threads.
    pub fn new() -> RunBuilder {
        let facts = Facts {
            format: FORMAT_VERSION,
            little_endian: cfg!(target_endian = "little"),
            closed: true,
            finalized: true,
            process: Process { pid: PID, ..Process::default() },
            ..Facts::default()
        };
        RunBuilder { facts, ..RunBuilder::default() }
    }

    /// Adds a record to a thread; threads are made as they are mentioned, numbered from 0.
    pub fn put<P: Payload>(&mut self, thread: usize, ticks: u64, scope: Scope, event: P) {
        push(&mut self.threads, thread, ticks, (EventCode::new(P::NUMBER, scope), &payload(event)));
    }

    /// Adds a record to a thread's core stream.
    pub fn put_cores<P: Payload>(&mut self, thread: usize, ticks: u64, event: P) {
        let code = EventCode::new(P::NUMBER, Scope::None);
        push(&mut self.cores, thread, ticks, (code, &payload(event)));
    }

    /// Adds a record to a thread's sample stream.
    pub fn put_samples<P: Payload>(&mut self, thread: usize, ticks: u64, event: P) {
        let code = EventCode::new(P::NUMBER, Scope::None);
        push(&mut self.samples, thread, ticks, (code, &payload(event)));
    }

    /// Adds a record of any code; missing words are 0, too many are cut.
    pub fn put_words(&mut self, thread: usize, ticks: u64, code: EventCode, payload: &[u64]) {
        push(&mut self.threads, thread, ticks, (code, payload));
    }

    /// Writes the folder; it vanishes with what is returned.
    pub fn write(&self) -> io::Result<tempfile::TempDir> {
        let run = tempfile::tempdir()?;
        self.write_to(run.path())?;
        Ok(run)
    }

    /// Writes into a folder, which is empty.
    pub fn write_to(&self, run: &Path) -> io::Result<()> {
        let mut facts = self.facts.clone();
        if facts.clock.pairs.is_empty() {
            let pair = |time| ClockPair { ticks: time, monotonic: time };
            facts.clock.pairs = vec![pair(0), pair(1 << 40)];
        }
        std::fs::write(run.join(folder::FACTS), serde_json::to_vec(&facts)?)?;
        for (number, records) in self.threads.iter().enumerate() {
            let path = run.join(format!("{}{}", folder::EVENTS, number % folder::STRIPES));
            let mut file = File::options().create(true).append(true).open(path)?;
            write_thread(&mut file, number as u32, records)?;
            for (streams, stream) in [(&self.cores, CORE_STREAM), (&self.samples, SAMPLE_STREAM)] {
                if let Some(records) = streams.get(number) {
                    write_thread(&mut file, number as u32 | stream, records)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the folder and opens it.
    pub fn open(&self) -> io::Result<(tempfile::TempDir, Recording)> {
        let run = self.write()?;
        let recording = Recording::open(run.path()).map_err(io::Error::other)?;
        Ok((run, recording))
    }
}

fn payload(event: impl Payload) -> Vec<u64> {
    let mut payload = Vec::with_capacity(events::MAX_WORDS);
    event.push(&mut payload);
    payload
}

fn push(
    streams: &mut Vec<Vec<u64>>,
    thread: usize,
    ticks: u64,
    (code, payload): (EventCode, &[u64]),
) {
    if streams.len() <= thread {
        streams.resize(thread + 1, Vec::new());
    }
    let Some(records) = streams.get_mut(thread) else { return };
    records.push(words::header(ticks, code.0));
    let given = payload.iter().copied().chain(std::iter::repeat(0));
    records.extend(given.take(code.words().saturating_sub(1)));
}

fn write_thread(file: &mut File, thread: u32, records: &[u64]) -> io::Result<()> {
    let mut rest = records;
    let mut chunk = 0;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(whole_records(rest));
        chunk += 1;
        let ticks = now.first().map_or(0, |header| words::header_ticks(*header));
        let header = FragmentHeader {
            session: 1,
            thread,
            chunk,
            offset: 0,
            bytes: 8 * now.len() as u32,
            os_thread: PID + (thread & !(CORE_STREAM | SAMPLE_STREAM)),
            ticks,
            monotonic: ticks,
        };
        let bytes = header.to_words().into_iter().chain(now.iter().copied());
        file.write_all(&bytes.flat_map(u64::to_ne_bytes).collect::<Vec<u8>>())?;
        rest = later;
    }
    Ok(())
}

/// Words of as many whole records as a chunk holds; at least one record.
fn whole_records(records: &[u64]) -> usize {
    let mut length = 0;
    while let Some(header) = records.get(length) {
        let next = length + EventCode(words::header_code(*header)).words().max(1);
        if (8 * next > CHUNK && length > 0) || next > records.len() {
            break;
        }
        length = next;
    }
    if length == 0 { records.len() } else { length }
}
