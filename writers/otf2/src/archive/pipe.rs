//! Threads that encode: each location's events are encoded by one of them, in their order, while
//! the timeline is interpreted on the thread that calls, which encodes itself where it has no help.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use super::Archive;
use super::encode;
use super::event_file::EventFile;
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
    /// What the calling thread encodes, if there is no other; an error of it is kept here.
    here: Result<Encoding, Error>,
    done: Sender<Batch>,
    empty: Receiver<Batch>,
}

impl Pipe {
    /// With so many threads, or as many as are of use and the system grants.
    pub(crate) fn start(archive: &Arc<Archive>, context: Context, wanted: usize) -> Pipe {
        let (done, empty) = channel();
        let encoding = Encoding {
            archive: archive.clone(),
            context: Arc::new(context),
            open: BTreeMap::new(),
        };
        let spawn = |number: usize| {
            let (full, batches) = sync_channel(QUEUE);
            let (encoding, done) = (encoding.another(), done.clone());
            let name = format!("otf2 {number}");
            let work = move || encoding.write_all(&batches, &done);
            Ok::<_, io::Error>((full, thread::Builder::new().name(name).spawn(work)?))
        };
        let threads = (0..wanted.min(MOST_THREADS)).map(spawn);
        Pipe { threads: threads.map_while(Result::ok).collect(), here: Ok(encoding), done, empty }
    }

    /// Hands over a batch; false where its encoder has given up.
    pub(crate) fn send(&mut self, batch: Batch) -> bool {
        let number = batch.location as usize % self.threads.len().max(1);
        match self.threads.get(number) {
            Some((full, _)) => full.send(batch).is_ok(),
            None => self.write_here(batch),
        }
    }

    fn write_here(&mut self, batch: Batch) -> bool {
        let Ok(encoding) = &mut self.here else { return false };
        match encoding.write(&batch) {
            Ok(()) => hand_back(batch, &self.done),
            Err(error) => self.here = Err(error),
        }
        self.here.is_ok()
    }

    /// An empty batch for `location`, used before if possible.
    pub(crate) fn batch(&self, location: u64) -> Batch {
        match self.empty.try_recv() {
            Ok(batch) => Batch { location, ..batch },
            Err(_) => Batch { location, ops: Vec::new(), attributes: Vec::new() },
        }
    }

    /// Waits for the threads; returns the number of events of each location.
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
    open: BTreeMap<u64, EventFile>,
}

impl Encoding {
    /// One for other locations.
    fn another(&self) -> Encoding {
        let (archive, context) = (self.archive.clone(), self.context.clone());
        Encoding { archive, context, open: BTreeMap::new() }
    }

    fn write_all(
        mut self,
        batches: &Receiver<Batch>,
        done: &Sender<Batch>,
    ) -> Result<Counts, Error> {
        for batch in batches {
            self.write(&batch)?;
            hand_back(batch, done);
        }
        self.close()
    }

    fn write(&mut self, batch: &Batch) -> Result<(), Error> {
        let file = match self.open.entry(batch.location) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                entry.insert(EventFile::new(self.archive.event_file(batch.location)))
            }
        };
        encode::write(file, batch, &self.context)
    }

    fn close(self) -> Result<Counts, Error> {
        self.open.into_iter().map(|(location, file)| Ok((location, file.close()?))).collect()
    }
}

/// Gives a batch back to be filled again.
fn hand_back(mut batch: Batch, done: &Sender<Batch>) {
    batch.ops.clear();
    batch.attributes.clear();
    // Nobody may want it any more.
    let _ = done.send(batch);
}
