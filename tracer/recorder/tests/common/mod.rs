//! Functions that the recorder's tests share: arming into a folder, recording numbered events, reading back.
//!
//! The recorder is one per process, so each scenario is a test binary of its own.
#![allow(dead_code, reason = "no scenario needs all of it")]

use ompttrace_recorder::{Output, OwnFolder, Plan, State, arm, page_bytes, room, slow};
use ompttrace_recording::events::{Event, Flush, Scope};
use ompttrace_recording::facts::{Facts, Process};
use ompttrace_recording::settings::{CoresMode, Overflow};
use ompttrace_recording::{EventCode, FORMAT_VERSION, PinnedFolder, Recording, folder};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub const FLUSH: EventCode = EventCode::new(Flush::NUMBER, Scope::None);

/// Arms the recorder into `run`, with the pool in the same folder as the event files.
pub fn arm_into(run: &Path, begin: State) {
    arm_with(run, begin, Overflow::Wait);
}

/// Arms the recorder as [`arm_into`] does, with a policy for full slots.
pub fn arm_with(run: &Path, begin: State, overflow: Overflow) {
    let plan = Plan {
        pool_files: vec![run.join(folder::POOL)],
        run: run.to_owned(),
        slot_bytes: page_bytes(),
        overflow,
        cores: CoresMode::Off,
        counters: Vec::new(),
        sampling: None,
        session: 1,
        force_quanta: false,
        begin,
    };
    let folder = PinnedFolder::open(run).and_then(|folder| OwnFolder::new(run, &folder));
    let output = Output::new(&Arc::new(folder.expect("a folder")));
    arm(output.expect("an output"), &plan).expect("armed");
}

/// Records a flush whose code address is `number`, as a callback does.
pub fn record(number: u64) {
    let event = Flush { code: number, kind: 0 };
    match room() {
        Some(room) => room.put(FLUSH, event.words()),
        None => slow(FLUSH, |room| {
            if let Some(room) = room {
                room.put(FLUSH, event.words());
            }
        }),
    }
}

/// Writes the facts that a reader needs of this process.
pub fn write_facts(run: &Path, closed: bool) {
    write_facts_of(std::process::id(), run, closed);
}

/// Writes the facts that a reader needs of another process.
pub fn write_facts_of(pid: u32, run: &Path, closed: bool) {
    let facts = Facts {
        process: Process { pid, ..Process::default() },
        format: FORMAT_VERSION,
        little_endian: cfg!(target_endian = "little"),
        closed,
        pool: Some(folder::POOL.into()),
        ..Facts::default()
    };
    let text = serde_json::to_vec(&facts).expect("JSON");
    std::fs::write(run.join(folder::FACTS), text).expect("facts");
}

/// The numbers that each thread recorded, in order, and the count of all other events.
pub fn read(run: &Path) -> (Vec<Vec<u64>>, Vec<Event>) {
    let recording = Recording::open(run).expect("a recording");
    let mut others = Vec::new();
    let mut threads = Vec::new();
    for index in 0..recording.threads.len() {
        let mut numbers = Vec::new();
        let mut stream = recording.stream(index);
        let mut last = 0;
        while let Some(()) = stream.take(|record| {
            assert!(record.ticks >= last, "time runs backwards");
            last = record.ticks;
            match record.event() {
                Event::Flush(flush) => numbers.push(flush.code),
                other => others.push(other),
            }
        }) {}
        assert_eq!(stream.undecoded(), 0);
        threads.push(numbers);
    }
    (threads, others)
}

/// A new empty folder that outlives the test, which may fork.
pub fn folder() -> PathBuf {
    tempfile::tempdir().expect("a folder").keep()
}
