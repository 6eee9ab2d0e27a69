//! Suspended explicit tasks with their open slices, and dependences between live tasks.

use super::thread::OpenSlice;
use crate::hash::{FastMap, dependence_flow};
use ompttrace_recording::Id;

/// Suspended tasks that keep their slices; beyond that a resumed task begins anew.
const MAX_SUSPENDED: usize = 1 << 18;
/// Number of suspended tasks that are kept in a list, not in the table.
const MAX_LAST: usize = 32;
/// Tasks at the same time that went on before they were said to be suspended.
const MAX_OVERTAKEN: usize = 1 << 12;
/// Tasks whose dependences are drawn as flows at the same time, and flows of one of them.
const MAX_DEPENDING: usize = 1 << 16;
const MAX_FLOWS: usize = 16;
/// Vectors of slices that are kept for the next task.
const MAX_SPARE: usize = 256;

/// Explicit tasks that are alive but not running.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    suspended: FastMap<Id, Vec<OpenSlice>>,
    /// Those that were suspended last, mostly in their order, which are mostly the next to go on: searched from the end, which is faster
    /// than a table.
    last: Vec<(Id, Vec<OpenSlice>)>,
    spare: Vec<Vec<OpenSlice>>,
    /// Tasks that went on before anybody said that they were suspended: an untied task may be
    /// taken up by another thread (which is kept here) before the first one's event is stamped.
    overtaken: FastMap<Id, u32>,
    /// True once any did: then two threads may say of the same task that it is suspended.
    has_overtaken: bool,
    /// For each task that is not over, the tasks that wait for it.
    waiting_for: FastMap<Id, Vec<Id>>,
    /// Tasks whose code is over and that are complete when an event is fulfilled.
    detached: FastMap<Id, ()>,
    /// For each task that waits, the flows that its predecessors reported.
    announced: FastMap<Id, Vec<u64>>,
}

impl Tasks {
    /// Keeps the slices of a task that thread `t` left.
    #[inline]
    pub(crate) fn suspend(&mut self, t: u32, task: Id, slices: Vec<OpenSlice>) {
        let overtaken =
            !self.overtaken.is_empty() && self.overtaken.remove(&task).is_some_and(|by| by != t);
        if !overtaken && self.suspended.len() < MAX_SUSPENDED {
            if self.has_overtaken {
                self.resume(task);
            }
            if self.last.len() == MAX_LAST {
                self.suspended.extend(self.last.drain(..MAX_LAST / 2));
            }
            self.last.push((task, slices));
        }
    }

    /// A task continues on thread `t` of which nothing is known.
    pub(crate) fn overtake(&mut self, t: u32, task: Id) {
        if self.overtaken.len() < MAX_OVERTAKEN {
            self.overtaken.insert(task, t);
            self.has_overtaken = true;
        }
    }

    /// A task is complete.
    #[inline]
    pub(crate) fn over(&mut self, task: Id) {
        if !self.overtaken.is_empty() {
            self.overtaken.remove(&task);
        }
        if !self.waiting_for.is_empty() {
            self.waiting_for.remove(&task);
        }
    }

    /// A task's code is over, but others still wait for it.
    pub(crate) fn detach(&mut self, task: Id) {
        self.overtaken.remove(&task);
        if self.detached.len() < MAX_DEPENDING {
            self.detached.insert(task, ());
        }
    }

    pub(crate) fn is_detached(&self, task: Id) -> bool {
        self.detached.contains_key(&task)
    }

    /// The slices of a suspended task, which is suspended no longer.
    #[inline]
    pub(crate) fn resume(&mut self, task: Id) -> Option<Vec<OpenSlice>> {
        if let Some((_, slices)) = self.last.pop_if(|(last, _)| *last == task) {
            return Some(slices);
        }
        match self.last.iter().rposition(|(last, _)| *last == task) {
            Some(at) => Some(self.last.swap_remove(at).1),
            None if self.suspended.is_empty() => None,
            None => self.suspended.remove(&task),
        }
    }

    pub(crate) fn is_suspended(&self, task: Id) -> bool {
        self.suspended.contains_key(&task) || self.last.iter().any(|(last, _)| *last == task)
    }

    /// An empty vector, used before if possible.
    #[inline]
    pub(crate) fn empty(&mut self) -> Vec<OpenSlice> {
        self.spare.pop().unwrap_or_default()
    }

    /// Keeps a vector for the next task.
    #[inline]
    pub(crate) fn recycle(&mut self, mut slices: Vec<OpenSlice>) {
        if slices.capacity() > 0 && self.spare.len() < MAX_SPARE {
            slices.clear();
            self.spare.push(slices);
        }
    }

    /// `sink` waits for `source`, which is not over.
    pub(crate) fn depend(&mut self, source: Id, sink: Id) {
        if self.waiting_for.len() >= MAX_DEPENDING {
            return;
        }
        let sinks = self.waiting_for.entry(source).or_default();
        if sinks.len() < MAX_FLOWS && !sinks.contains(&sink) {
            sinks.push(sink);
        }
    }

    /// `task` runs for the first time: flows that leave it, and flows that end at it.
    #[inline]
    pub(crate) fn first_run(&mut self, task: Id, leaving: &mut Vec<u64>, ending: &mut Vec<u64>) {
        if !self.announced.is_empty() {
            self.waited_for(task, ending);
        }
        if !self.waiting_for.is_empty()
            && let Some(sinks) = self.waiting_for.get(&task)
        {
            // Others may come, and where it is detached the flows leave its completion.
            announce_sinks(&mut self.announced, task, sinks, leaving);
        }
    }

    /// Adds to `ending` the flows that end at `task`, as the tasks it waited for are over.
    pub(crate) fn waited_for(&mut self, task: Id, ending: &mut Vec<u64>) {
        ending.extend(self.announced.remove(&task).unwrap_or_default());
    }

    /// A detached task is complete: the flows to all that wait for it pass here or leave here.
    pub(crate) fn fulfilled(&mut self, task: Id, leaving: &mut Vec<u64>) {
        let Some(sinks) = self.waiting_for.remove(&task) else { return };
        announce_sinks(&mut self.announced, task, &sinks, &mut Vec::new());
        let known = |sink: &&Id| self.announced.contains_key(*sink);
        leaving.extend(sinks.iter().filter(known).map(|sink| dependence_flow(task, *sink)));
    }

    /// `task` is over without having run, or after it was detached.
    pub(crate) fn never_ran(&mut self, task: Id) {
        self.announced.remove(&task);
        self.waiting_for.remove(&task);
        self.detached.remove(&task);
    }
}

/// Flows that leave `task` from now on, to `sinks`.
fn announce_sinks(
    announced: &mut FastMap<Id, Vec<u64>>,
    task: Id,
    sinks: &[Id],
    leaving: &mut Vec<u64>,
) {
    for &sink in sinks {
        if announced.len() >= MAX_DEPENDING {
            return;
        }
        let flow = dependence_flow(task, sink);
        let flows = announced.entry(sink).or_default();
        if flows.len() < MAX_FLOWS && !flows.contains(&flow) {
            flows.push(flow);
            leaving.push(flow);
        }
    }
}
