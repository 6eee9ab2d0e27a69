//! Explicit tasks that a thread has suspended: the last few of them, which go on first mostly, and all others.

use super::task::{ScannedTask, Switch, TaskFrame};
use super::thread::{MOST_SUSPENDED, Unknown};
use crate::hash::FastMap;
use ompttrace_recording::Id;

/// Number of tasks that are searched linearly, from the end, which is faster than a table.
const LAST: usize = 32;

/// Explicit tasks that a thread has suspended.
#[derive(Debug, Default)]
pub(super) struct Suspended {
    /// Those that were suspended last, mostly in their order.
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
        if self.last.len() == LAST {
            self.make_room();
            if self.len() >= MOST_SUSPENDED {
                return Err(Unknown);
            }
        }
        task.left = Some(*by);
        self.last.push((id, task));
        Ok(())
    }

    /// The earlier half of the list goes into the table.
    #[cold]
    fn make_room(&mut self) {
        self.others.extend(self.last.drain(..LAST / 2));
    }

    #[inline]
    pub(super) fn remove(&mut self, id: Id) -> Option<Box<ScannedTask>> {
        if let Some((_, task)) = self.last.pop_if(|(of, _)| *of == id) {
            return Some(task);
        }
        match self.last.iter().rposition(|(of, _)| *of == id) {
            Some(at) => Some(self.last.swap_remove(at).1),
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
    use ompttrace_recording::events::TaskSchedule;

    /// The number of tasks: more than the list has room for.
    const ALL: u64 = 2 * LAST as u64 + 6;

    fn switch(number: u64) -> Switch {
        Switch::new((number, number), &TaskSchedule::default())
    }

    fn running(number: u64) -> TaskFrame {
        let began = switch(number);
        let task = Box::new(ScannedTask { began, left: None, stack: Stack::default() });
        TaskFrame { running: Some((Id(number), task)), ..TaskFrame::default() }
    }

    #[test]
    fn every_task_is_found_once_in_whatever_order() {
        for step in [1, 9, ALL - 1] {
            let mut suspended = Suspended::default();
            for number in 1..=ALL {
                let by = switch(number);
                suspended.suspend(&mut running(number), &by).expect("room for it");
            }
            assert_eq!((suspended.len(), suspended.iter().count()), (ALL as usize, ALL as usize));
            for number in (0..ALL).map(|at| 1 + at * step % ALL) {
                let found = suspended.remove(Id(number)).map(|task| task.began.ticks);
                assert_eq!(found, Some(number));
                assert!(suspended.remove(Id(number)).is_none());
            }
            assert_eq!(suspended.len(), 0);
        }
    }
}
