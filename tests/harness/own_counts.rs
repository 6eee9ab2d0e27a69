//! Compares a recording with what the program counted for itself (`tests/programs/counted.h`):
//! critical sections by thread, counted by the program itself.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use ompttrace_recording::{Event, Recording};

use crate::traced::Scratch;

/// Bytes of one thread's slot in the file.
const SLOT: usize = 32;
/// `ompt_mutex_critical`.
const CRITICAL: u64 = 5;
const FILE: &str = "own";

/// Critical sections of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Begun: as many may be in the recording.
    pub begun: u64,
    /// Over, with all their callbacks: as many must be in the recording.
    pub done: u64,
}

/// Makes the program count into the scratch folder.
pub fn attach(command: &mut Command, scratch: &Scratch) {
    command.env("OWN_COUNTS", scratch.path().join(FILE));
}

/// File to which a process writes its counts.
pub fn file(scratch: &Scratch, pid: u32) -> PathBuf {
    scratch.path().join(format!("{FILE}.{pid}"))
}

/// Every process that opened its counts.
pub fn pids(scratch: &Scratch) -> Result<Vec<u32>> {
    let names = scratch.names()?;
    let pids = names.iter().filter_map(|name| name.strip_prefix(FILE)?.strip_prefix('.'));
    pids.map(|pid| pid.parse().with_context(|| format!("{pid:?}"))).collect()
}

/// The one process that counted: not the one that was started where a shell stands before it.
pub fn only_pid(scratch: &Scratch) -> Result<u32> {
    match pids(scratch)?[..] {
        [pid] => Ok(pid),
        ref pids => bail!("one process was expected to count, not {pids:?}"),
    }
}

/// Counts of a process, by the kernel's id of each thread.
///
/// # Errors
/// Fails if the process counted nothing at all: a check against that could not fail.
pub fn read(scratch: &Scratch, pid: u32) -> Result<BTreeMap<u64, Own>> {
    let path = file(scratch, pid);
    let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
    let mut threads: BTreeMap<u64, Own> = BTreeMap::new();
    for slot in bytes.chunks_exact(SLOT) {
        let word = |at: usize| u64::from_ne_bytes(std::array::from_fn(|n| slot[8 * at + n]));
        if word(0) != 0 {
            let own = threads.entry(word(0)).or_default();
            own.begun += word(1);
            own.done += word(2);
        }
    }
    ensure!(threads.values().any(|own| own.begun > 0), "{} counted nothing", path.display());
    Ok(threads)
}

/// Differences between a process's recordings (several after an exec) and its own counts, one per line; empty
/// if there are none.
pub fn check(scratch: &Scratch, pid: u32, runs: &[PathBuf]) -> Result<String> {
    let mut recorded: BTreeMap<u64, [u64; 3]> = BTreeMap::new();
    for run in runs {
        add_recorded(run, &mut recorded)?;
    }
    let mut said = String::new();
    let counted = read(scratch, pid)?;
    for (thread, own) in &counted {
        let found = recorded.remove(thread).unwrap_or_default();
        if found.iter().any(|count| !(own.done..=own.begun).contains(count)) {
            let Own { begun, done } = own;
            writeln!(said, "    thread {thread}: recorded {found:?} of {done} to {begun}")?;
        }
    }
    for (thread, found) in recorded {
        writeln!(said, "    thread {thread}: recorded {found:?}, and it counted nothing")?;
    }
    Ok(said)
}

/// Acquire, acquired and released of critical sections, by the kernel's number of the thread.
fn add_recorded(run: &Path, sums: &mut BTreeMap<u64, [u64; 3]>) -> Result<()> {
    let recording = Recording::open(run).with_context(|| run.display().to_string())?;
    for thread in 0..recording.threads.len() {
        let mut stream = recording.stream(thread);
        let (mut os_thread, mut counts) = (0, [0; 3]);
        while stream
            .take(|record| match record.event() {
                Event::ThreadInfo(info) => os_thread = info.os_thread,
                Event::MutexAcquire(event) if event.kind == CRITICAL => counts[0] += 1,
                Event::MutexAcquired(event) if event.kind == CRITICAL => counts[1] += 1,
                Event::MutexReleased(event) if event.kind == CRITICAL => counts[2] += 1,
                _ => {}
            })
            .is_some()
        {}
        if counts != [0; 3] {
            let sum = sums.entry(os_thread).or_default();
            (0..3).for_each(|at| sum[at] += counts[at]);
        }
    }
    Ok(())
}
