//! Ids of tasks by the source's numbers: a number has an id already, or gets one because something happens in its task.

use super::{SourceIds, SourceTask};
use ompttrace_recording::{Id, Scope};

impl SourceIds {
    /// The id of a number that is known, otherwise none.
    pub(super) fn known(&self, word: u64) -> u64 {
        if !Id(word).is_from_source() {
            return word;
        }
        self.tasks.get(&word).map_or(0, |task| task.id.0)
    }

    /// The id of the task in which an event came: one that was never reported is an implicit task,
    /// or the initial one.
    pub(super) fn running(&mut self, (t, thread): (u32, u64), word: u64) -> u64 {
        if !Id(word).is_from_source() {
            return word;
        }
        if let Some(id) = self.of_serial_team(t, word) {
            return id.0;
        }
        if let Some(task) = self.tasks.get(&word).filter(|task| !task.is_over) {
            return task.id.started().0;
        }
        let part = Id::thread_part(thread);
        let id = Id::implicit_task(part, self.counter(), Id::NONE);
        self.tasks.insert(word, SourceTask { is_made_up: true, ..SourceTask::new(id) });
        id.0
    }

    /// The implicit task of the team of one that thread `t` is in, where `word` is its second number: LLVM's
    /// runtime of 2014 reports the begin of such a task by one number and its explicit tasks by another.
    pub(super) fn of_serial_team(&self, t: u32, word: u64) -> Option<Id> {
        let own = self.teams.serial(t)?;
        let task = self.tasks.get(&word);
        task.is_none_or(|task| task.is_made_up).then_some(own)
    }

    /// The id of the task of a begin or end. It is found as by [`SourceIds::running`], but an end does not make up a
    /// task.
    pub(super) fn at_end(&mut self, by: (u32, u64), scope: Scope, word: u64) -> u64 {
        match scope {
            Scope::End => Id(self.known_on(by.0, word)).started().0,
            _ => self.running(by, word),
        }
    }

    /// The id of a number that is known on thread `t`, otherwise none.
    pub(super) fn known_on(&self, t: u32, word: u64) -> u64 {
        let serial = if Id(word).is_from_source() { self.of_serial_team(t, word) } else { None };
        serial.map_or_else(|| self.known(word), |id| id.0)
    }
}
