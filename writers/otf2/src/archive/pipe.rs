//! Threads that encode: each location's events are encoded by one of them, in their order, or by the calling thread where
//! there is no other.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use ompttrace_workers::Background;

use super::Archive;
use super::location::{Count, Location};
use super::names::Names;
use crate::Error;
use crate::batch::{Batch, BatchPool};
use crate::ids::{AttributeId, StringId};
use crate::op::{Attribute, Value};

/// Locations of counters have numbers from here on.
pub(crate) const METRICS: u64 = 1 << 32;
/// Locations of devices have numbers from here on.
const DEVICES: u64 = 1 << 33;
/// Other ranks of MPI have locations from here on.
const OTHER_RANKS: u64 = 1 << 34;
/// Each rank of a job has so many locations.
const OF_A_RANK: u64 = 1 << 36;
/// Number of jobs that may wait for one thread. A job is all events of a location in a segment.
const QUEUE: usize = 4;

/// Properties of the process that some events need besides their own fields.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// The number in the archive of the process's first location.
    pub first_location: u64,
    /// The traced process's id.
    pub process: u32,
    /// Path of the program's executable; below, its arguments.
    pub program: StringId,
    pub arguments: Vec<StringId>,
    pub thread_id: AttributeId,
    pub process_id: AttributeId,
}

impl Context {
    /// Attributes with the ids of an OS thread and of the process, by the names that other writers use.
    pub(super) fn os_thread_attributes(&self, os_thread: u32) -> [Attribute; 2] {
        let id =
            |key: AttributeId, value: u32| Attribute { key, value: Value::Unsigned(value.into()) };
        [id(self.thread_id, os_thread), id(self.process_id, self.process)]
    }
}

/// Number of events, and time of the last one, of each location.
pub(crate) type Counts = BTreeMap<u64, Count>;

/// A job for a thread that encodes.
#[derive(Debug)]
enum Job {
    /// Write the events of a location, with the archive's numbers for the numbers in them.
    Write(u64, Vec<Batch>, Arc<Names>),
    /// Close the files of all locations.
    Close,
}

/// The threads that encode an archive.
#[derive(Debug)]
pub(crate) struct Pipe {
    threads: Vec<Background<Encoding, Job, Error>>,
    /// The first error of one of them: nothing is encoded any more.
    error: Option<Error>,
}

impl Pipe {
    /// Starts `wanted` threads; the calling one does the work of each thread that the system refuses.
    pub(crate) fn start(
        archive: &Arc<Archive>,
        context: Context,
        pool: &BatchPool,
        wanted: usize,
    ) -> Pipe {
        let context = Arc::new(context);
        let encoding = || Encoding {
            archive: archive.clone(),
            context: context.clone(),
            pool: pool.clone(),
            open: BTreeMap::new(),
            counts: Counts::new(),
        };
        let start =
            |number| Background::new(&format!("otf2 {number}"), QUEUE, encoding(), Encoding::work);
        let mut threads: Vec<_> = (0..wanted).map(start).collect();
        if threads.is_empty() {
            threads.push(Background::here(encoding(), Encoding::work));
        }
        Pipe { threads, error: None }
    }

    /// Hands over events of a location, after which it has a file.
    pub(crate) fn send(&mut self, location: u64, batches: Vec<Batch>, names: &Arc<Names>) {
        let number = location as usize % self.threads.len().max(1);
        if let Some(thread) = self.threads.get_mut(number)
            && self.error.is_none()
        {
            self.error = thread.put(Job::Write(location, batches, names.clone())).err();
        }
    }

    /// Waits for the threads; returns the number of events of each location.
    pub(crate) fn finish(mut self) -> Result<Counts, Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.threads.iter_mut().try_for_each(|thread| thread.put(Job::Close))?;
        let mut counts = Counts::new();
        for thread in self.threads {
            counts.extend(thread.finish()?.counts);
        }
        Ok(counts)
    }
}

/// Writers of the locations that one thread encodes.
#[derive(Debug)]
struct Encoding {
    archive: Arc<Archive>,
    context: Arc<Context>,
    pool: BatchPool,
    open: BTreeMap<u64, Location>,
    counts: Counts,
}

impl Encoding {
    fn work(&mut self, job: Job) -> Result<(), Error> {
        match job {
            Job::Write(location, batches, names) => self.write(location, batches, &names),
            Job::Close => self.close(),
        }
    }

    fn write(&mut self, location: u64, batches: Vec<Batch>, names: &Names) -> Result<(), Error> {
        let to = match self.open.entry(location) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let metric = metric_instance(location.wrapping_sub(METRICS) as u32);
                let number = self.context.first_location + location;
                entry.insert(Location::new(self.archive.file(number, "evt"), metric))
            }
        };
        to.write(&batches, names, &self.context)?;
        self.pool.give_back(batches);
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        for (location, file) in std::mem::take(&mut self.open) {
            self.counts.insert(location, file.close()?);
        }
        Ok(())
    }
}

/// The first location of a rank, in an archive of all of them.
pub(crate) const fn rank_locations(rank: u32) -> u64 {
    rank as u64 * OF_A_RANK
}

/// The location of another rank of MPI, which has no events here.
pub(crate) const fn other_rank(rank: u32) -> u64 {
    OTHER_RANKS + rank as u64
}

/// The location of a device.
pub(crate) const fn stream(device: u32) -> u64 {
    DEVICES + device as u64
}

/// The number of a metric's instance; its class has the one before.
pub(crate) const fn metric_instance(metric: u32) -> u32 {
    metric.wrapping_mul(2).wrapping_add(1)
}
