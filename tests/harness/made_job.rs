//! A job of many ranks, made of a job of few: copies of their recordings in which ranks have other numbers, on machines whose clocks
//! differ. A copy of the whole job exchanges its messages within itself, and all of them take part in collective operations of
//! MPI_COMM_WORLD. The programs must have no other communicators of several ranks.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompttrace_recording::events::{
    Event, EventCode, MpiClock, MpiDone, MpiReceive, MpiReceived, MpiSend, MpiWorld, Record, Scope,
};
use ompttrace_recording::facts::{Clock, ClockPair, Facts};
use ompttrace_recording::{Recording, folder};
use ompttrace_timeline::testing::RunBuilder;

/// Ranks on one machine: those of a base job are on several, so that messages go from clock to clock.
const ON_A_MACHINE: u32 = 2;
/// Difference of the clocks of consecutive machines, in nanoseconds.
const CLOCKS: u64 = 137_000;

/// A rank of the base job.
struct Base {
    facts: Facts,
    /// Records of each thread: time in nanoseconds, code, payload.
    threads: Vec<Vec<(u64, EventCode, Vec<u64>)>>,
}

impl Base {
    fn read(run: &Path) -> Result<Base> {
        let recording = Recording::open(run).with_context(|| run.display().to_string())?;
        let clock = &recording.facts.clock;
        let (Some(first), Some(last)) = (clock.pairs.first(), clock.pairs.last()) else {
            anyhow::bail!("{}: no clock", run.display());
        };
        let slope =
            (last.monotonic - first.monotonic) as f64 / (last.ticks - first.ticks).max(1) as f64;
        let time = |ticks: u64| {
            let since = (ticks as f64 - first.ticks as f64) * slope;
            first.monotonic.saturating_add_signed(since as i64)
        };
        let threads = (0..recording.threads.len()).map(|position| {
            let mut records = Vec::new();
            recording.stream(position).take_through(u64::MAX, |record| {
                records.push((time(record.ticks), record.code, record.words.to_vec()));
                true
            });
            records
        });
        Ok(Base { threads: threads.collect(), facts: recording.facts.clone() })
    }

    /// Writes it as another rank.
    fn write(&self, run: &Path, (rank, ranks, first): (u32, u32, u32)) -> Result<()> {
        let mut to = RunBuilder::new();
        let machine = rank / ON_A_MACHINE;
        to.facts = self.facts.clone();
        to.facts.files.clear();
        (to.facts.process.rank, to.facts.process.ranks) = (Some(rank), Some(ranks));
        to.facts.process.pid = 1000 + rank;
        to.facts.process.host = format!("node{machine}");
        let realtime = to.facts.clock.realtime + CLOCKS * u64::from(machine);
        let pair = |time| ClockPair { ticks: time, monotonic: time };
        let ends = [to.facts.clock.pairs.first(), to.facts.clock.pairs.last()];
        let pairs = ends.into_iter().flatten().map(|one| pair(one.monotonic)).collect();
        to.facts.clock = Clock { pairs, realtime, ..to.facts.clock };
        for (thread, records) in self.threads.iter().enumerate() {
            for (time, code, words) in records {
                let record = Record { ticks: *time, code: *code, words };
                put(&mut to, thread, &record, (rank, ranks, first));
            }
        }
        fs::create_dir_all(run)?;
        Ok(to.write_to(run)?)
    }
}

/// Adds a record with other ranks: `first` is that of the copy's rank 0.
fn put(to: &mut RunBuilder, thread: usize, record: &Record<'_>, own: (u32, u32, u32)) {
    let (rank, ranks, first) = own;
    let moved = |peer: u64| if (peer as u32 as i32) < 0 { peer } else { peer + u64::from(first) };
    let (at, none) = (record.ticks, Scope::None);
    match record.event() {
        Event::MpiWorld(world) => {
            let (rank, size) = (rank.into(), ranks.into());
            to.put(thread, at, none, MpiWorld { rank, size, ..world });
        }
        Event::MpiSend(one) => to.put(thread, at, none, MpiSend { peer: moved(one.peer), ..one }),
        Event::MpiReceive(one) => {
            to.put(thread, at, none, MpiReceive { peer: moved(one.peer), ..one });
        }
        Event::MpiReceived(one) => {
            to.put(thread, at, none, MpiReceived { peer: moved(one.peer), ..one });
        }
        Event::MpiDone(one) => to.put(thread, at, none, MpiDone { peer: moved(one.peer), ..one }),
        // The machines have other clocks than the base's, which nobody has compared.
        Event::MpiClock(MpiClock { .. }) => {}
        _ => to.put_words(thread, at, record.code, record.words),
    }
}

/// Makes the ranks of a job in a folder, which must not exist. The bases are all ranks of a job, in their order.
pub fn make(job: &Path, bases: &[PathBuf], ranks: u32) -> Result<()> {
    ensure!(!job.exists(), "{} is there already", job.display());
    let of_base = bases.len() as u32;
    ensure!(
        of_base > 0 && ranks.is_multiple_of(of_base),
        "{ranks} is no multiple of {of_base} ranks"
    );
    for (position, path) in (0..).zip(bases) {
        let base = Base::read(path)?;
        for copy in 0..ranks / of_base {
            let (first, rank) = (copy * of_base, copy * of_base + position);
            let run = job.join(format!("rank.{rank}"));
            base.write(&run, (rank, ranks, first))?;
            let modules = path.join(folder::MODULES);
            fs::copy(&modules, run.join(folder::MODULES)).context("the list of modules")?;
        }
    }
    Ok(())
}
