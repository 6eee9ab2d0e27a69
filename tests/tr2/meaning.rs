//! Records that each event of the report must become, written down independently of the tool, and their counts.

use super::runtime::Dialect;
use anyhow::{Context, Result, ensure};
use ompttrace_recording::device_records::Entry;
use ompttrace_recording::events::{Control, Record};
use ompttrace_recording::words::{FLAG_INFERRED, KIND_MASK};
use ompttrace_recording::{Event, Recording};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A kind of record: number of the event, scope (0 none, 1 begin, 2 end), kind.
pub type Meaning = (u32, u32, u64);

/// The kind of record that `event` of the runtime becomes; None if it is not recorded.
fn meaning(dialect: Dialect, event: u32) -> Option<Meaning> {
    let scope = |begin| if event == begin { 1 } else { 2 };
    Some(match event {
        1 => (3, 0, 0),
        2 => (4, 0, 0),
        3 => (5, 0, 4),
        4 => (6, 0, 1),
        5 => (1, 0, 0),
        6 => (2, 0, 0),
        7 => (11, 0, 64),
        // The end of the runtime is a fact of the run and no record.
        8 => return None,
        9 | 10 => (16, scope(9), 512),
        11 | 12 => (16, scope(11), 1),
        13 | 14 => (16, scope(13), 5),
        15 | 16 => (16, scope(15), 6),
        17 => (17, 0, 1),
        18 => (17, 0, 3),
        19 => (17, 0, 5),
        20 => (17, 0, 6),
        21 => (17, 0, 7),
        22 | 23 => (7, scope(22), 2),
        24 | 25 => (7, scope(24), 1),
        26 => (6, 0, 7),
        27 | 28 => (20, scope(27), 1),
        29 | 30 => (20, scope(29), 2),
        31 | 32 => (20, scope(31), 3),
        33 | 34 => (20, scope(33), 4),
        35 | 36 => (20, scope(35), 5),
        37 | 38 => (21, scope(37), 0),
        39 | 40 => (23, scope(39), 1),
        41 | 42 => (23, scope(41), 5),
        43 | 44 => (23, scope(43), 6),
        45 => (28, 2, 0),
        46 => (26, 0, 1),
        47 => (26, 0, 3),
        48 => (26, 0, 5),
        49 => (26, 0, 6),
        50 => (26, 0, 7),
        51 => (27, 0, 1),
        52 => (27, 0, 3),
        53 => (28, 1, 0),
        54 => (27, 0, 5),
        55 => (27, 0, 6),
        56 => (27, 0, 7),
        57 => (24, 0, 1),
        58 => (24, 0, 3),
        59 => (25, 0, 1),
        60 => (25, 0, 3),
        61 => (29, 0, 0),
        62 | 63 => (33, scope(62), 1),
        64 | 65 => (33, scope(64), 512),
        66 | 67 => (33, scope(66), 4),
        68 => (34, 1, 512),
        69 if dialect == Dialect::Llvm => (18, 0, 0),
        69 => (34, 2, 512),
        70 => (19, 0, 0),
        _ => return None,
    })
}

/// Expected numbers of records for these numbers of reported events.
pub fn expected(dialect: Dialect, reported: &BTreeMap<u32, u64>) -> BTreeMap<Meaning, u64> {
    let mut sums = BTreeMap::new();
    for (event, count) in reported.iter().filter(|(_, count)| **count > 0) {
        if let Some(meaning) = meaning(dialect, *event) {
            *sums.entry(meaning).or_default() += count;
        }
    }
    sums
}

/// Numbers of records for events of the interface in the recording.
pub fn recorded(run: &Path) -> Result<BTreeMap<Meaning, u64>> {
    let mut sums = BTreeMap::new();
    each(run, |record| {
        let number = record.code.number() as u32;
        if number <= 37 && !is_inferred(&record.event()) {
            let key = (number, record.code.scope() as u32, kind(&record.event()));
            *sums.entry(key).or_default() += 1;
        }
    })?;
    Ok(sums)
}

/// Returns true if the tool inferred the record from other records, or from the runtime's answers to its queries.
fn is_inferred(event: &Event) -> bool {
    let word = match event {
        Event::ThreadBegin(event) => event.thread_type,
        Event::ImplicitTask(event) => event.flags,
        _ => 0,
    };
    word & FLAG_INFERRED != 0
}

/// Sums of the entries of one device in `device_records`.
#[derive(Debug, Default)]
pub struct OfDevice {
    /// Numbers of events by number and scope.
    pub events: BTreeMap<(u32, u32), u64>,
    pub natives: u64,
    pub clocks: u64,
}

impl OfDevice {
    /// Number of records of both kinds: events and native records.
    pub fn records(&self) -> u64 {
        self.events.values().sum::<u64>() + self.natives
    }
}

/// Number of records that a device reported, by the runtime's own counts.
pub fn reported_by_device(counts: &Value) -> u64 {
    let of_events = counts["events"].as_object().into_iter().flat_map(|events| events.values());
    of_events.chain([&counts["native"]]).filter_map(Value::as_u64).sum()
}

/// Reads the entries of one device.
pub fn of_device(run: &Path, wanted: u32) -> Result<OfDevice> {
    let bytes = std::fs::read(run.join("device_records"))?;
    let (words, rest) = bytes.as_chunks::<8>();
    let words: Vec<_> = words.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    let (mut of, mut left) = (OfDevice::default(), &words[..]);
    while let Some((entry, count)) = Entry::first(left) {
        match entry {
            Entry::Event { device, code, .. } if device == wanted => {
                let key = (code.number() as u32, code.scope() as u32);
                *of.events.entry(key).or_default() += 1;
            }
            Entry::Native { device, .. } if device == wanted => of.natives += 1,
            Entry::DeviceClock { device, .. } if device == wanted => of.clocks += 1,
            _ => {}
        }
        left = &left[count..];
    }
    ensure!(left.is_empty() && rest.is_empty(), "{} words are no entries", left.len());
    Ok(of)
}

/// Expected numbers of a device's records for these numbers of reported events.
pub fn expected_of_device(dialect: Dialect, reported: &Value) -> Result<BTreeMap<(u32, u32), u64>> {
    let mut sums = BTreeMap::new();
    for (event, count) in reported.as_object().context("no events")? {
        let (number, scope, _) = meaning(dialect, event.parse()?).context("an event")?;
        *sums.entry((number, scope)).or_default() += count.as_u64().context("a count")?;
    }
    Ok(sums)
}

/// Commands that took effect, with their modifiers, in the order of the records.
pub fn commands(run: &Path) -> Result<Vec<(u64, u64)>> {
    let mut commands = Vec::new();
    each(run, |record| {
        if let Event::Control(Control { command, modifier, .. }) = record.event() {
            commands.push((command, modifier));
        }
    })?;
    Ok(commands)
}

fn each(run: &Path, mut visit: impl FnMut(&Record<'_>)) -> Result<()> {
    let recording = Recording::open(run).with_context(|| run.display().to_string())?;
    for thread in 0..recording.threads.len() {
        let mut stream = recording.stream(thread);
        while stream.take(|record| visit(&record)).is_some() {}
    }
    Ok(())
}

fn kind(event: &Event) -> u64 {
    let kind = match event {
        Event::TaskCreate(event) => event.flags,
        Event::TaskSchedule(event) => event.status,
        Event::ImplicitTask(event) => event.flags,
        Event::ControlTool(event) => event.command,
        Event::SyncRegion(event) => event.kind,
        Event::SyncRegionWait(event) => event.kind,
        Event::Work(event) => event.kind,
        Event::MutexAcquire(event) => event.kind,
        Event::MutexAcquired(event) => event.kind,
        Event::MutexReleased(event) => event.kind,
        Event::LockInit(event) => event.kind,
        Event::LockDestroy(event) => event.kind,
        Event::TargetEmi(event) => event.kind,
        // The runtime's own numbers of the mapping stand in the kind as well.
        Event::TargetDataOpEmi(_) => 512,
        _ => 0,
    };
    kind & KIND_MASK
}
