//! Ids of sources that number their tasks and regions themselves, brought into our form, which says
//! where a task was made and whether it has run.
//!
//! A number means a task from its creation to its end; then it may mean another. What is over is
//! remembered for a while, because its last events may come late, but begins nothing any more.

mod numbers;
mod region;
mod teams;
#[cfg(test)]
mod tests;

use crate::code::{Code, Sites};
use crate::hash::FastMap;
use ompttrace_model::ompt::TaskStatus;
use ompttrace_recording::events::{
    Event, ImplicitTask, MAX_WORDS, Record, TaskCreate, TaskSchedule,
};
use ompttrace_recording::kinds::{TASK_BEGINS, UNREPORTED};
use ompttrace_recording::{Id, Scope};
use region::SourceRegion;
use std::collections::VecDeque;
use teams::{Team, Teams};

/// Tasks and regions that are over and still remembered.
const MAX_OVER: usize = 1 << 14;
/// The thread of ids whose maker is unknown: the last that an id can carry.
const NOBODY: u64 = (1 << 18) - 1;
/// Running numbers from here on cannot be those of other sources: no thread makes as many.
const BESIDE_OTHERS: u32 = 1 << 31;

/// A record's payload in our form.
pub(crate) struct Words {
    words: [u64; MAX_WORDS],
    count: usize,
}

impl Words {
    /// An event's payload.
    pub(crate) fn of(event: &Event) -> Words {
        let (words, count) = event.payload();
        Words { words, count }
    }

    /// A payload with another first word.
    pub(crate) fn with_first(payload: &[u64], first: u64) -> Words {
        let mut words = [0; MAX_WORDS];
        let count = payload.len().min(MAX_WORDS);
        words.iter_mut().zip(payload).for_each(|(slot, word)| *slot = *word);
        words[0] = first;
        Words { words, count }
    }

    /// The record with this payload.
    pub(crate) fn record<'w>(&'w self, record: &Record<'_>) -> Record<'w> {
        let words = self.words.get(..self.count).unwrap_or_default();
        Record { ticks: record.ticks, code: record.code, words }
    }
}

/// A task that a source has reported.
#[derive(Clone, Copy, Debug)]
struct SourceTask {
    /// Marked fresh until it runs.
    id: Id,
    is_over: bool,
    /// True if nothing but the task's number was reported.
    is_made_up: bool,
}

impl SourceTask {
    fn new(id: Id) -> SourceTask {
        SourceTask { id, is_over: false, is_made_up: false }
    }
}

/// Ids of the regions and tasks that sources know by their own numbers, at the current time.
#[derive(Debug, Default)]
pub(crate) struct SourceIds {
    regions: FastMap<u64, SourceRegion>,
    tasks: FastMap<u64, SourceTask>,
    over: VecDeque<(bool, u64, Id)>,
    made: u32,
    /// Number of each thread in its last team, by the thread's position.
    last: Vec<u64>,
    /// Teams that each thread is in.
    teams: Teams,
    /// The initial task that was begun with the process, before its record: the source's number and the id.
    initial: Option<(u64, Id)>,
}

impl SourceIds {
    /// Ids of a source before its first record. `alone` is true if no other source's ids are in the recording.
    pub(crate) fn new(alone: bool) -> SourceIds {
        SourceIds { made: if alone { 0 } else { BESIDE_OTHERS }, ..SourceIds::default() }
    }

    /// The payload of a record of thread `t` with the source's numbers replaced by ids; `None` if it has none of them.
    pub(crate) fn translate(
        &mut self,
        (t, number): (u32, u64),
        record: &Record<'_>,
        sites: &mut Sites<'_>,
    ) -> Option<Words> {
        let scope = record.code.scope();
        let mut event = record.event();
        let by = (t, number);
        match &mut event {
            Event::ParallelBegin(event) => {
                event.task = self.running(by, event.task);
                let site = sites.of(Code::new(event.code, event.kind)) as u64;
                event.region = self.fork(by, event.region, site);
            }
            Event::ParallelEnd(event) => {
                self.teams.region_over(t, event.region);
                event.task = self.running(by, event.task);
                event.region = self.joined(event.region);
            }
            Event::TaskCreate(event) => {
                event.task = self.running(by, event.task);
                let site = sites.of(Code::new(event.code, event.kind)) as u64;
                event.new_task = self.create(number, event, site);
            }
            Event::TaskSchedule(event) => self.schedule(by, event),
            Event::ImplicitTask(event) => self.implicit(by, scope, event),
            Event::SyncRegion(event) => event.task = self.at_end(by, scope, event.task),
            Event::SyncRegionWait(event) => event.task = self.at_end(by, scope, event.task),
            Event::Work(event) => event.task = self.at_end(by, scope, event.task),
            Event::Masked(event) => event.task = self.at_end(by, scope, event.task),
            Event::Reduction(event) => event.task = self.at_end(by, scope, event.task),
            Event::Cancel(event) => event.task = self.running(by, event.task),
            Event::Dependences(event) => event.task = self.known(event.task),
            Event::TaskDependence(event) => {
                event.src = self.known(event.src);
                event.sink = self.known(event.sink);
            }
            Event::TargetEmi(event) => {
                event.task = self.at_end(by, scope, event.task);
                event.target_task = self.known(event.target_task);
            }
            Event::MutexAcquire(event) => {
                self.teams.waits_for_order(t, event.kind, event.wait_id);
                return None;
            }
            Event::MutexAcquired(event) => {
                event.wait_id = self.teams.in_order(t, event.kind, event.wait_id);
            }
            Event::MutexReleased(event) => {
                event.wait_id = self.teams.in_order(t, event.kind, event.wait_id);
            }
            _ => return None,
        }
        Some(Words::of(&event))
    }

    /// The id of the initial task that begins with the process, which its record will get as well.
    pub(crate) fn initial(&mut self, thread: u64, word: u64) -> Id {
        if !Id(word).is_from_source() {
            return Id(word).started();
        }
        let id = Id::implicit_task(Id::thread_part(thread), self.counter(), Id::NONE);
        self.initial = Some((word, id));
        id
    }

    fn counter(&mut self) -> u32 {
        self.made = self.made.wrapping_add(1);
        self.made
    }

    fn fork(&mut self, (t, thread): (u32, u64), word: u64, site: u64) -> u64 {
        if !Id(word).is_from_source() {
            return word;
        }
        let id = Id::region(Id::thread_part(thread), self.counter(), site);
        self.regions.insert(word, SourceRegion::new(id, Some(t)));
        id.0
    }

    /// The region of a number; one whose begin was not reported has no creator.
    fn region(&mut self, word: u64) -> &mut SourceRegion {
        let id = Id::region(Id::thread_part(NOBODY), self.counter(), 0);
        let region = self.regions.entry(word).or_insert_with(|| SourceRegion::new(id, None));
        if region.is_over {
            *region = SourceRegion::new(id, None);
        }
        region
    }

    fn joined(&mut self, word: u64) -> u64 {
        if !Id(word).is_from_source() {
            return word;
        }
        let Some(region) = self.regions.get_mut(&word) else { return 0 };
        region.is_over = true;
        let (id, tasks) = (region.id, std::mem::take(&mut region.tasks));
        self.forget_later(false, word, id);
        for (number, task) in tasks {
            // Its own end may still come, if not another task has the number by then.
            self.forget_later(true, number, task);
        }
        id.0
    }

    fn create(&mut self, thread: u64, event: &TaskCreate, site: u64) -> u64 {
        let word = event.new_task;
        if !Id(word).is_from_source() {
            return word;
        }
        let id = Id::fresh_task(Id::thread_part(thread), self.counter(), site);
        let runs = event.flags & TASK_BEGINS != 0;
        self.tasks.insert(word, SourceTask::new(if runs { id.started() } else { id }));
        id.0
    }

    /// `prior` is left and `next` runs, for the first time if its id says so. One that nobody created
    /// is an explicit task nevertheless.
    fn schedule(&mut self, (t, thread): (u32, u64), event: &mut TaskSchedule) {
        let prior = event.prior;
        event.prior = self.known_on(t, prior);
        if TaskStatus::from(event.status) == TaskStatus::Complete {
            self.task_over(prior);
        }
        let next = event.next;
        if Id(next).is_from_source() {
            if let Some(id) = self.of_serial_team(t, next) {
                event.next = id.0;
                return;
            }
            let known = self.tasks.get(&next).filter(|task| !task.is_over).map(|task| task.id);
            let id = known.unwrap_or_else(|| {
                Id::fresh_task(Id::thread_part(thread), self.counter(), 0).started()
            });
            self.tasks.insert(next, SourceTask::new(id.started()));
            event.next = id.0;
        }
    }

    fn implicit(&mut self, (t, thread): (u32, u64), scope: Scope, event: &mut ImplicitTask) {
        let (region, task) = (event.region, event.task);
        let source_region = Id(region).is_from_source();
        if scope != Scope::Begin {
            self.teams.left(t, task);
            event.task = Id(self.known(task)).started().0;
            event.region = if source_region {
                self.regions.get(&region).map_or(0, |region| region.id.0)
            } else {
                region
            };
            self.task_over(task);
            return;
        }
        let mut id = Id::NONE;
        if source_region {
            let numbered = event.thread_num != UNREPORTED;
            let size = event.team_size;
            let number = if numbered { event.thread_num } else { self.thread_num(t, region, size) };
            event.thread_num = number;
            id = self.region(region).id;
            event.region = id.0;
        } else if event.thread_num == UNREPORTED {
            event.thread_num = 0;
        }
        if event.team_size == UNREPORTED {
            event.team_size = 0;
        }
        if Id(task).is_from_source() {
            let begun = self.initial.take_if(|(word, _)| *word == task);
            let new = match begun {
                Some((_, known)) => known,
                None => Id::implicit_task(Id::thread_part(thread), self.counter(), id),
            };
            self.tasks.insert(task, SourceTask::new(new));
            event.task = new.0;
            if source_region {
                self.teams.entered(t, Team { region, task, id: new, size: event.team_size });
            }
            if let Some(region) = self.regions.get_mut(&region) {
                region.tasks.push((task, new));
            }
        }
    }

    /// A number in the team for thread `t`, whose source does not say it.
    fn thread_num(&mut self, t: u32, region: u64, size: u64) -> u64 {
        let at = t as usize;
        if self.last.len() <= at {
            self.last.resize(at + 1, 0);
        }
        let last = self.last.get(at).copied().unwrap_or(0);
        let number = self.region(region).thread_num(t, last, size);
        if let Some(last) = self.last.get_mut(at).filter(|_| number > 0) {
            *last = number;
        }
        number
    }

    /// The task with this number came to its end.
    fn task_over(&mut self, word: u64) {
        let Some(task) = self.tasks.get_mut(&word) else { return };
        task.is_over = true;
        let id = task.id;
        self.forget_later(true, word, id);
    }

    /// A task or region is over: its number is forgotten when many others are over as well, unless it
    /// means something else by then.
    fn forget_later(&mut self, task: bool, word: u64, id: Id) {
        self.over.push_back((task, word, id.started()));
        while self.over.len() > MAX_OVER
            && let Some((task, word, id)) = self.over.pop_front()
        {
            if task && self.tasks.get(&word).is_some_and(|now| now.id.started() == id) {
                self.tasks.remove(&word);
            } else if !task && self.regions.get(&word).is_some_and(|now| now.id == id) {
                self.regions.remove(&word);
            }
        }
    }
}
