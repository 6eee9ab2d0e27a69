//! A sink of reports on a thread of its own: one thread interprets a recording, another makes the accounts.

mod batch;
mod compact;
#[cfg(test)]
mod tests;
mod unpack;

use batch::Batch;
use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary, ThreadInfo};
use ompttrace_recording::facts::Facts;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Events of a batch, and batches on their way: few, so that they stay in the caches.
const BATCH: usize = 1 << 12;
const QUEUE: usize = 4;

/// Has another thread call a sink, with the same events in the same order, so that its output is the same. Only what
/// reports read of an event is passed on: the sink has to be one of reports.
pub struct Beside<S: Sink, F> {
    make: Option<F>,
    sink: Option<Location<S>>,
    batch: Batch,
    /// How many definitions the sink has, or will have with the batch: in all, and of each kind.
    count: usize,
    lengths: [usize; 5],
}

/// Where the sink is.
enum Location<S: Sink> {
    /// With the caller: the system has no more threads.
    Here(Box<Started<S>>),
    /// On a thread: it, and the way to it and back, which is closed before it is waited for.
    There { to: SyncSender<Message>, empty: Receiver<Batch>, handle: Handle<Option<Outcome<S>>> },
}

/// A thread that is waited for: what it writes is removed where it is given up.
struct Handle<T>(Option<JoinHandle<T>>);

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // Whoever wants to know how it ended asks before.
            let _ = thread.join();
        }
    }
}

/// A sink that was started, and what was defined so far.
struct Started<S> {
    sink: S,
    definitions: Definitions,
}

/// To where a thread gets what it begins with.
type Begin<F> = SyncSender<(F, Run)>;

type Outcome<S> = Result<<S as Sink>::Output, <S as Sink>::Error>;

#[derive(Debug)]
enum Message {
    Batch(Batch),
    End(Box<Summary>),
}

/// What [`RunInfo`] refers to.
struct Run {
    facts: Facts,
    threads: Vec<ThreadInfo>,
    begin: u64,
    end: u64,
    realtime_offset: i64,
}

impl Run {
    fn of(run: &RunInfo<'_>) -> Run {
        let RunInfo { facts, threads, begin, end, realtime_offset } = *run;
        Run { facts: facts.clone(), threads: threads.to_vec(), begin, end, realtime_offset }
    }

    fn info(&self) -> RunInfo<'_> {
        let Run { facts, threads, begin, end, realtime_offset } = self;
        RunInfo { facts, threads, begin: *begin, end: *end, realtime_offset: *realtime_offset }
    }
}

impl<S: Sink> Started<S> {
    fn new(make: impl FnOnce() -> S, run: &RunInfo<'_>) -> Started<S> {
        let mut sink = make();
        sink.start(run);
        Started { sink, definitions: Definitions::default() }
    }

    fn take(&mut self, batch: &mut Batch) {
        batch.hand_over(&mut self.definitions, &mut self.sink);
    }

    fn finish(self, summary: &Summary) -> Outcome<S> {
        self.sink.finish(&self.definitions, summary)
    }

    /// Calls the sink until the end. `None`: the caller gave up.
    fn work(mut self, messages: &Receiver<Message>, done: &Sender<Batch>) -> Option<Outcome<S>> {
        for message in messages {
            match message {
                Message::Batch(mut batch) => {
                    self.take(&mut batch);
                    // Nobody may want it any more.
                    let _ = done.send(batch);
                }
                Message::End(summary) => return Some(self.finish(&summary)),
            }
        }
        None
    }
}

impl<S, F> Beside<S, F>
where
    S: Sink<Output: Send, Error: Send> + 'static,
    F: FnOnce() -> S + Send + 'static,
{
    /// The sink that `make` makes.
    pub fn new(make: F) -> Beside<S, F> {
        let (batch, lengths) = (Batch::default(), [0; 5]);
        Beside { make: Some(make), sink: None, batch, count: 0, lengths }
    }

    /// A thread that waits for what makes the sink. `None`: the system has no more threads.
    fn spawn() -> Option<(Begin<F>, Location<S>)> {
        let ((to, messages), (done, empty)) = (sync_channel(QUEUE), channel());
        let (begin, begun) = sync_channel::<(F, Run)>(1);
        let work = move || {
            let (make, run) = begun.recv().ok()?;
            Started::new(make, &run.info()).work(&messages, &done)
        };
        let handle = Handle(Some(Builder::new().name("report".into()).spawn(work).ok()?));
        Some((begin, Location::There { to, empty, handle }))
    }

    #[cold]
    #[inline(never)]
    fn define(&mut self, definitions: &Definitions) {
        self.batch.define(definitions.since(self.lengths));
        (self.count, self.lengths) = (definitions.count(), definitions.lengths());
    }

    #[cold]
    #[inline(never)]
    fn hand_over(&mut self) {
        match &mut self.sink {
            Some(Location::Here(started)) => started.take(&mut self.batch),
            Some(Location::There { to, empty, .. }) => {
                let next = empty.try_recv().unwrap_or_default();
                // Should it have panicked, the end says so.
                let _ = to.send(Message::Batch(std::mem::replace(&mut self.batch, next)));
            }
            None => {}
        }
    }
}

impl<S, F> Sink for Beside<S, F>
where
    S: Sink<Output: Send, Error: Send> + 'static,
    F: FnOnce() -> S + Send + 'static,
{
    /// None if it was not started.
    type Output = Option<S::Output>;
    type Error = S::Error;

    const MIN_RESUME_NS: u64 = S::MIN_RESUME_NS;
    const COUNTS_ACTIVITY: bool = S::COUNTS_ACTIVITY;

    fn start(&mut self, run: &RunInfo<'_>) {
        let Some(make) = self.make.take() else { return };
        self.sink = Some(match Self::spawn() {
            Some((begin, there)) => {
                // It waits for this.
                let _ = begin.send((make, Run::of(run)));
                there
            }
            None => Location::Here(Box::new(Started::new(make, run))),
        });
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if self.count != definitions.count() {
            self.define(definitions);
        }
        self.batch.push(at, event);
        if self.batch.len() >= BATCH {
            self.hand_over();
        }
    }

    fn finish(
        mut self,
        definitions: &Definitions,
        summary: &Summary,
    ) -> Result<Option<S::Output>, S::Error> {
        self.define(definitions);
        self.hand_over();
        match self.sink {
            Some(Location::Here(started)) => started.finish(summary).map(Some),
            Some(Location::There { to, mut handle, .. }) => {
                let _ = to.send(Message::End(Box::new(summary.clone())));
                let Some(thread) = handle.0.take() else { return Ok(None) };
                thread.join().unwrap_or_else(|panic| resume_unwind(panic)).transpose()
            }
            None => Ok(None),
        }
    }
}
