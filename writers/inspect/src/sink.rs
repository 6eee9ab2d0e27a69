//! The sink: it keeps the constructs that are open and forgets those that have ended. Its memory grows with the number
//! of live threads and tasks, never with the length of the run.

use crate::make;
use crate::snapshot::Snapshot;
use crate::state::{Created, Hold, Implicit, Open, Region, State, Thread};
use ompttrace_model::{
    self as model, Arg, ArgKey, ArgValue, Definitions, Event, Executor, Instant, InstantKind,
    RegionTrack, RunInfo, Sink, Slice, SliceKind, Summary, TeamThread, ThreadInfo, ThreadRef,
};
use ompttrace_recording::Id;
use ompttrace_recording::facts::Facts;
use rustc_hash::FxHashMap;
use std::convert::Infallible;

/// Maximum number of predecessors that are kept of one task.
const MOST_PREDECESSORS: usize = 1 << 10;

/// Makes a [`Snapshot`] of a timeline's end.
#[derive(Debug, Default)]
pub struct SnapshotSink {
    facts: Facts,
    infos: Vec<ThreadInfo>,
    begin: u64,
    state: State,
    region_tracks: FxHashMap<RegionTrack, Id>,
    /// True if the ends of tasks are recorded, so that tasks can be followed.
    follows_tasks: bool,
    /// Time at which the recording stopped, in nanoseconds; ends that follow are not the program's.
    stopped: Option<u64>,
}

impl SnapshotSink {
    /// A sink that has seen no event yet.
    pub fn new() -> SnapshotSink {
        SnapshotSink::default()
    }

    fn thread(&mut self, thread: ThreadRef) -> &mut Thread {
        let at = thread as usize;
        if self.state.threads.len() <= at {
            self.state.threads.resize_with(at + 1, Thread::default);
        }
        &mut self.state.threads[at]
    }

    fn begin(&mut self, at: u64, executor: Executor, slice: &Slice<'_>) {
        let awaits = id_of(slice.args, ArgKey::Task).filter(|_| is_taskwait(slice.kind));
        let wait_id = slice.args.iter().find_map(|arg| match (arg.key, arg.value) {
            (ArgKey::WaitId, ArgValue::Address(address)) => Some(address),
            _ => None,
        });
        let before = if slice.resumed { self.take_suspended(slice) } else { None };
        let open = Open {
            kind: slice.kind,
            name: slice.name,
            source: slice.source,
            task: slice.task,
            // A wait that was interrupted has lasted since it began.
            begin: before.map_or(at, |before| before.begin),
            awaits: awaits.or(before.map(|before| before.awaits)).unwrap_or_default(),
            wait_id: wait_id.or(before.map(|before| before.wait_id)).unwrap_or_default(),
        };
        if slice.kind == SliceKind::Task && self.follows_tasks {
            let task = self.state.tasks.entry(slice.task).or_default();
            task.name = Some(slice.name);
            if slice.context != 0 {
                task.context = slice.context;
            }
        }
        self.thread(executor.thread).stack.push(open);
    }

    /// Removes and returns the suspended slice that is resumed now.
    fn take_suspended(&mut self, slice: &Slice<'_>) -> Option<Open> {
        let slices = match self.state.tasks.get_mut(&slice.task) {
            Some(task) if !task.suspended.is_empty() => &mut task.suspended,
            _ => self.state.interrupted.get_mut(&slice.task)?,
        };
        let at = slices.iter().position(|open| open.kind == slice.kind)?;
        let open = slices.remove(at);
        if self.state.interrupted.get(&slice.task).is_some_and(Vec::is_empty) {
            self.state.interrupted.remove(&slice.task);
        }
        Some(open)
    }

    fn suspend(&mut self, executor: Executor) {
        let Some(open) = self.thread(executor.thread).stack.pop() else { return };
        // Of a region that a task has open the task is not named: it is the running one.
        let running = self.thread(executor.thread).implicit.last().map(|own| own.running);
        let task = match open.kind {
            SliceKind::Region { .. } => running.unwrap_or_default(),
            _ => open.task,
        };
        // They come innermost first.
        match self.state.tasks.get_mut(&task) {
            Some(task) => task.suspended.insert(0, open),
            None => self.state.interrupted.entry(task).or_default().insert(0, open),
        }
    }

    fn instant(&mut self, at: u64, executor: Executor, instant: &Instant<'_>) {
        match instant.kind {
            InstantKind::TaskCreate if self.follows_tasks => self.created(at, executor, instant),
            InstantKind::TaskDependence => self.depends(instant),
            _ => {}
        }
    }

    fn created(&mut self, at: u64, executor: Executor, instant: &Instant<'_>) {
        let Some(id) = id_of(instant.args, ArgKey::Task).filter(|id| !id.is_none()) else { return };
        let implicit = &self.thread(executor.thread).implicit;
        let region = implicit.last().map_or(Id::NONE, |own| own.region);
        let flags = instant.args.iter().find(|arg| arg.key == ArgKey::Flags);
        let flags = match flags.map(|arg| arg.value) {
            Some(ArgValue::Text(name)) => Some(name),
            _ => None,
        };
        let task = self.state.tasks.entry(id).or_default();
        let (by, source) = (instant.task, instant.source);
        task.created = Some(Created { at, by, region, source, flags });
    }

    fn depends(&mut self, instant: &Instant<'_>) {
        let source = id_of(instant.args, ArgKey::Source);
        let sink = id_of(instant.args, ArgKey::Task);
        let (Some(source), Some(sink)) = (source, sink) else { return };
        if let Some(task) = self.state.tasks.get_mut(&sink)
            && task.after.len() < MOST_PREDECESSORS
            && !task.after.contains(&source)
        {
            task.after.push(source);
        }
    }

    fn enter(&mut self, executor: Executor, team_thread: &TeamThread) {
        if let Some(region) = self.state.regions.get_mut(&team_thread.region) {
            region.entered = true;
        }
        let thread = self.thread(executor.thread);
        thread.implicit.push(Implicit {
            task: team_thread.task,
            region: team_thread.region,
            number: team_thread.thread_num,
            team_size: team_thread.team_size,
            root: team_thread.root,
            logical: executor.logical_thread,
            running: Id::NONE,
            base: thread.stack.len(),
        });
    }

    fn leave(&mut self, executor: Executor) {
        if let Some(own) = self.thread(executor.thread).implicit.pop() {
            self.state.interrupted.remove(&own.task);
        }
    }

    fn runs(&mut self, executor: Executor, task: Id) {
        let explicit = !task.is_none() && !task.is_implicit();
        let thread = self.thread(executor.thread);
        let Some(own) = thread.implicit.last_mut() else { return };
        let explicit = explicit && task != own.task;
        let running = if explicit { task } else { Id::NONE };
        let before = std::mem::replace(&mut own.running, running);
        if let Some(task) = self.state.tasks.get_mut(&before)
            && task.on == Some(executor.thread)
        {
            task.on = None;
        }
        if explicit && self.follows_tasks {
            let task = self.state.tasks.entry(task).or_default();
            (task.on, task.last) = (Some(executor.thread), Some(executor.thread));
        }
    }

    fn region_begins(&mut self, at: u64, track: RegionTrack, slice: &Slice<'_>) {
        let Slice { name, source, context, .. } = *slice;
        let requested = slice.args.iter().find_map(|arg| match (arg.key, arg.value) {
            (ArgKey::Requested, ArgValue::Number(requested)) => Some(requested),
            _ => None,
        });
        let (level, requested) = (track.level, requested.unwrap_or(0));
        let region = Region { name, source, begin: at, level, context, requested, entered: false };
        self.state.regions.insert(slice.task, region);
        self.region_tracks.insert(track, slice.task);
    }
}

fn id_of(args: &[Arg], key: ArgKey) -> Option<Id> {
    args.iter().find_map(|arg| match arg.value {
        ArgValue::Id(id) if arg.key == key => Some(id),
        _ => None,
    })
}

fn is_taskwait(kind: SliceKind) -> bool {
    use ompttrace_model::ompt::SyncRegion::Taskwait;
    matches!(kind, SliceKind::Sync(Taskwait) | SliceKind::Wait(Taskwait))
}

impl Sink for SnapshotSink {
    type Output = Snapshot;
    type Error = Infallible;

    /// There is no minimum duration: the wait of a task must be known however short it has been resumed for.
    const MIN_RESUME_NS: u64 = 0;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.facts = run.facts.clone();
        self.infos = run.threads.to_vec();
        self.begin = run.begin;
        self.state.threads.resize_with(run.threads.len(), Thread::default);
        self.follows_tasks =
            run.facts.runtimes.iter().all(|runtime| runtime.reports("task_schedule"));
    }

    fn event(&mut self, _: &Definitions, at: u64, event: &Event<'_>) {
        // A wait whose end is not known begins when the recording stops: begins count on.
        match *event {
            Event::Begin(executor, ref slice) => {
                self.begin(at, executor, slice);
                if self.stopped.is_none() {
                    self.thread(executor.thread).seen = Some(at);
                }
            }
            Event::Instant(executor, ref instant) => {
                self.instant(at, executor, instant);
                if self.stopped.is_none() {
                    self.thread(executor.thread).seen = Some(at);
                }
            }
            Event::Stop => self.stopped = Some(at),
            _ if self.stopped.is_some() => {}
            Event::End(executor, ..) => {
                let thread = self.thread(executor.thread);
                thread.seen = Some(at);
                thread.stack.pop();
            }
            Event::Suspend(executor, ..) => {
                self.thread(executor.thread).seen = Some(at);
                self.suspend(executor);
            }
            Event::TeamThreadBegin(executor, ref team_thread) => self.enter(executor, team_thread),
            Event::TeamThreadEnd(executor) => self.leave(executor),
            Event::TaskRuns(executor, task) => self.runs(executor, task),
            Event::TaskEnd(_, task, _) => drop(self.state.tasks.remove(&task)),
            Event::RegionBegin(track, ref slice) => self.region_begins(at, track, slice),
            Event::RegionEnd(track, _) => {
                if let Some(region) = self.region_tracks.remove(&track) {
                    self.state.regions.remove(&region);
                }
            }
            Event::HoldBegin(lock, executor, ref slice) => {
                let Slice { task, source, .. } = *slice;
                let hold = Hold { thread: executor.thread, task, source, since: at };
                self.state.holds.insert(lock, hold);
            }
            Event::HoldEnd(lock, _) => drop(self.state.holds.remove(&lock)),
            Event::LockAcquired(executor, _) | Event::LockReleased(executor, _) => {
                self.thread(executor.thread).seen = Some(at);
            }
            Event::LockRequested { executor, .. } => self.thread(executor.thread).seen = Some(at),
            // A wait for the tool ends by itself.
            Event::State(thread, tool @ Some(model::State::OverheadTool)) => {
                let state = &mut self.thread(thread).state;
                *state = state.or(tool);
            }
            Event::State(thread, state) => self.thread(thread).state = state,
            Event::LockRefused { .. }
            | Event::PhaseBegin(..)
            | Event::PhaseEnd(..)
            | Event::Counter(..)
            | Event::Core(..)
            | Event::CoreSums(..)
            | Event::Mpi(..)
            | Event::Sample(..) => {}
        }
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Snapshot, Infallible> {
        let SnapshotSink { facts, infos, begin, stopped, state, .. } = self;
        let end = stopped.unwrap_or(begin);
        Ok(make::snapshot(&make::Ended { facts, infos, end, state }, definitions, summary))
    }
}
