//! Explicit tasks that a thread has suspended: the last few of them, which go on first mostly, and all others.

use super::task::{ScannedTask, Switch, TaskFrame};
use super::thread::{MOST_SUSPENDED, Unknown};
use crate::hash::FastMap;
use ompttrace_recording::Id;

/// Number of tasks that are searched linearly, which is faster than a table.
const LAST: usize = 8;

/// Explicit tasks that a thread has suspended.
#[derive(Debug, Default)]
pub(super) struct Suspended {
    last: Vec<(Id, Box<ScannedTask>)>,
    others: FastMap<Id, Box<ScannedTask>>,
}

impl Suspended {
    pub(super) fn len(&self) -> usize {
        self.last.len() + self.others.len()
    }

    /// Suspends the explicit task that runs above an implicit one.
    #[inline]
    pub(super) fn suspend(&mut self, top: &mut TaskFrame, by: &Switch) -> Result<(), Unknown> {
        let Some((id, mut task)) = top.running.take() else { return Ok(()) };
        if self.len() >= MOST_SUSPENDED {
            return Err(Unknown);
        }
        task.left = Some(*by);
        self.insert(id, task);
        Ok(())
    }

    #[inline]
    fn insert(&mut self, id: Id, task: Box<ScannedTask>) {
        if self.last.len() == LAST {
            let (id, task) = self.last.remove(0);
            self.others.insert(id, task);
        }
        self.last.push((id, task));
    }

    #[inline]
    pub(super) fn remove(&mut self, id: Id) -> Option<Box<ScannedTask>> {
        if let Some((_, task)) = self.last.pop_if(|(of, _)| *of == id) {
            return Some(task);
        }
        match self.last.iter().rposition(|(of, _)| *of == id) {
            Some(at) => Some(self.last.remove(at).1),
            None if self.others.is_empty() => None,
            None => self.others.remove(&id),
        }
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&Id) -> bool) {
        self.last.retain(|(id, _)| keep(id));
        self.others.retain(|id, _| keep(id));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Id, &Box<ScannedTask>)> {
        self.last.iter().map(|(id, task)| (id, task)).chain(&self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::super::stack::Stack;
    use super::*;
    use ompttrace_recording::events::{EventCode, TaskSchedule};

    fn task(number: u64) -> Box<ScannedTask> {
        let (code, event) = (EventCode(96), TaskSchedule::default());
        let began = Switch { ticks: number, number, code, event };
        Box::new(ScannedTask { began, left: None, stack: Stack::default() })
    }

    #[test]
    fn every_task_is_found_once_in_whatever_order() {
        for step in [1, 7, 29] {
            let mut suspended = Suspended::default();
            for number in 1..=30 {
                suspended.insert(Id(number), task(number));
            }
            assert_eq!((suspended.len(), suspended.iter().count()), (30, 30));
            for number in (0..30).map(|at| 1 + at * step % 30) {
                let found = suspended.remove(Id(number)).map(|task| task.began.ticks);
                assert_eq!(found, Some(number));
                assert!(suspended.remove(Id(number)).is_none());
            }
            assert_eq!(suspended.len(), 0);
        }
    }
}
