//! The state at the begin of a window of time, from the records before it: they are read once, each thread's records
//! alone, several threads at a time, and many times faster than they are interpreted.
//!
//! The answer is a list of the records that interpretation needs from there: of what is open, and of what names
//! things. Interpreted in the order of time they lead to what all of them would have led to. Where that is
//! not certain (losses, pauses, cancellation, dependences, call stacks, tasks that move between threads with constructs
//! open) there is no answer, and everything is interpreted from the begin.

mod requests;
mod saved;
mod scan;
mod stack;
mod suspended;
mod task;
mod thread;

use crate::hash::FastMap;
use ompttrace_recording::Id;
use ompttrace_recording::events::{Event, ParallelBegin};
use ompttrace_recording::reader::{Stream, usable_cores};
use ompttrace_workers::each;
pub(crate) use requests::OpenRequests;
pub(crate) use saved::Saved;
pub(crate) use scan::Scan;
use std::collections::HashSet;
use task::{ScannedTask, TaskFrame};
use thread::ScannedThread;

/// Threads with initial tasks of their own; how those of more are called depends on all that were before.
const MOST_ROOTS: usize = 64;

/// The state at the begin of a window.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// Records with the positions of their threads, in the order of time.
    pub records: Vec<(u32, NeededRecord)>,
    /// Implicit tasks whose team is over, and whose own ends are still to come.
    pub late: Vec<(u32, Id)>,
    /// Times of the threads' last records, in ticks.
    pub seen: Vec<(u32, u64)>,
    /// Number of records that were read for it.
    pub skipped: u64,
    /// Number of explicit tasks that were created and are not complete.
    pub live_tasks: i64,
}

/// Key by which needed records are sorted: ticks, thread, index of the record, and its use.
pub(crate) type Key = (u64, u32, u64, Use);

pub(crate) fn key((thread, what): &(u32, NeededRecord)) -> Key {
    (what.saved().ticks, *thread, what.saved().number, what.purpose())
}

/// A record that is needed, and what for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NeededRecord {
    /// All that it means.
    All(Saved),
    /// The name of the mutex that it uses.
    Mutex(Saved),
    /// The request of MPI that is made by a call that is over.
    Request(Saved),
}

/// The kinds of [`NeededRecord`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Use {
    All,
    Mutex,
    Request,
}

impl NeededRecord {
    pub(crate) fn saved(&self) -> &Saved {
        match self {
            NeededRecord::All(saved)
            | NeededRecord::Mutex(saved)
            | NeededRecord::Request(saved) => saved,
        }
    }

    pub(crate) fn purpose(&self) -> Use {
        match self {
            NeededRecord::All(_) => Use::All,
            NeededRecord::Mutex(_) => Use::Mutex,
            NeededRecord::Request(_) => Use::Request,
        }
    }

    pub(crate) fn new(saved: Saved, purpose: Use) -> NeededRecord {
        match purpose {
            Use::All => NeededRecord::All(saved),
            Use::Mutex => NeededRecord::Mutex(saved),
            Use::Request => NeededRecord::Request(saved),
        }
    }
}

/// Reads streams up to the first record that is not before the last of `cuts`; those after the threads' own are only
/// moved there, each with its last records. Tasks that are over are forgotten at each cut on the way. `None`: what is
/// before has to be interpreted.
pub(crate) fn read<'a>(
    streams: Vec<Stream<'a>>,
    numbers: &[u64],
    cuts: &[u64],
) -> Option<(Vec<Stream<'a>>, Before)> {
    let (last, others) = cuts.split_last()?;
    let scan = |(at, stream)| Scan::new(stream, numbers.get(at).copied());
    let mut scans: Vec<_> = streams.into_iter().enumerate().map(scan).collect();
    let mut requests = OpenRequests::default();
    for cut in others {
        read_to(&mut scans, *cut);
        requests.take(&mut scans);
        Scan::forget_over(&mut scans);
    }
    read_to(&mut scans, *last);
    requests.take(&mut scans);
    let before = join(&scans, &requests)?;
    Some((scans.into_iter().map(|scan| scan.stream).collect(), before))
}

/// Several streams at a time.
fn read_to(scans: &mut [Scan<'_>], ticks: u64) {
    each("scan", usable_cores().get(), scans, |scan| scan.read_to(ticks));
}

/// Puts together what the streams' scans know; `None` where that is not enough, or where they contradict each other.
pub(crate) fn join(scans: &[Scan<'_>], requests: &OpenRequests) -> Option<Before> {
    if scans.iter().any(|scan| scan.is_unknown || scan.stream.undecoded() != 0) {
        return None;
    }
    let threads = || scans.iter().filter_map(|scan| scan.thread.as_deref());
    let open: HashSet<Id> = threads().flat_map(ScannedThread::regions).collect();
    let done: FastMap<Id, u64> = threads().filter_map(|thread| thread.done).collect();
    let over = scan::over(scans);
    if moves_back(threads(), &over)
        || threads().filter(|thread| thread.has_begun_root).count() > MOST_ROOTS
    {
        return None;
    }
    let skipped = scans.iter().map(|scan| scan.stream.taken()).sum();
    let mut before = Before { skipped, ..Before::default() };
    for (scan, at) in scans.iter().zip(0..) {
        match &scan.thread {
            Some(thread) => {
                before.live_tasks += thread.live_tasks;
                before.seen.push((at, thread.seen));
                before.add(at, thread, (&open, &done), &over)?;
            }
            None => {
                let last = scan.last.values().flatten();
                before.records.extend(last.map(|saved| (at, NeededRecord::All(*saved))));
            }
        }
    }
    requests.add_to(&mut before)?;
    before.records.sort_unstable_by_key(key);
    before.records.dedup_by_key(|entry| key(entry));
    Some(before)
}

/// Returns true if a task resumed on a thread that had suspended it, after it was on another thread: then its open
/// constructs cannot be reported from here.
fn moves_back<'a>(threads: impl Iterator<Item = &'a ScannedThread>, over: &HashSet<Id>) -> bool {
    let mut parts: FastMap<Id, Vec<(u64, u64)>> = FastMap::default();
    for thread in threads {
        let running =
            thread.task_frames.iter().filter_map(|task_frame| task_frame.running.as_ref());
        let all = running.map(|(id, task)| (id, task)).chain(thread.suspended.iter());
        for (id, task) in all.filter(|(id, _)| !over.contains(id)) {
            let until = task.left.map_or(u64::MAX, |left| left.ticks);
            parts.entry(*id).or_default().push((task.began.ticks, until));
        }
    }
    parts.values_mut().any(|parts| {
        parts.sort_unstable();
        parts.windows(2).any(|pair| matches!(pair, [one, next] if one.1 > next.0))
    })
}

impl Before {
    /// Returns true if a thread may have waited for a mutex since before these ticks: that it did is known when it has it.
    pub(crate) fn waits_since_before(&self, ticks: u64) -> bool {
        let is_request = |saved: &Saved| matches!(saved.record().event(), Event::MutexAcquire(_));
        let mut saved = self.records.iter().map(|(_, record)| record.saved());
        saved.any(|saved| saved.ticks < ticks && is_request(saved))
    }

    /// `open`: regions that have not ended; `done`: regions that their teams have left, and when. `None` where that is not
    /// enough.
    fn add(
        &mut self,
        at: u32,
        thread: &ScannedThread,
        (open, done): (&HashSet<Id>, &FastMap<Id, u64>),
        over: &HashSet<Id>,
    ) -> Option<()> {
        let mut all = thread.always.clone();
        all.extend(thread.counters.values());
        all.extend(thread.held.iter().map(|(_, saved)| *saved));
        all.extend(thread.asks);
        all.extend(thread.phases.iter().map(|(_, saved)| *saved));
        let mut add_task = |task: &ScannedTask| {
            all.push(task.began.saved());
            all.extend(task.stack.saved().chain(task.left.map(|left| left.saved())));
        };
        thread
            .suspended
            .iter()
            .filter(|(id, _)| !over.contains(id))
            .for_each(|(_, task)| add_task(task));
        let is_over = |task_frame: &TaskFrame| {
            let TaskFrame { region, began, .. } = task_frame;
            let is_done = |done: &u64| began.is_some_and(|began| began.ticks <= *done);
            !region.is_none() && (!open.contains(region) || done.get(region).is_some_and(is_done))
        };
        let there = thread.task_frames.iter().skip(1).position(is_over);
        let there = there.map_or(thread.task_frames.len(), |at| at + 1);
        match thread.task_frames.get(there) {
            None => {
                all.extend(thread.last_schedule.map(|switch| switch.saved()));
                all.extend(thread.tool_wait);
            }
            // Of a team that is over, the last switch would name tasks that no thread is in any more, and a wait for the tool
            // has ended with the team, unless it began after that.
            Some(left) => {
                if let Some(wait) = thread.tool_wait {
                    let is_later = wait.ticks >= *done.get(&left.region)?;
                    all.extend(is_later.then_some(wait));
                }
            }
        }
        for task_frame in thread.task_frames.iter().take(there) {
            all.extend(task_frame.began.into_iter().chain(task_frame.own.saved()));
            let running = task_frame.running.as_ref().filter(|(id, _)| !over.contains(id));
            all.extend(
                running.into_iter().flat_map(|(_, task)| {
                    [task.began.saved()].into_iter().chain(task.stack.saved())
                }),
            );
        }
        self.late
            .extend(thread.task_frames.iter().skip(there).map(|task_frame| (at, task_frame.task)));
        self.records.extend(all.into_iter().map(|saved| (at, NeededRecord::All(saved))));
        self.records.extend(thread.mutexes.iter().map(|saved| (at, NeededRecord::Mutex(*saved))));
        Some(())
    }
}

/// The id in the record of a region's begin.
fn region_of(begin: &Saved) -> u64 {
    ParallelBegin::from_words(begin.record().words).region
}
