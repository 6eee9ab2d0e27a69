//! Conversion of the open constructs, which are numbers, into the snapshot, which has names.

use crate::snapshot::{
    Construct, Holder, ImplicitTask, Lock, Region, Snapshot, Task, TaskState, Thread, Wait,
};
use crate::state::{Implicit, Open, State};
use ompttrace_model::ompt::{Mutex, SyncRegion};
use ompttrace_model::{
    self as model, ContextRef, Definitions, LockRef, LogicalThreadRef, NameRef, SliceKind,
    SourceRef, Summary, ThreadInfo, base_name, harmless, process_name, thread_name,
};
use ompttrace_recording::Id;
use ompttrace_recording::facts::Facts;

/// State at the end of a timeline.
pub(crate) struct Ended {
    pub facts: Facts,
    pub infos: Vec<ThreadInfo>,
    /// Time at which the recording stopped, in nanoseconds: the end of the process, if that is known.
    pub end: u64,
    pub state: State,
}

/// The snapshot of `ended`.
pub(crate) fn snapshot(ended: &Ended, definitions: &Definitions, summary: &Summary) -> Snapshot {
    let mut make = Make::new(ended, definitions);
    let threads = make.positions.len();
    let threads = (0..threads).map(|at| make.thread(at)).collect();
    let tasks = make.tasks();
    let mut runtimes: Vec<String> = Vec::new();
    for runtime in &ended.facts.runtimes {
        if !runtimes.contains(&runtime.version) {
            runtimes.push(runtime.version.clone());
        }
    }
    let seen = ended.state.threads.iter().filter_map(|thread| thread.seen);
    let mut snapshot = Snapshot {
        pid: ended.facts.process.pid,
        program: process_name(&ended.facts),
        fork_of: ended.facts.process.fork_of,
        runtimes,
        running: None,
        now_ns: seen.max().unwrap_or_default().max(ended.end),
        lost: summary.lost,
        findings: Vec::new(),
        threads,
        regions: make.regions(),
        tasks,
        locks: make.locks,
    };
    snapshot.note_waiting();
    snapshot
}

impl Snapshot {
    /// Adds to each mutex the threads that wait for it.
    fn note_waiting(&mut self) {
        for (at, thread) in self.threads.iter().enumerate() {
            if let Some(Wait::Mutex { lock, .. }) = thread.waits
                && let Some(lock) = self.locks.get_mut(lock)
            {
                lock.waiting.push(at);
            }
        }
        self.locks.retain(|lock| lock.holder.is_some() || !lock.waiting.is_empty());
    }
}

struct Make<'a> {
    ended: &'a Ended,
    definitions: &'a Definitions,
    /// Positions in the recording of the threads that the snapshot shows.
    positions: Vec<usize>,
    locks: Vec<Lock>,
}

impl<'a> Make<'a> {
    fn new(ended: &'a Ended, definitions: &'a Definitions) -> Make<'a> {
        let alive =
            |at: &usize| ended.state.threads.get(*at).is_some_and(|thread| thread.state.is_some());
        let positions: Vec<usize> = (0..ended.infos.len()).filter(alive).collect();
        let mut make = Make { ended, definitions, positions, locks: Vec::new() };
        make.locks = make.locks_held();
        make
    }

    /// Index of a thread among those that are shown.
    fn shown(&self, thread: u32) -> Option<usize> {
        self.positions.iter().position(|at| *at == thread as usize)
    }

    fn name(&self, name: NameRef) -> String {
        self.definitions.strings().get(name as usize).map_or(String::new(), |text| text.to_string())
    }

    fn source(&self, source: SourceRef) -> Option<String> {
        let at = (source as usize).checked_sub(1)?;
        let location = self.definitions.source_locations().get(at)?;
        let (Some(file), Some(line)) = (&location.file, location.line) else {
            return location.module.as_deref().and_then(|module| self.in_module(module));
        };
        let near = if location.is_near { "near " } else { "" };
        Some(format!("{near}{}:{line}", base_name(file)))
    }

    /// Location in a module in the form `libfoo.so+0x1234`, from a text with path, offset and perhaps more; `None`
    /// inside the runtime, into which compilers jump from the end of an outlined function.
    fn in_module(&self, module: &str) -> Option<String> {
        let (path, rest) = module.split_once("+0x")?;
        let offset = rest.split(' ').next()?;
        let name = base_name(path);
        let facts = &self.ended.facts;
        let mut runtimes = facts.runtimes.iter().map(|runtime| base_name(&runtime.library));
        let inside = runtimes.any(|runtime| !runtime.is_empty() && name.starts_with(runtime));
        let is_program = name == base_name(&facts.process.executable);
        (is_program || !inside).then(|| format!("{name}+0x{offset}"))
    }

    fn context(&self, context: ContextRef) -> Option<String> {
        let at = (context as usize).checked_sub(1)?;
        // The innermost frame is the construct itself.
        let caller = self.definitions.contexts().get(at)?.caller;
        let frame = self.definitions.contexts().get((caller as usize).checked_sub(1)?)?;
        Some(self.name(frame.path))
    }

    fn path(&self, logical: Option<LogicalThreadRef>) -> Option<String> {
        let logical = self.definitions.logical_threads().get(logical? as usize)?;
        Some(logical.path.clone())
    }

    fn construct(&self, open: &Open) -> Construct {
        Construct {
            name: self.name(open.name),
            source: self.source(open.source),
            since_ns: open.begin,
        }
    }

    fn constructs(&self, slices: &[Open]) -> Vec<Construct> {
        let shown = slices.iter().filter(|open| {
            !matches!(open.kind, SliceKind::ImplicitTask | SliceKind::InitialTask | SliceKind::Task)
        });
        shown.map(|open| self.construct(open)).collect()
    }

    /// The mutexes that are held, in the order of their numbers.
    fn locks_held(&self) -> Vec<Lock> {
        let mut locks: Vec<LockRef> = self.ended.state.holds.keys().copied().collect();
        locks.sort_unstable();
        locks.into_iter().filter_map(|lock| self.lock(lock)).collect()
    }

    fn lock(&self, lock: LockRef) -> Option<Lock> {
        let known = self.definitions.locks().get(lock as usize)?;
        let hold = self.ended.state.holds.get(&lock);
        let holder = hold.and_then(|hold| {
            Some(Holder {
                thread: self.shown(hold.thread)?,
                task: hold.task,
                source: self.source(hold.source),
                since_ns: hold.since,
            })
        });
        let (name, wait_id) = (known.name.clone(), known.wait_id);
        Some(Lock { name, wait_id, holder, waiting: Vec::new() })
    }

    /// Index of the mutex with this wait id and kind, which is added if it is not held; if several have had the wait
    /// id, the newest one is taken.
    fn lock_of(&mut self, kind: Mutex, wait_id: u64) -> usize {
        let kind = kind.without_test();
        let mut known = self.definitions.locks().iter().rev();
        let found = known.find(|lock| lock.wait_id == wait_id && lock.kind.without_test() == kind);
        let lock = found.and_then(|lock| self.lock(lock.lock)).unwrap_or_else(|| Lock {
            name: kind.name().to_owned(),
            wait_id,
            ..Lock::default()
        });
        let same = |one: &Lock| one.wait_id == lock.wait_id && one.name == lock.name;
        match self.locks.iter().position(same) {
            Some(at) => at,
            None => {
                self.locks.push(lock);
                self.locks.len() - 1
            }
        }
    }

    fn thread(&mut self, at: usize) -> Thread {
        let position = self.positions.get(at).copied().unwrap_or_default();
        let ended = self.ended;
        let (Some(info), Some(state)) =
            (ended.infos.get(position), ended.state.threads.get(position))
        else {
            return Thread::default();
        };
        let implicit = &state.implicit;
        let implicit_tasks: Vec<_> = implicit
            .iter()
            .enumerate()
            .map(|(at, own)| {
                let until = implicit.get(at + 1).map_or(state.stack.len(), |next| next.base);
                self.implicit(own, state.stack.get(own.base..until).unwrap_or_default())
            })
            .collect();
        let name = harmless(&thread_name(&ended.facts, info));
        let path = implicit.last().and_then(|own| self.path(own.logical));
        let region = implicit.last().map_or(Id::NONE, |own| own.region);
        let waits = match state.state {
            Some(model::State::Idle | model::State::OverheadStart) => Some(Wait::Idle),
            Some(does) if does.is_work() || does.is_off_core() => None,
            _ => self.wait(&state.stack, region),
        };
        Thread {
            number: info.number,
            os_thread: info.os_thread,
            label: label(path.as_deref(), &name),
            name,
            last_event_ns: state.seen,
            waits,
            implicit_tasks,
            innermost: state.stack.last().map(|open| self.construct(open)),
            os: None,
        }
    }

    fn implicit(&self, own: &Implicit, slices: &[Open]) -> ImplicitTask {
        let slices = slices.iter().take_while(|open| open.kind != SliceKind::Task);
        let slices: Vec<Open> = slices.copied().collect();
        let mut barriers = slices.iter().filter(|open| is_barrier(open.kind));
        ImplicitTask {
            task: own.task,
            region: own.region,
            initial: own.root,
            thread_num: own.number,
            team_size: own.team_size,
            logical_thread: self.path(own.logical),
            constructs: self.constructs(&slices),
            barrier: barriers.next().map(|open| self.construct(open)),
            runs: own.running,
        }
    }

    /// The wait in which the innermost of these slices is, in a team of `region`; `None` if it does not wait.
    fn wait(&mut self, slices: &[Open], region: Id) -> Option<Wait> {
        let top = slices.iter().rev().find(|open| open.kind != SliceKind::ToolWait)?;
        let at = self.construct(top);
        Some(match top.kind {
            SliceKind::MutexWait(kind) => Wait::Mutex { lock: self.lock_of(kind, top.wait_id), at },
            SliceKind::Wait(SyncRegion::Idle) => Wait::Idle,
            kind if is_barrier(kind) => Wait::Barrier { region, at },
            SliceKind::Sync(SyncRegion::Taskwait) | SliceKind::Wait(SyncRegion::Taskwait) => {
                Wait::Taskwait { task: top.task, depends: top.awaits, at }
            }
            SliceKind::Wait(SyncRegion::Taskgroup) => {
                let group = SliceKind::Sync(SyncRegion::Taskgroup);
                let group = slices.iter().rev().find(|open| open.kind == group);
                let since_ns = group.map_or(top.begin, |group| group.begin);
                Wait::Taskgroup { task: top.task, since_ns, at }
            }
            SliceKind::Wait(_) => Wait::Other { at },
            SliceKind::Region { .. } => {
                let region = self.ended.state.regions.get(&top.task)?;
                let requested = region.requested;
                return (!region.entered).then_some(Wait::TeamStart { at, requested });
            }
            _ => return None,
        })
    }

    fn regions(&self) -> Vec<Region> {
        let size = |region: Id| {
            let implicit = self.ended.state.threads.iter().flat_map(|thread| &thread.implicit);
            let own = implicit.filter(|own| own.region == region);
            own.map(|own| own.team_size).max().unwrap_or(0)
        };
        let mut regions: Vec<_> = self.ended.state.regions.iter().collect();
        regions.sort_unstable_by_key(|(id, region)| (region.level, region.begin, **id));
        let region = |(id, region): (&Id, &crate::state::Region)| Region {
            id: *id,
            name: self.name(region.name),
            source: self.source(region.source),
            level: region.level,
            since_ns: region.begin,
            team_size: size(*id),
            called_from: self.context(region.context),
        };
        regions.into_iter().map(region).collect()
    }

    fn tasks(&mut self) -> Vec<Task> {
        let ended = self.ended;
        let mut tasks: Vec<_> = ended.state.tasks.iter().collect();
        tasks.sort_unstable_by_key(|(id, task)| (task.created.map(|created| created.at), **id));
        tasks.into_iter().map(|(id, task)| self.task(*id, task)).collect()
    }

    fn task(&mut self, id: Id, task: &crate::state::Task) -> Task {
        let created = task.created;
        let state = match (task.on, task.suspended.is_empty(), task.last) {
            (Some(_), ..) => TaskState::Runs,
            (None, false, _) => TaskState::Suspended,
            (None, true, Some(_)) => TaskState::Detached,
            (None, true, None) => TaskState::Created,
        };
        let region = created.map_or(Id::NONE, |created| created.region);
        let slices = match task.on.and_then(|on| self.ended.state.threads.get(on as usize)) {
            Some(thread) => of_task(&thread.stack, id),
            None => &task.suspended,
        };
        let waits = if state == TaskState::Suspended { self.wait(slices, region) } else { None };
        let after = task.after.iter();
        let source = created.and_then(|created| self.source(created.source));
        Task {
            id,
            name: task.name.map(|name| self.name(name)).unwrap_or_else(|| {
                let location = source.as_deref().unwrap_or("at an unknown location");
                format!("task {location}")
            }),
            source,
            state,
            parent: created.map_or(Id::NONE, |created| created.by),
            region,
            created_ns: created.map(|created| created.at),
            flags: created.and_then(|created| created.flags).map(|flags| self.name(flags)),
            thread: task.on.or(task.last).and_then(|thread| self.shown(thread)),
            waits_for: after
                .filter(|id| self.ended.state.tasks.contains_key(id))
                .copied()
                .collect(),
            waits,
            constructs: self.constructs(slices),
            called_from: self.context(task.context),
        }
    }
}

/// The slices of an explicit task that runs on a thread, without those of teams inside it.
fn of_task(stack: &[Open], task: Id) -> &[Open] {
    let is_begin = |open: &Open| open.kind == SliceKind::Task && open.task == task;
    let Some(begin) = stack.iter().position(is_begin) else { return &[] };
    let own = stack.get(begin..).unwrap_or_default();
    let inner = |open: &Open| matches!(open.kind, SliceKind::ImplicitTask);
    let end = own.iter().position(inner).unwrap_or(own.len());
    own.get(..end).unwrap_or_default()
}

fn is_barrier(kind: SliceKind) -> bool {
    matches!(kind, SliceKind::Sync(sync) | SliceKind::Wait(sync) if sync.is_barrier())
}

/// Name of a thread in findings: by its path of thread numbers, of which a thread of a single team needs only the last
/// one.
fn label(path: Option<&str>, name: &str) -> String {
    let Some(path) = path else { return name.to_owned() };
    match path.strip_prefix("0.") {
        _ if path == "0" => "the initial thread".to_owned(),
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("thread {number}")
        }
        _ => format!("thread {path}"),
    }
}
