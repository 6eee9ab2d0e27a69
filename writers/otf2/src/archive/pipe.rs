//! Threads that encode: each location's events are encoded by one of them, in their order, while
//! the timeline is interpreted on the thread that calls.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use super::Archive;
use super::encode::Events;
use crate::Error;
use crate::ids::{AttributeId, StringId};
use crate::op::Batch;

/// Threads of one archive at most: the one that interprets is not faster than so many.
const MOST_THREADS: usize = 4;
/// Batches on their way to one thread.
const QUEUE: usize = 64;

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

/// Events of each location that has any.
pub(crate) type Counts = BTreeMap<u64, u64>;

/// The way to a thread, and the thread.
type Encoder = (SyncSender<Batch>, JoinHandle<Result<Counts, Error>>);

/// The threads, and the way back for batches that can be filled again.
#[derive(Debug)]
pub(crate) struct Pipe {
    threads: Vec<Encoder>,
    empty: Receiver<Batch>,
}

impl Pipe {
    pub(crate) fn start(archive: &Arc<Archive>, context: Context) -> Result<Pipe, Error> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let (done, empty) = channel();
        let context = Arc::new(context);
        let spawn = |number: usize| {
            let (full, batches) = sync_channel(QUEUE);
            let (archive, context, done) = (archive.clone(), context.clone(), done.clone());
            let name = format!("otf2 {number}");
            let work = move || write_all(&archive, &context, &batches, &done);
            let thread = thread::Builder::new().name(name).spawn(work);
            thread.map(|thread| (full, thread)).map_err(|error| Error::Thread(error.to_string()))
        };
        let threads = (0..cores.saturating_sub(1).clamp(1, MOST_THREADS)).map(spawn);
        Ok(Pipe { threads: threads.collect::<Result<_, _>>()?, empty })
    }

    /// Hands over a batch; false where the thread has given up.
    pub(crate) fn send(&self, batch: Batch) -> bool {
        let number = batch.location as usize % self.threads.len().max(1);
        self.threads.get(number).is_some_and(|(full, _)| full.send(batch).is_ok())
    }

    /// An empty batch for `location`, used before if possible.
    pub(crate) fn batch(&self, location: u64) -> Batch {
        match self.empty.try_recv() {
            Ok(batch) => Batch { location, ..batch },
            Err(_) => Batch { location, ops: Vec::new(), attributes: Vec::new() },
        }
    }

    /// Waits for the threads; returns the number of events of each location.
    pub(crate) fn finish(self) -> Result<Counts, Error> {
        let (full, threads): (Vec<_>, Vec<_>) = self.threads.into_iter().unzip();
        drop(full);
        let mut counts = Counts::new();
        let mut failed = None;
        for thread in threads {
            match thread.join() {
                Ok(Ok(of_thread)) => counts.extend(of_thread),
                Ok(Err(error)) => drop(failed.get_or_insert(error)),
                Err(_) => drop(failed.get_or_insert(Error::Thread("it panicked".into()))),
            }
        }
        failed.map_or(Ok(counts), Err)
    }
}

fn write_all(
    archive: &Archive,
    context: &Context,
    batches: &Receiver<Batch>,
    done: &Sender<Batch>,
) -> Result<Counts, Error> {
    let mut writers = BTreeMap::new();
    for mut batch in batches {
        let events = match writers.entry(batch.location) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(Events::open(archive, batch.location)?)
            }
        };
        events.write(&batch, context)?;
        batch.ops.clear();
        batch.attributes.clear();
        // Nobody may want it any more.
        let _ = done.send(batch);
    }
    writers.into_iter().map(|(location, events)| Ok((location, events.close(archive)?))).collect()
}
