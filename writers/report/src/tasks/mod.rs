//! Explicit tasks: their work, the time until they begin, and the threads that create and execute them.

mod order;
mod queue;

use crate::chain::Chain;
use crate::construct_table::ConstructRef;
use ompttrace_model::ThreadRef;
use ompttrace_recording::Id;
use queue::Queue;
use rustc_hash::{FxHashMap, FxHashSet};

/// Tasks that are looked at at the same time.
const MAX_LIVE: usize = 1 << 20;
/// Threads that are distinguished as makers of the tasks of one location.
const MAX_MAKERS: usize = 1 << 10;
/// Number of buckets of work: one for each power of two of nanoseconds.
pub(crate) const GRAINS: usize = 48;

/// The creation of a task.
#[derive(Debug)]
pub(crate) struct Made {
    pub at: u64,
    /// The clock of its creator's time with a core.
    pub busy: u64,
    pub by: ThreadRef,
    pub site: ConstructRef,
    /// The task that created it.
    pub parent: Id,
    /// Chain that led to the creation.
    pub chain: Chain,
    /// The longest sequence of work before it.
    pub span: u64,
}

/// A task that is alive.
#[derive(Debug)]
struct LiveTask {
    /// Creation of the task; chain and span are updated as it becomes ready or is suspended.
    made: Made,
    /// The thread it ran on last; none before its begin.
    last: Option<ThreadRef>,
    work: u64,
}

/// The tasks that are created at one location.
#[derive(Clone, Debug)]
pub(crate) struct TaskSite {
    pub created: u64,
    pub executed: u64,
    pub complete: u64,
    pub work: u64,
    pub longest: u64,
    pub grains: [u64; GRAINS],
    pub in_a_row: u64,
    pub making: u64,
    pub queued: u64,
    pub longest_queued: u64,
    pub elsewhere: u64,
    pub migrations: u64,
    /// Threads that created some of the tasks, and the last of them.
    pub makers: FxHashSet<ThreadRef>,
    last_maker: Option<ThreadRef>,
}

impl Default for TaskSite {
    fn default() -> TaskSite {
        TaskSite {
            grains: [0; GRAINS],
            created: 0,
            executed: 0,
            complete: 0,
            work: 0,
            longest: 0,
            in_a_row: 0,
            making: 0,
            queued: 0,
            longest_queued: 0,
            elsewhere: 0,
            migrations: 0,
            makers: FxHashSet::default(),
            last_maker: None,
        }
    }
}

impl TaskSite {
    /// True if tasks of it were made, ran or waited to run in the window of the report.
    pub(crate) fn is_used(&self) -> bool {
        self.created > 0 || self.executed > 0 || self.complete > 0 || self.work > 0
    }
}

/// All explicit tasks.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    live: FxHashMap<Id, LiveTask>,
    pub sites: FxHashMap<ConstructRef, TaskSite>,
    /// Last creation of each thread, if nothing came after it: location and the clock.
    last_created: Vec<Option<(ConstructRef, u64)>>,
    /// Chain at the end of the last child of each task that has created others, and the longest sequence of work.
    children: FxHashMap<Id, (Chain, u64)>,
    /// Tasks that wait for a task.
    waiting: FxHashMap<Id, Vec<Id>>,
    pub queue: Queue,
    pub dependences: u64,
}

impl Tasks {
    pub(crate) fn new(begin: u64, end: u64) -> Tasks {
        Tasks { queue: Queue::new(begin, end), ..Tasks::default() }
    }

    pub(crate) fn created(&mut self, task: Id, made: Made, counts: bool) {
        let (at, busy, construct) = (made.at, made.busy, made.site);
        let site = self.sites.entry(construct).or_default();
        site.created += u64::from(counts);
        if counts && site.last_maker != Some(made.by) && site.makers.len() < MAX_MAKERS {
            site.last_maker = Some(made.by);
            site.makers.insert(made.by);
        }
        if self.last_created.len() <= made.by as usize {
            self.last_created.resize(made.by as usize + 1, None);
        }
        if let Some((last, since)) = self.last_created[made.by as usize].replace((construct, busy))
            && last == construct
        {
            site.in_a_row += u64::from(counts);
            site.making += busy.saturating_sub(since);
        }
        if self.live.len() < MAX_LIVE {
            self.live.insert(task, LiveTask { made, last: None, work: 0 });
            self.queue.change(at, 1);
        }
    }

    /// The thread does something else than to make tasks.
    pub(crate) fn clear_last_created(&mut self, thread: ThreadRef) {
        if let Some(last) = self.last_created.get_mut(thread as usize) {
            *last = None;
        }
    }

    /// A task goes on, or begins, and counts or not: where from, and the longest sequence of work before it.
    pub(crate) fn runs(
        &mut self,
        (at, counts): (u64, bool),
        thread: ThreadRef,
        task: Id,
    ) -> (Option<&Chain>, u64) {
        let Some(live) = self.live.get_mut(&task) else { return (None, 0) };
        let before = live.last.replace(thread);
        if before != Some(thread)
            && let Some(site) = self.sites.get_mut(&live.made.site)
        {
            if before.is_some() {
                site.migrations += u64::from(counts);
            } else {
                let queued = at.saturating_sub(live.made.at);
                site.executed += u64::from(counts);
                site.queued += queued;
                site.longest_queued = site.longest_queued.max(queued);
                site.elsewhere += u64::from(live.made.by != thread && counts);
                self.queue.change(at, -1);
            }
        }
        (Some(&live.made.chain), live.made.span)
    }

    /// A task has worked.
    pub(crate) fn worked(&mut self, task: Id, work: u64) {
        if let Some(live) = self.live.get_mut(&task) {
            live.work += work;
        }
    }

    /// A task is over, and counts or not. If it ran, `ended` gets what led to its end, and the longest sequence of work up to there.
    pub(crate) fn over(
        &mut self,
        (at, counts): (u64, bool),
        task: Id,
        ended: impl FnOnce(&Chain, u64),
    ) {
        let Some(LiveTask { made, last, work }) = self.live.remove(&task) else { return };
        if last.is_none() {
            self.queue.change(at, -1);
            return;
        }
        if let Some(site) = self.sites.get_mut(&made.site) {
            site.complete += u64::from(counts);
            site.work += work;
            site.longest = site.longest.max(work);
            if let Some(grain) = site.grains.get_mut(grain_of(work)) {
                *grain += u64::from(counts);
            }
        }
        ended(&made.chain, made.span);
        self.report_parent(task, made);
    }
}

/// The power of two below a number of nanoseconds.
fn grain_of(work: u64) -> usize {
    (work.max(1).ilog2() as usize).min(GRAINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_known_by_its_work_and_the_threads_that_ran_it() {
        let mut tasks = Tasks::new(0, 100);
        for (at, id) in [(10, 5), (12, 6)] {
            let (parent, chain) = (Id(1), Chain::default());
            let made = Made { at, busy: at, by: 0, site: 3, parent, chain, span: 0 };
            tasks.created(Id(id), made, true);
        }
        tasks.runs((20, true), 1, Id(5));
        tasks.worked(Id(5), 9);
        tasks.runs((40, true), 0, Id(5));
        tasks.over((50, true), Id(5), |_, _| {});
        let site = &tasks.sites[&3];
        assert_eq!((site.created, site.executed, site.complete), (2, 1, 1));
        assert_eq!((site.work, site.grains[3], site.queued), (9, 1, 10));
        assert_eq!((site.elsewhere, site.migrations), (1, 1));
        assert_eq!((site.in_a_row, site.making), (1, 2));
    }
}
