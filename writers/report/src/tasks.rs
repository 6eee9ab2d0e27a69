//! Explicit tasks: their work, how long they waited to begin, who made them and who ran them.

use crate::book::ConstructRef;
use ompttrace_recording::Id;
use ompttrace_timeline::ThreadRef;
use rustc_hash::FxHashMap;

/// Tasks that are looked at at the same time.
const MAX_LIVE: usize = 1 << 20;
/// Parts of the run in which the queue is told.
const PARTS: usize = 100;
/// One for each power of two of nanoseconds.
pub(crate) const GRAINS: usize = 48;

/// A task that is alive.
#[derive(Clone, Copy, Debug)]
struct Live {
    site: ConstructRef,
    created: u64,
    by: ThreadRef,
    /// The thread it ran on last; none before its begin.
    last: Option<ThreadRef>,
    work: u64,
}

/// The tasks that are made at one place.
#[derive(Clone, Debug)]
pub(crate) struct Site {
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
}

impl Default for Site {
    fn default() -> Site {
        Site {
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
        }
    }
}

/// All explicit tasks.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    live: FxHashMap<Id, Live>,
    pub sites: FxHashMap<ConstructRef, Site>,
    /// Of each thread the last creation, if nothing came after it: place and time.
    row: FxHashMap<ThreadRef, (ConstructRef, u64)>,
    pub queue: Queue,
}

impl Tasks {
    pub(crate) fn new(begin: u64, end: u64) -> Tasks {
        Tasks { queue: Queue::new(begin, end), ..Tasks::default() }
    }

    pub(crate) fn created(&mut self, at: u64, by: ThreadRef, task: Id, construct: ConstructRef) {
        let site = self.sites.entry(construct).or_default();
        site.created += 1;
        if let Some((last, since)) = self.row.insert(by, (construct, at))
            && last == construct
        {
            site.in_a_row += 1;
            site.making += at.saturating_sub(since);
        }
        if self.live.len() < MAX_LIVE {
            let live = Live { site: construct, created: at, by, last: None, work: 0 };
            self.live.insert(task, live);
            self.queue.change(at, 1);
        }
    }

    /// The thread does something else than to make tasks.
    pub(crate) fn breaks_row(&mut self, thread: ThreadRef) {
        if !self.row.is_empty() {
            self.row.remove(&thread);
        }
    }

    /// A task goes on, or begins.
    pub(crate) fn runs(&mut self, at: u64, thread: ThreadRef, task: Id) {
        let Some(live) = self.live.get_mut(&task) else { return };
        let Some(site) = self.sites.get_mut(&live.site) else { return };
        match live.last.replace(thread) {
            Some(last) => site.migrations += u64::from(last != thread),
            None => {
                let queued = at.saturating_sub(live.created);
                site.executed += 1;
                site.queued += queued;
                site.longest_queued = site.longest_queued.max(queued);
                site.elsewhere += u64::from(live.by != thread);
                self.queue.change(at, -1);
            }
        }
    }

    /// A task has worked.
    pub(crate) fn worked(&mut self, task: Id, work: u64) {
        if let Some(live) = self.live.get_mut(&task) {
            live.work += work;
        }
    }

    pub(crate) fn over(&mut self, at: u64, task: Id) {
        let Some(live) = self.live.remove(&task) else { return };
        if live.last.is_none() {
            self.queue.change(at, -1);
            return;
        }
        let Some(site) = self.sites.get_mut(&live.site) else { return };
        site.complete += 1;
        site.work += live.work;
        site.longest = site.longest.max(live.work);
        if let Some(grain) = site.grains.get_mut(grain_of(live.work)) {
            *grain += 1;
        }
    }
}

/// The power of two below a number of nanoseconds.
fn grain_of(work: u64) -> usize {
    (work.max(1).ilog2() as usize).min(GRAINS - 1)
}

/// How many tasks wait to begin, over time.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    begin: u64,
    part: u64,
    now: u64,
    length: u64,
    /// Of each part: length x time, and the longest.
    parts: Vec<(u64, u64)>,
}

impl Queue {
    fn new(begin: u64, end: u64) -> Queue {
        let part = end.saturating_sub(begin).div_ceil(PARTS as u64).max(1);
        Queue { begin, part, now: begin, length: 0, parts: vec![(0, 0); PARTS] }
    }

    fn change(&mut self, at: u64, by: i64) {
        self.advance(at);
        self.length = self.length.saturating_add_signed(by);
        let part = self.index(self.now);
        if let Some((_, longest)) = self.parts.get_mut(part) {
            *longest = (*longest).max(self.length);
        }
    }

    fn index(&self, at: u64) -> usize {
        (((at - self.begin) / self.part) as usize).min(PARTS - 1)
    }

    /// The length so far goes on to `at`.
    fn advance(&mut self, at: u64) {
        while self.now < at {
            let part = self.index(self.now);
            let next = self.begin + (part as u64 + 1) * self.part;
            let until = if part + 1 < PARTS { at.min(next) } else { at };
            if let Some((area, longest)) = self.parts.get_mut(part) {
                *area += self.length * (until - self.now);
                *longest = (*longest).max(self.length);
            }
            self.now = until;
        }
    }

    /// Begin of each part, mean and longest length in it.
    pub(crate) fn finish(mut self, end: u64) -> Vec<(u64, f64, u64)> {
        self.advance(end);
        let part = self.part;
        let told = self.parts.iter().enumerate();
        told.map(|(at, (area, longest))| (at as u64 * part, *area as f64 / part as f64, *longest))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_told_in_parts_of_the_run() {
        let mut queue = Queue::new(1000, 2000);
        queue.change(1005, 1);
        queue.change(1005, 1);
        queue.change(1025, -2);
        let parts = queue.finish(2000);
        assert_eq!(parts[..4], [(0, 1.0, 2), (10, 2.0, 2), (20, 1.0, 2), (30, 0.0, 0)]);
    }

    #[test]
    fn a_task_is_known_by_what_it_worked_and_who_ran_it() {
        let mut tasks = Tasks::new(0, 100);
        tasks.created(10, 0, Id(5), 3);
        tasks.created(12, 0, Id(6), 3);
        tasks.runs(20, 1, Id(5));
        tasks.worked(Id(5), 9);
        tasks.runs(40, 0, Id(5));
        tasks.over(50, Id(5));
        let site = &tasks.sites[&3];
        assert_eq!((site.created, site.executed, site.complete), (2, 1, 1));
        assert_eq!((site.work, site.grains[3], site.queued), (9, 1, 10));
        assert_eq!((site.elsewhere, site.migrations), (1, 1));
        assert_eq!((site.in_a_row, site.making), (1, 2));
    }
}
