//! A thread that makes rows, beside the one that makes the accounts, if there is a core for it.

use crate::Error;
use crate::constructs::Constructs;
use crate::stage::{Batch, Stage};
use crate::tables::Charged;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Batches on their way.
const QUEUE: usize = 16;

/// The thread that makes rows.
pub(crate) enum Worker {
    /// The thread that calls.
    Caller(Box<Stage>),
    /// Another one; batches come back to be filled again.
    Thread(WorkerThread),
}

/// A thread, and the way to it and back.
pub(crate) struct WorkerThread {
    full: Option<SyncSender<Batch>>,
    empty: Receiver<Batch>,
    thread: Option<JoinHandle<Result<Box<Stage>, Error>>>,
}

impl Worker {
    /// Has rows made by a thread, if that is wanted and the system grants it.
    pub(crate) fn start(stage: Stage, beside: bool) -> Worker {
        let stage = Box::new(stage);
        if !beside {
            return Worker::Caller(stage);
        }
        let (full, batches) = sync_channel(QUEUE);
        let (done, empty) = channel();
        // If the thread cannot be created, what was moved into its closure is lost: so it gets the stage once it runs.
        let (give, stage_of) = sync_channel::<Box<Stage>>(1);
        let work = move || match stage_of.recv() {
            Ok(stage) => work(stage, &batches, &done),
            Err(_) => Err(Error::Thread("it got nothing to do")),
        };
        match Builder::new().name("parquet".into()).spawn(work) {
            Ok(thread) => match give.send(stage) {
                Ok(()) => {
                    let (full, thread) = (Some(full), Some(thread));
                    Worker::Thread(WorkerThread { full, empty, thread })
                }
                Err(back) => Worker::Caller(back.0),
            },
            Err(_) => Worker::Caller(stage),
        }
    }

    /// Hands over a batch, which is empty then.
    pub(crate) fn put(&mut self, batch: &mut Batch) -> Result<(), Error> {
        match self {
            Worker::Caller(stage) => stage.take(batch),
            Worker::Thread(thread) => {
                let next = thread.empty.try_recv().unwrap_or_default();
                let full = std::mem::replace(batch, next);
                match thread.full.as_ref().map(|to| to.send(full)) {
                    Some(Ok(())) => Ok(()),
                    _ => Err(thread.join().err().unwrap_or(Error::Thread("it takes no more"))),
                }
            }
        }
    }

    /// Waits until all is done, and ends the tables.
    pub(crate) fn finish(
        self,
        wanted: impl FnOnce(&mut Constructs) -> Charged,
    ) -> Result<Constructs, Error> {
        match self {
            Worker::Caller(stage) => stage.finish(wanted),
            Worker::Thread(mut thread) => thread.join()?.finish(wanted),
        }
    }
}

impl WorkerThread {
    /// Lets it do what it has, and waits for it.
    fn join(&mut self) -> Result<Box<Stage>, Error> {
        self.full = None;
        let thread = self.thread.take().ok_or(Error::Thread("it is over"))?;
        thread.join().unwrap_or(Err(Error::Thread("it panicked")))
    }
}

/// A dataset that is given up and then removed must not be written to.
impl Drop for WorkerThread {
    fn drop(&mut self) {
        let _ = self.join();
    }
}

fn work(
    mut stage: Box<Stage>,
    batches: &Receiver<Batch>,
    done: &Sender<Batch>,
) -> Result<Box<Stage>, Error> {
    for mut batch in batches {
        stage.take(&mut batch)?;
        // Nobody may want it any more.
        let _ = done.send(batch);
    }
    Ok(stage)
}
