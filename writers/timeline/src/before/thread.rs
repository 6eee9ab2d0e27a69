//! The state of one thread, by its records alone: a copy of each record that interpretation still needs.

use super::requests::RequestLog;
use super::saved::{Saved, says_nothing};
use super::stack::{Construct, Stack};
use super::suspended::Suspended;
use super::task::{ScannedTask, Switch, TaskFrame};
use crate::hash::FastMap;
use ompttrace_model::ompt::{self, TaskStatus};
use ompttrace_recording::events::*;
use ompttrace_recording::kinds::TASK_BEGINS;
use ompttrace_recording::words::{KIND_INFERRED, KIND_MASK};
use ompttrace_recording::{Id, Scope};
use std::collections::HashSet;

/// ompt_task_initial.
const INITIAL: u64 = 1;
/// ompt_task_taskwait.
const TASKWAIT: u64 = 0x10;
/// Initial and implicit tasks.
const NOT_EXPLICIT: u64 = 3;
/// Suspended tasks that one thread keeps; a recording with more is read from its begin.
pub(super) const MOST_SUSPENDED: usize = 1 << 16;
/// Tasks that are kept to be used again.
const MOST_SPARE: usize = 64;

/// The records show something that is followed from the begin of a recording only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unknown;

/// State of a thread whose stream was read up to some time.
#[derive(Debug, Default)]
pub(super) struct ScannedThread {
    /// Number of the thread, as ids carry it.
    number: u64,
    /// Implicit tasks, outermost first; the first frame is outside every implicit task.
    pub task_frames: Vec<TaskFrame>,
    pub suspended: Suspended,
    /// Tasks kept for reuse; boxed because the table stores boxes.
    #[allow(clippy::vec_box, reason = "the boxes are what is used again")]
    spare: Vec<Box<ScannedTask>>,
    /// Records that are always kept: begins and ends of the thread and of its first initial task, code sites, communicators.
    pub always: Vec<Saved>,
    /// Last value of each counter, by the counter's number.
    pub counters: FastMap<u64, Saved>,
    /// The first use of each mutex.
    pub mutexes: Vec<Saved>,
    known_mutexes: FastMap<(u64, u64), ()>,
    last_mutex: (u64, u64),
    /// Mutexes that the thread holds.
    pub held: Vec<(u64, Saved)>,
    pub asks: Option<Saved>,
    pub tool_wait: Option<Saved>,
    /// Phases that are open, outermost first, each with its depth.
    pub phases: Vec<(u64, Saved)>,
    pub last_schedule: Option<Switch>,
    pub requests: RequestLog,
    has_root: bool,
    pub has_begun_root: bool,
    /// The region whose team its primary thread, this one, has left last, and when, ticks: the others have left it too, before
    /// the region ends.
    pub done: Option<(Id, u64)>,
    /// Explicit tasks created less those that are complete.
    pub live_tasks: i64,
    /// Tasks that ran elsewhere before, and are over.
    pub over: FastMap<Id, ()>,
    /// Records so far, and the time of the last one.
    taken: u64,
    pub seen: u64,
}

impl ScannedThread {
    pub(super) fn new(number: u64) -> ScannedThread {
        ScannedThread {
            number,
            task_frames: vec![TaskFrame::default()],
            ..ScannedThread::default()
        }
    }

    /// The ids of regions that are open in one of its tasks.
    pub(super) fn regions(&self) -> Vec<Id> {
        let task_frames = self.task_frames.iter().flat_map(|task_frame| {
            let running = task_frame.running.iter().flat_map(|(_, task)| task.stack.regions());
            task_frame.own.regions().chain(running)
        });
        task_frames
            .chain(self.suspended.iter().flat_map(|(_, task)| task.stack.regions()))
            .collect()
    }

    /// Suspended tasks that began on another thread.
    pub(super) fn arrived(&self) -> impl Iterator<Item = Id> {
        let suspended = self.suspended.iter().filter(|(_, task)| task.is_from_elsewhere());
        suspended.map(|(id, _)| *id)
    }

    /// Tasks that began on this thread, and did not end here.
    pub(super) fn begun_here(&self) -> impl Iterator<Item = Id> {
        let running = self.task_frames.iter().filter_map(|frame| frame.running.as_ref());
        let all = running.map(|(id, task)| (id, task)).chain(self.suspended.iter());
        all.filter(|(_, task)| !task.is_from_elsewhere()).map(|(id, _)| *id)
    }

    /// Drops tasks that are over, whichever threads they ended on.
    pub(super) fn forget(&mut self, over: &HashSet<Id>) {
        self.over.clear();
        self.suspended.retain(|id| !over.contains(id));
        for task_frame in &mut self.task_frames {
            task_frame.running.take_if(|(id, _)| over.contains(id));
        }
    }

    #[inline]
    pub(super) fn saved(&self, record: &Record<'_>) -> Result<Saved, Unknown> {
        Saved::of(record, self.taken).ok_or(Unknown)
    }

    fn top(&mut self) -> Result<&mut TaskFrame, Unknown> {
        self.task_frames.last_mut().ok_or(Unknown)
    }

    /// The constructs of the task that runs.
    #[inline]
    pub(super) fn stack(&mut self) -> Result<&mut Stack, Unknown> {
        let top = self.top()?;
        Ok(match &mut top.running {
            Some((_, task)) => &mut task.stack,
            None => &mut top.own,
        })
    }

    /// Takes the next record.
    #[inline]
    pub(super) fn take(&mut self, record: &Record<'_>) -> Result<(), Unknown> {
        (self.seen, self.taken) = (record.ticks, self.taken + 1);
        // As interpretation has it: these say nothing of what became of the request.
        if (self.asks.is_some() || self.tool_wait.is_some()) && !says_nothing(record.code) {
            // A wait for the tool is over as well.
            (self.asks, self.tool_wait) = (None, None);
        }
        let scope = record.code.scope();
        let Some(followed) = record.followed() else {
            return if record.code.is_passed() { Ok(()) } else { Err(Unknown) };
        };
        match followed {
            Followed::MutexAcquire(event) => {
                let at = (record.ticks, self.taken);
                self.asks = Some(Saved::new(at, record.code, event.words()));
            }
            Followed::MutexAcquired(event) => {
                self.uses_mutex(event.wait_id, event.kind, record)?;
                if event.kind & KIND_INFERRED == 0 {
                    let at = (record.ticks, self.taken);
                    self.held.push((event.wait_id, Saved::new(at, record.code, event.words())));
                }
            }
            Followed::MutexReleased(event) => {
                let held = self.held.iter().rposition(|(mutex, _)| *mutex == event.wait_id);
                self.held.swap_remove(held.ok_or(Unknown)?);
            }
            Followed::TaskCreate(event) => self.task_create(&event)?,
            Followed::TaskSchedule(event) => self.task_schedule(&event, record)?,
            Followed::SyncRegion(SyncRegion { kind, .. }) => {
                let kind = ompt::SyncRegion::from(kind & KIND_MASK);
                self.construct(Construct::Sync(kind), scope, record)?;
            }
            Followed::SyncRegionWait(SyncRegionWait { kind, .. }) => {
                let kind = ompt::SyncRegion::from(kind & KIND_MASK);
                if kind == ompt::SyncRegion::Idle {
                    return Err(Unknown);
                }
                self.construct(Construct::Wait(kind), scope, record)?;
            }
            Followed::Work(Work { kind, .. }) => {
                let kind = ompt::Work::from(kind & KIND_MASK);
                self.construct(Construct::Work(kind), scope, record)?;
            }
            Followed::Dispatch(Dispatch { kind, .. }) => {
                if ompt::Dispatch::from(kind & KIND_MASK) != ompt::Dispatch::TaskloopChunk {
                    self.construct(Construct::Dispatch, Scope::Begin, record)?;
                }
            }
            Followed::ChunkEnd(_) => self.construct(Construct::Dispatch, Scope::End, record)?,
            Followed::Masked(_) => self.construct(Construct::Masked, scope, record)?,
            Followed::Reduction(_) => self.construct(Construct::Reduction, scope, record)?,
            Followed::ParallelBegin(_) => {
                self.construct(Construct::Region, Scope::Begin, record)?;
            }
            Followed::ParallelEnd(_) => self.construct(Construct::Region, Scope::End, record)?,
            Followed::ImplicitTask(event) => self.implicit_task(scope, &event, record)?,
            Followed::TargetEmi(_)
            | Followed::Target(_)
            | Followed::TargetDataOpEmi(_)
            | Followed::TargetSubmitEmi(_) => {
                self.construct(Construct::Target(record.code.number()), scope, record)?;
            }
            Followed::MpiSend(_)
            | Followed::MpiReceive(_)
            | Followed::MpiCollective(_)
            | Followed::MpiAccess(_)
            | Followed::MpiPolls(_) => {
                self.construct(Construct::Transfer, Scope::Begin, record)?;
            }
            Followed::MpiEnter(_) => self.construct(Construct::Mpi, Scope::Begin, record)?,
            Followed::MpiLeave(_) | Followed::MpiLeft(_) => self.call_ends(record)?,
            Followed::MpiPost(event) => self.posted(&event, record)?,
            Followed::MpiRequest(_) => self.given(record)?,
            Followed::MpiDone(_) => self.completed(record)?,
            Followed::ThreadBegin(_)
            | Followed::ThreadEnd(_)
            | Followed::CodeSite(_)
            | Followed::MpiWorld(_)
            | Followed::MpiClock(_)
            | Followed::MpiMembers(_)
            | Followed::MpiName(_)
            | Followed::MpiObject(_)
            | Followed::PhaseName(_)
            | Followed::MpiCommunicator(_) => self.always.push(self.saved(record)?),
            Followed::Phase(event) => self.phase(scope, &event, record)?,
            Followed::CounterValue(event) => {
                let saved = self.saved(record)?;
                self.counters.insert(event.counter, saved);
            }
            Followed::Wait(_) => self.tool_wait = Some(self.saved(record)?),
            Followed::LockInit(event) => self.uses_mutex(event.wait_id, event.kind, record)?,
            Followed::LockDestroy(event) => self.held.retain(|(mutex, _)| *mutex != event.wait_id),
        }
        Ok(())
    }

    /// As interpretation has it: a phase closes those at its depth and above.
    fn phase(&mut self, scope: Scope, event: &Phase, record: &Record<'_>) -> Result<(), Unknown> {
        let below = self.phases.iter().take_while(|(depth, _)| *depth < event.depth).count();
        self.phases.truncate(below);
        if scope == Scope::Begin {
            let saved = self.saved(record)?;
            self.phases.push((event.depth, saved));
        }
        Ok(())
    }

    #[inline]
    pub(super) fn construct(
        &mut self,
        construct: Construct,
        scope: Scope,
        record: &Record<'_>,
    ) -> Result<(), Unknown> {
        match scope {
            Scope::Begin => {
                let saved = self.saved(record)?;
                self.stack()?.begin(construct, saved);
            }
            Scope::End => {
                let found = self.stack()?.end(construct);
                // A task that another thread suspended may have begun it there.
                let is_from_elsewhere = |task_frame: &TaskFrame| {
                    task_frame.running.as_ref().is_some_and(|(_, task)| task.is_from_elsewhere())
                };
                if !found && self.task_frames.last().is_some_and(is_from_elsewhere) {
                    return Err(Unknown);
                }
            }
            Scope::None | Scope::BeginEnd => {}
        }
        Ok(())
    }

    /// The first use names a mutex.
    #[inline]
    fn uses_mutex(&mut self, wait_id: u64, kind: u64, record: &Record<'_>) -> Result<(), Unknown> {
        let mutex = (wait_id, kind & KIND_MASK);
        if self.last_mutex == mutex {
            return Ok(());
        }
        self.last_mutex = mutex;
        if self.known_mutexes.insert(mutex, ()).is_none() {
            let saved = self.saved(record)?;
            self.mutexes.push(saved);
        }
        Ok(())
    }

    fn task_create(&mut self, event: &TaskCreate) -> Result<(), Unknown> {
        if event.kind & KIND_MASK == 1 || event.flags & (TASKWAIT | TASK_BEGINS) != 0 {
            return Err(Unknown);
        }
        self.live_tasks += i64::from(event.flags & NOT_EXPLICIT == 0);
        Ok(())
    }

    fn task_schedule(&mut self, event: &TaskSchedule, record: &Record<'_>) -> Result<(), Unknown> {
        let (prior, next) = (Id(event.prior), Id(event.next));
        let status = TaskStatus::from(event.status);
        let switch = Switch::new((record.ticks, self.taken), event);
        self.last_schedule = Some(switch);
        match status {
            TaskStatus::Complete | TaskStatus::Cancel => {
                self.live_tasks -= i64::from(!prior.is_implicit() && !prior.is_none());
                self.is_over(prior.started())?;
            }
            TaskStatus::Switch | TaskStatus::Yield => {}
            _ => return Err(Unknown),
        }
        self.run_next(status, next, &switch)
    }

    /// An explicit task is over.
    fn is_over(&mut self, task: Id) -> Result<(), Unknown> {
        let is_it = |(running, _): &mut (Id, Box<ScannedTask>)| *running == task;
        let here = self.top()?.running.take_if(is_it).map(|(_, task)| task);
        let here = here.or_else(|| self.suspended.remove(task));
        if here.as_ref().is_none_or(|task| task.is_from_elsewhere()) && !task.is_implicit() {
            if self.over.len() >= MOST_SUSPENDED {
                return Err(Unknown);
            }
            self.over.insert(task, ());
        }
        self.spare.extend(here.filter(|_| self.spare.len() < MOST_SPARE));
        Ok(())
    }

    #[inline]
    fn run_next(&mut self, status: TaskStatus, next: Id, by: &Switch) -> Result<(), Unknown> {
        let ScannedThread { task_frames, suspended, spare, .. } = self;
        let (task, top) = (next.started(), task_frames.last_mut().ok_or(Unknown)?);
        let running = top.running.as_ref().map_or(Id::NONE, |(running, _)| *running);
        let switches = matches!(status, TaskStatus::Yield | TaskStatus::Switch);
        if next.is_none() || task == top.task {
            return match next.is_none() && !switches {
                true => Ok(()),
                false => suspended.suspend(top, by),
            };
        }
        if task == running {
            return Ok(());
        }
        if task.is_implicit() {
            return Err(Unknown);
        }
        suspended.suspend(top, by)?;
        let known = if next.is_fresh() { None } else { suspended.remove(task) };
        let known = match known {
            Some(mut known) => {
                known.left = None;
                known
            }
            None => ScannedTask::begun(spare.pop(), by),
        };
        top.running = Some((task, known));
        Ok(())
    }

    fn implicit_task(
        &mut self,
        scope: Scope,
        event: &ImplicitTask,
        record: &Record<'_>,
    ) -> Result<(), Unknown> {
        let (task, region) = (Id(event.task).started(), Id(event.region));
        let is_root = event.flags & INITIAL != 0 && region.is_none() && event.team_size <= 1;
        if is_root && !self.has_root {
            self.has_root = scope == Scope::End;
            self.has_begun_root = true;
            let saved = self.saved(record)?;
            self.always.push(saved);
        }
        if scope == Scope::Begin {
            if is_root && self.task_frames.iter().any(|frame| !frame.region.is_none()) {
                // Of another runtime than the team.
                return Err(Unknown);
            }
            // As interpretation has it: a thread is in two teams only if one forked the other.
            if is_root || event.thread_num > 0 && region.thread() != self.number {
                self.task_frames.truncate(1);
            }
            let began = Some(self.saved(record)?);
            self.task_frames.push(TaskFrame { task, region, began, ..TaskFrame::default() });
            return Ok(());
        }
        let innermost =
            (task.is_none() && self.task_frames.len() > 1).then(|| self.task_frames.len() - 1);
        let of_task =
            || self.task_frames.iter().skip(1).rposition(|task_frame| task_frame.task == task);
        if let Some(at) = innermost.or_else(|| of_task().map(|at| at + 1)) {
            if let Some(left) = self.task_frames.get(at).filter(|left| left.is_primary()) {
                self.done = Some((left.region, record.ticks));
            }
            self.task_frames.truncate(at);
            // It was of what is over now.
            self.last_schedule = None;
        }
        Ok(())
    }
}
