//! The chain of every thread, and the longest sequence of work before each task: ends of waits, begins of teams and
//! tasks.

use super::ReportSink;
use crate::chain::Chain;
use crate::construct_table::ConstructRef;
use crate::journal::{Entry, Link};
use crate::phase::Progress;
use crate::thread::{Now, Passes};
use ompttrace_model::ompt::SyncRegion;
use ompttrace_model::{SliceKind, ThreadRef};
use ompttrace_recording::Id;

/// A thread's chain goes on to `at`, which may be later than its last event.
fn go_on(chain: &mut Chain, now: Now, at: u64) {
    chain.extend(at.max(chain.at), now.construct, now.passes == Passes::Work);
}

/// The step from a chain to a thread that goes on at `at`.
pub(super) fn link(by: &Chain, thread: ThreadRef, at: u64) -> Link {
    Link { thread, at, by: by.thread, since: by.at, construct: by.worked_in }
}

impl ReportSink {
    /// A thread's chain as it is at `at`, which may be later than its last event.
    pub(super) fn chain(&mut self, t: ThreadRef, at: u64) -> Chain {
        let thread = self.thread(t);
        let (mut chain, now) = (thread.chain.clone(), thread.now);
        go_on(&mut chain, now, at);
        chain
    }

    /// A thread waits in a slice that has just begun, perhaps again.
    pub(super) fn wait_begins(&mut self, t: ThreadRef, at: u64, sync: SyncRegion, resumed: bool) {
        if !sync.is_barrier() {
            return;
        }
        self.note_change();
        let chain = self.chain(t, at);
        let thread = self.thread(t);
        let progress = thread.progress();
        let Some(task_frame) = thread.task_frames.last_mut() else { return };
        task_frame.barriers += u32::from(!resumed);
        let (region, ordinal) = (task_frame.region, task_frame.barriers);
        let (from, before) = (task_frame.phase_from, task_frame.phase_to.replace(progress));
        self.regions.arrive(region, ordinal, chain, progress.span);
        if let Some(phase) = self.regions.phase(region, ordinal) {
            phase.arrive(progress, from, before);
        }
    }

    /// A wait ends because the event that it waited for has come.
    pub(super) fn wait_ends(
        &mut self,
        t: ThreadRef,
        at: u64,
        sync: SyncRegion,
        construct: ConstructRef,
    ) {
        let task = self.thread(t).task_or_implicit();
        let Some(task_frame) = self.thread(t).task_frames.last() else { return };
        let (region, ordinal) = (task_frame.region, task_frame.barriers);
        let (by, span) = match sync {
            SyncRegion::Taskwait => self.tasks.children_of(task),
            SyncRegion::Taskgroup => self.regions.last_task(region),
            _ if sync.is_barrier() => self.regions.arrivals(region, ordinal),
            _ => (None, 0),
        };
        let since_last = by.map_or(0, |by| at.saturating_sub(by.at));
        let Some(thread) = self.threads.get_mut(t as usize) else { return };
        let released_by = by.filter(|by| thread.chain.ends_with(by, at));
        let link = released_by.map(|by| link(by, t, at));
        let released_by = released_by.map(|by| (by.thread, by.worked_in));
        thread.chain.released(by, t, at, construct);
        thread.span = thread.span.max(span);
        if let Some(by) = released_by {
            self.note_release(t, by);
        }
        self.note_link(link);
        if sync.is_barrier() {
            self.phase_ends(t, construct, since_last);
        }
    }

    /// A thread leaves a barrier, which its team's replay has reached as well.
    fn phase_ends(&mut self, t: ThreadRef, construct: ConstructRef, since_last: u64) {
        let Some(thread) = self.threads.get_mut(t as usize) else { return };
        let now = thread.progress();
        let Some(task_frame) = thread.task_frames.last_mut() else { return };
        let (region, ordinal) = (task_frame.region, task_frame.barriers);
        let phase = self.regions.phase(region, ordinal);
        let end = phase.and_then(|phase| {
            phase.end(task_frame.team_size, task_frame.phase_from, now.span, since_last)
        });
        thread.busy = end.unwrap_or(now.busy);
        task_frame.phase_to = None;
        task_frame.phase_from = Progress { busy: thread.busy, ..now };
        let waited = thread.busy as i64 - now.busy as i64;
        let numbers = self.sums.of(construct);
        numbers.replayed_wait = numbers.replayed_wait.saturating_add(waited);
    }

    /// A wait of a thread is over because of another thread; its time is charged already.
    pub(super) fn note_release(&mut self, thread: ThreadRef, (by, construct): (ThreadRef, u32)) {
        if by != thread {
            self.note(Entry::Released { thread, by, construct });
        }
    }

    /// The chain of a thread continues that of another.
    #[inline]
    pub(super) fn note_link(&mut self, link: Option<Link>) {
        if let Some(link) = link.filter(|link| link.by != link.thread) {
            self.note(Entry::Follows(link));
        }
    }

    /// A thread takes up an implicit task: it goes on from where its team was forked.
    pub(super) fn path_enters(&mut self, t: ThreadRef, at: u64, region: Id, number: u64) {
        let is_before = self.bounds.is_before();
        let fork = self.regions.fork(region);
        let link = fork.filter(|_| number > 0).map(|(chain, _)| link(chain, t, at));
        let construct = self.regions.construct(region).unwrap_or(crate::construct_table::OUTSIDE);
        let Some(thread) = self.threads.get_mut(t as usize) else { return };
        if let Some((chain, progress)) = fork {
            if number > 0 {
                // Also where the thread began only after the fork, because of it.
                thread.chain.follow(chain, t);
                if is_before {
                    thread.chain.switches = 0;
                }
            }
            thread.span = progress.span;
            thread.busy = thread.busy.max(progress.busy);
        }
        thread.chain.extend(at, construct, false);
        let progress = thread.progress();
        if let Some(task_frame) = thread.task_frames.last_mut() {
            task_frame.phase_from = progress;
        }
        self.note_link(link);
    }

    /// A task begins or goes on: it did so when it could, or when the thread had time for it.
    pub(super) fn path_to_task(&mut self, t: ThreadRef, at: u64, task: Id) {
        let Some(thread) = self.threads.get_mut(t as usize) else { return };
        let (ready, span) = self.tasks.runs((at, self.bounds.begins()), t, task);
        let link = ready.filter(|by| thread.chain.ends_with(by, at)).map(|by| link(by, t, at));
        thread.chain.released(ready, t, at, thread.now.construct);
        thread.span = span;
        self.note_link(link);
    }

    /// The running task is left; it is over or will go on later. It gets the work that was done since this was asked last.
    pub(super) fn path_from_task(&mut self, t: ThreadRef, at: u64) {
        let Some(thread) = self.threads.get_mut(t as usize) else { return };
        let (task, span, now) = (thread.task(), thread.span, thread.now);
        let work = thread.take_task_work();
        if task.is_none() {
            if let Some(task_frame) = thread.task_frames.last_mut() {
                task_frame.span = span;
            }
        } else if let Some(chain) = self.tasks.left(task, work, &thread.chain, span) {
            go_on(chain, now, at);
        }
    }

    /// A task is over: threads and tasks that wait for it may go on.
    pub(super) fn path_of_task_ends(&mut self, t: ThreadRef, at: u64, task: Id) {
        match self.thread(t).task() == task {
            true => self.path_from_task(t, at),
            false => self.note_task_work(t),
        }
        let task_frame = self.thread(t).task_frames.last();
        let region = task_frame.map_or(Id::NONE, |task_frame| task_frame.region);
        let regions = &mut self.regions;
        let counts = self.bounds.ends();
        self.tasks.over((at, counts), task, |chain, span| {
            regions.task_ends(region, chain, span);
        });
    }

    /// A mutex is given back while others wait for it.
    pub(super) fn path_of_release(&mut self, t: ThreadRef, at: u64, lock: usize) {
        let Some(thread) = self.threads.get(t as usize) else { return };
        if let Some(chain) = self.locks.set_released(lock, &thread.chain) {
            go_on(chain, thread.now, at);
        }
    }

    /// The synchronisation in which a slice is a wait; none for other slices.
    pub(super) fn wait_kind(kind: SliceKind) -> Option<SyncRegion> {
        match kind {
            SliceKind::Wait(kind) => Some(kind),
            _ => None,
        }
    }
}
