//! Threads that encode: each location's events are encoded by one of them, in their order, or by the thread that calls
//! where it has no help.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

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
/// How often something is on its way to one thread: all that a location did in a window.
const QUEUE: usize = 4;

/// What some events need besides their own words.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// The traced process's id.
    pub process: u32,
    /// Its program and arguments.
    pub program: StringId,
    pub arguments: Vec<StringId>,
    pub thread_id: AttributeId,
    pub process_id: AttributeId,
}

impl Context {
    /// Which OS thread and process does something, by the names that other writers use.
    pub(super) fn os_thread_attributes(&self, os_thread: u32) -> [Attribute; 2] {
        let id =
            |key: AttributeId, value: u32| Attribute { key, value: Value::Unsigned(value.into()) };
        [id(self.thread_id, os_thread), id(self.process_id, self.process)]
    }
}

/// How much each location holds.
pub(crate) type Counts = BTreeMap<u64, Count>;

/// Events of a location, and what the numbers in them stand for.
type Job = (u64, Vec<Batch>, Arc<Names>);
/// The way to a thread, and the thread.
type Encoder = (SyncSender<Job>, JoinHandle<Result<Counts, Error>>);

/// The threads.
#[derive(Debug)]
pub(crate) struct Pipe {
    threads: Vec<Encoder>,
    /// What the calling thread encodes, if there is no other; an error of it is kept here.
    here: Result<Encoding, Error>,
}

impl Pipe {
    /// With so many threads, or as many as the system grants.
    pub(crate) fn start(
        archive: &Arc<Archive>,
        context: Context,
        pool: &BatchPool,
        wanted: usize,
    ) -> Pipe {
        let encoding = Encoding {
            archive: archive.clone(),
            context: Arc::new(context),
            pool: pool.clone(),
            open: BTreeMap::new(),
        };
        let spawn = |number: usize| {
            let (full, batches) = sync_channel(QUEUE);
            let encoding = encoding.another();
            let name = format!("otf2 {number}");
            let work = move || encoding.write_all(&batches);
            Ok::<_, io::Error>((full, thread::Builder::new().name(name).spawn(work)?))
        };
        let threads = (0..wanted).map(spawn);
        Pipe { threads: threads.map_while(Result::ok).collect(), here: Ok(encoding) }
    }

    /// Hands over events of a location, after which it has a file; false where the encoding thread has given up.
    pub(crate) fn send(&mut self, location: u64, batches: Vec<Batch>, names: &Arc<Names>) -> bool {
        let number = location as usize % self.threads.len().max(1);
        match self.threads.get(number) {
            Some((full, _)) => full.send((location, batches, names.clone())).is_ok(),
            None => self.write_here(location, batches, names),
        }
    }

    fn write_here(&mut self, location: u64, batches: Vec<Batch>, names: &Names) -> bool {
        let Ok(encoding) = &mut self.here else { return false };
        if let Err(error) = encoding.write(location, batches, names) {
            self.here = Err(error);
        }
        self.here.is_ok()
    }

    /// Waits for the threads; returns how much each location holds.
    pub(crate) fn finish(mut self) -> Result<Counts, Error> {
        let of_threads = self.join();
        let gone = || Error::Thread("it is over".into());
        let here = std::mem::replace(&mut self.here, Err(gone())).and_then(Encoding::close);
        let mut counts = Counts::new();
        for some in of_threads.into_iter().chain([here]) {
            counts.extend(some?);
        }
        Ok(counts)
    }

    /// Lets the threads do what they have, and waits for them.
    fn join(&mut self) -> Vec<Result<Counts, Error>> {
        let (full, threads): (Vec<_>, Vec<_>) = self.threads.drain(..).unzip();
        drop(full);
        let panicked = |_| Err(Error::Thread("it panicked".into()));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
    }
}

/// Whoever gives an archive up, and then removes it, must not find it written to.
impl Drop for Pipe {
    fn drop(&mut self) {
        self.join();
    }
}

/// Writers of the locations that one thread encodes.
#[derive(Debug)]
struct Encoding {
    archive: Arc<Archive>,
    context: Arc<Context>,
    pool: BatchPool,
    open: BTreeMap<u64, Location>,
}

impl Encoding {
    /// One for other locations.
    fn another(&self) -> Encoding {
        let (archive, context) = (self.archive.clone(), self.context.clone());
        Encoding { archive, context, pool: self.pool.clone(), open: BTreeMap::new() }
    }

    fn write_all(mut self, jobs: &Receiver<Job>) -> Result<Counts, Error> {
        for (location, batches, names) in jobs {
            self.write(location, batches, &names)?;
        }
        self.close()
    }

    fn write(&mut self, location: u64, batches: Vec<Batch>, names: &Names) -> Result<(), Error> {
        let to = match self.open.entry(location) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let metric = metric_instance(location.wrapping_sub(METRICS) as u32);
                entry.insert(Location::new(self.archive.file(location, "evt"), metric))
            }
        };
        to.write(&batches, names, &self.context)?;
        self.pool.give_back(batches);
        Ok(())
    }

    fn close(self) -> Result<Counts, Error> {
        self.open.into_iter().map(|(location, file)| Ok((location, file.close()?))).collect()
    }
}

/// The location of a device.
pub(crate) const fn stream(device: u32) -> u64 {
    DEVICES + device as u64
}

/// The number of a metric's instance; its class has the one before.
pub(crate) const fn metric_instance(metric: u32) -> u32 {
    metric.wrapping_mul(2).wrapping_add(1)
}
