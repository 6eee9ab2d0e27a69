//! One stream that was read up to some time, and the state that its records show.

use super::saved::Saved;
use super::thread::ScannedThread;
use crate::hash::FastMap;
use ompttrace_recording::Id;
use ompttrace_recording::reader::Stream;
use std::collections::HashSet;

/// A stream that was read up to some time, and the state that its records show.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    pub(crate) stream: Stream<'a>,
    /// State of the thread, if the stream is a thread's own.
    pub(super) thread: Option<Box<ScannedThread>>,
    /// Last record of each kind, if the stream is a core stream: the state of the thread's core, and the sums so far.
    pub(super) last: FastMap<u8, Option<Saved>>,
    /// True if the records show something that can be followed from the begin of a recording only.
    pub(crate) is_unknown: bool,
}

/// Explicit tasks that are over, of those that ran on several threads.
pub(super) fn over(scans: &[Scan<'_>]) -> HashSet<Id> {
    let threads = || scans.iter().filter_map(|scan| scan.thread.as_deref());
    let mut over: HashSet<Id> = threads().flat_map(|thread| thread.over.keys().copied()).collect();
    // A task that went on where it began may have ended there, which the thread that suspended it last does not see.
    let mut arrived: HashSet<Id> = threads().flat_map(ScannedThread::arrived).collect();
    if !arrived.is_empty() {
        threads().flat_map(ScannedThread::begun_here).for_each(|task| {
            arrived.remove(&task);
        });
        over.extend(arrived);
    }
    over
}

impl<'a> Scan<'a> {
    /// A stream before its first record; `number` is the number of the thread whose own stream it is.
    pub(crate) fn new(stream: Stream<'a>, number: Option<u64>) -> Scan<'a> {
        let thread = number.map(|number| Box::new(ScannedThread::new(number)));
        Scan { stream, thread, last: FastMap::default(), is_unknown: false }
    }

    /// Reads up to the first record that is not before `ticks`.
    pub(crate) fn read_to(&mut self, ticks: u64) {
        let Some(last) = ticks.checked_sub(1).filter(|_| !self.is_unknown) else { return };
        let mut number = self.stream.taken();
        let known = match &mut self.thread {
            Some(thread) => {
                self.stream.take_stored_through(last, |record| thread.take(&record).is_ok())
            }
            None => self.stream.take_stored_through(last, |record| {
                number += 1;
                self.last.insert(record.code.0, Saved::of(&record, number));
                true
            }),
        };
        self.is_unknown = !known;
    }

    /// Drops tasks that are over according to the records of all threads.
    pub(crate) fn forget_over(scans: &mut [Scan<'_>]) {
        let over = over(scans);
        if over.is_empty() {
            return;
        }
        for thread in scans.iter_mut().filter_map(|scan| scan.thread.as_mut()) {
            thread.forget(&over);
        }
    }

    /// Returns true if the stream had records so far.
    pub(crate) fn has_begun(&self) -> bool {
        self.stream.taken() > 0
    }
}
