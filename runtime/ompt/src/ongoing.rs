//! Tasks that are under way on the calling thread, as its runtime reports them; recorded when recording continues.
//!
//! The entry points are async-signal-safe and answer in any callback. Several runtimes may be in one
//! process; each knows its own threads and no others.

use crate::data::{Data, bits, id};
use crate::inquiry::Lookup;
use core::ffi::c_int;
use core::mem::transmute;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use ompt_sys::{
    ompt_frame_t, ompt_get_parallel_info_t, ompt_get_task_info_t, ompt_task_explicit,
    ompt_task_implicit, ompt_task_initial,
};
use ompttrace_recorder::{KeptTeam, MOST_ONGOING, put_ongoing};
use ompttrace_recording::Id;
use ompttrace_recording::events::OngoingTask;

/// Maximum number of levels that are inquired, including those of other threads.
const MOST_LEVELS: c_int = 4096;

/// The entry points of one runtime by which it is asked.
struct Runtime {
    task_info: AtomicPtr<()>,
    parallel_info: AtomicPtr<()>,
    /// True if explicit tasks are recorded, so that the records contain the begin and end of each.
    with_tasks: AtomicBool,
}

static RUNTIMES: [Runtime; 4] = [const {
    Runtime {
        task_info: AtomicPtr::new(core::ptr::null_mut()),
        parallel_info: AtomicPtr::new(core::ptr::null_mut()),
        with_tasks: AtomicBool::new(false),
    }
}; 4];

/// Remembers the entry points of a runtime that initialises this tool.
pub(crate) fn remember(lookup: Lookup, with_tasks: bool) {
    // SAFETY: the types are those of the two entry points.
    let (task_info, parallel_info) = unsafe {
        (
            lookup.find::<ompt_get_task_info_t>(c"ompt_get_task_info").flatten(),
            lookup.find::<ompt_get_parallel_info_t>(c"ompt_get_parallel_info").flatten(),
        )
    };
    let (Some(task_info), Some(parallel_info)) = (task_info, parallel_info) else { return };
    let task_info = task_info as *mut ();
    let slot = RUNTIMES.iter().find(|runtime| {
        let known = runtime.task_info.load(Ordering::Acquire);
        known.is_null() || known == task_info
    });
    let Some(runtime) = slot else { return };
    runtime.parallel_info.store(parallel_info as *mut (), Ordering::Release);
    runtime.with_tasks.store(with_tasks, Ordering::Release);
    runtime.task_info.store(task_info, Ordering::Release);
    ompttrace_recorder::add_source(ask);
}

/// Forgets all runtimes when one finalises this tool, because it is unknown which one does: its code may be unmapped
/// next.
pub(crate) fn forget() {
    for runtime in &RUNTIMES {
        runtime.task_info.store(core::ptr::null_mut(), Ordering::Release);
    }
}

/// Id of the task that the calling thread runs. A task's creator may be another one: LLVM's runtime reports the task
/// that encountered a taskloop as the creator of tasks that the runtime's own tasks create for it.
pub(crate) fn running() -> Option<Id> {
    let task_of = |runtime| Some(Asked::of(runtime)?.level(0)?.task);
    RUNTIMES.iter().find_map(task_of)
}

fn ask() -> bool {
    RUNTIMES.iter().any(|runtime| Asked::of(runtime).is_some_and(Asked::put))
}

/// A task at one level. The runtime reports its region, too, but LLVM's reports one too far out for a task that only
/// begins, and finally an invalid address: regions are inquired separately.
#[derive(Clone, Copy)]
struct Level {
    flags: u64,
    task: Id,
    thread_num: u64,
}

impl Level {
    fn is_explicit(&self) -> bool {
        self.flags & u64::from(ompt_task_explicit) != 0
    }

    fn is_initial(&self) -> bool {
        self.flags & u64::from(ompt_task_initial) != 0
    }
}

#[derive(Clone, Copy)]
struct Asked {
    task_info: unsafe extern "C" fn(
        c_int,
        *mut c_int,
        *mut Data,
        *mut *mut ompt_frame_t,
        *mut Data,
        *mut c_int,
    ) -> c_int,
    parallel_info: unsafe extern "C" fn(c_int, *mut Data, *mut c_int) -> c_int,
    with_tasks: bool,
}

impl Asked {
    fn of(runtime: &Runtime) -> Option<Asked> {
        let task_info = runtime.task_info.load(Ordering::Acquire);
        let parallel_info = runtime.parallel_info.load(Ordering::Acquire);
        // SAFETY: null, or stored by `remember` from these very types, which are options of them.
        let (task_info, parallel_info) = unsafe {
            (
                transmute::<*mut (), ompt_get_task_info_t>(task_info)?,
                transmute::<*mut (), ompt_get_parallel_info_t>(parallel_info)?,
            )
        };
        let with_tasks = runtime.with_tasks.load(Ordering::Acquire);
        Some(Asked { task_info, parallel_info, with_tasks })
    }

    /// The task at this number of levels above the running one; `None` if there is none.
    fn level(self, level: c_int) -> Option<Level> {
        let (mut flags, mut thread_num) = (0, 0);
        let (mut task, mut region) = (core::ptr::null_mut(), core::ptr::null_mut());
        let mut frame = core::ptr::null_mut();
        // SAFETY: the runtime's own function with storage for its results.
        let answer = unsafe {
            let (flags, task, frame) = (&raw mut flags, &raw mut task, &raw mut frame);
            (self.task_info)(level, flags, task, frame, &raw mut region, &raw mut thread_num)
        };
        if answer == 0 {
            return None;
        }
        // SAFETY: null or the word of a task that the calling thread is in, which lives as long as it is.
        let task = unsafe { id(task) };
        Some(Level { flags: bits(flags), task, thread_num: bits(thread_num) })
    }

    /// The region at this number of levels around the calling thread, and the number of threads in its team; `None` if
    /// there is none.
    fn region(self, level: c_int) -> Option<(Id, u64)> {
        let (mut region, mut size) = (core::ptr::null_mut(), 0);
        // SAFETY: the runtime's own function with storage for its results.
        let answer = unsafe { (self.parallel_info)(level, &raw mut region, &raw mut size) };
        // SAFETY: the runtime's word of a region that the thread is in.
        (answer == 2).then(|| (unsafe { id(region) }, bits(size)))
    }

    /// Number of regions around the calling thread, including that of its initial task.
    fn regions(self) -> u64 {
        (0..MOST_LEVELS).take_while(|level| self.region(*level).is_some()).count() as u64
    }

    /// Records the tasks that are under way on the calling thread; returns false if the runtime does not know the
    /// thread, or not enough of it.
    fn put(self) -> bool {
        let Some(first) = self.level(0) else { return false };
        let mut chain = Chain { tasks: [OngoingTask::default(); MOST_ONGOING], count: 0 };
        let order = if first.is_explicit() && (first.task.is_none() || first.task.is_fresh()) {
            chain.of_switch(self, first.thread_num)
        } else {
            chain.of_levels(self, first)
        };
        let Some(order) = order else { return false };
        let Some(tasks) = chain.tasks.get_mut(..chain.count) else { return false };
        tasks.reverse();
        put_ongoing(order, tasks);
        true
    }
}

/// An order that is larger than any which is derived from the number of regions around a thread.
const LAST: u64 = 2 * MOST_LEVELS as u64;

/// The calling thread's own tasks, innermost first.
struct Chain {
    tasks: [OngoingTask; MOST_ONGOING],
    count: usize,
}

impl Chain {
    /// Collects the tasks level by level, up to the outermost one of the thread; returns the number of regions around
    /// that, as order.
    fn of_levels(&mut self, asked: Asked, first: Level) -> Option<u64> {
        let (mut now, mut level, mut team) = (first, 0, 0);
        let mut thread_num = first.thread_num;
        loop {
            if now.is_explicit() {
                self.add_explicit(asked, now);
            } else if level == 0 && now.task.is_none() {
                // In its closing wait a worker's implicit task has no id in its word; and that of its region
                // may be the next one's already, as may all around it.
                if self.add_resting(now) {
                    return Some(LAST);
                }
            } else {
                let (region, team_size) = asked.region(team).unwrap_or_default();
                // A task runs in that wait.
                let is_kept = now.task.is_none();
                let task = if is_kept { ompttrace_recorder::kept().0 } else { now.task };
                self.add_implicit(Level { task, thread_num, ..now }, region, team_size);
            }
            let outside = !now.is_explicit();
            if now.is_initial() || (outside && thread_num != 0) {
                break;
            }
            level += 1;
            let Some(next) = asked.level(level).filter(|_| level < MOST_LEVELS) else { break };
            // Of several tasks of one team the first reports the thread's number there.
            if outside {
                team += 1;
                thread_num = next.thread_num;
            }
            now = next;
        }
        let on_root = thread_num == 0;
        Some(if on_root { 0 } else { asked.regions().saturating_sub(team as u64) })
    }

    /// Collects the tasks if the running one only begins with the event under way. LLVM's runtime reports the task
    /// that created it, but not the one that the thread leaves for it: the event does.
    fn of_switch(&mut self, asked: Asked, thread_num: u64) -> Option<u64> {
        let flags = u64::from(ompt_task_implicit);
        let left = match ompttrace_recorder::left() {
            Id::NONE => ompttrace_recorder::kept().0,
            left => left,
        };
        let (region, team_size) = asked.region(0)?;
        if !left.is_implicit() {
            return None;
        }
        let initial =
            (1..MOST_LEVELS).map_while(|level| asked.level(level)).find(Level::is_initial);
        let regions = asked.regions();
        if thread_num == 0 && initial.is_some_and(|initial| initial.task == left) {
            self.add_implicit(initial?, Id::NONE, 1);
            return Some(0);
        }
        self.add_implicit(Level { flags, task: left, thread_num }, region, team_size);
        // For the primary thread of a nested region it is unknown which tasks are around it.
        match (thread_num, regions) {
            (0, 2) => self.add_implicit(initial?, Id::NONE, 1),
            (0, _) => return None,
            _ => {}
        }
        Some(if thread_num == 0 { 0 } else { regions })
    }

    fn add(&mut self, task: OngoingTask) {
        if let Some(slot) = self.tasks.get_mut(self.count) {
            *slot = task;
            self.count += 1;
        }
    }

    fn add_implicit(&mut self, level: Level, region: Id, team_size: u64) {
        let Level { flags, task, thread_num } = level;
        // One without an id begins with the event under way.
        if !task.is_none() {
            let (region, task) = (region.0, task.0);
            self.add(OngoingTask { region, task, team_size, thread_num, flags, left: 0 });
        }
    }

    fn add_explicit(&mut self, asked: Asked, level: Level) {
        let explicit = u64::from(ompt_task_explicit);
        let inner = self.count.checked_sub(1).and_then(|last| self.tasks.get(last));
        // Below another explicit task it is suspended.
        let is_suspended = inner.is_some_and(|inner| inner.flags & explicit != 0);
        if asked.with_tasks && !is_suspended && !level.task.is_none() {
            let (task, flags) = (level.task.started().0, level.flags);
            self.add(OngoingTask { task, flags, ..OngoingTask::default() });
        }
    }

    /// Adds the implicit task of a worker that waits at its region's end and runs nothing; returns false if there is
    /// none.
    fn add_resting(&mut self, level: Level) -> bool {
        let (task, team) = ompttrace_recorder::kept();
        let unknown = KeptTeam { region: Id::NONE, size: 0, thread_num: level.thread_num };
        let KeptTeam { region, size, thread_num } = team.unwrap_or(unknown);
        self.add_implicit(Level { task, thread_num, ..level }, region, size);
        !task.is_none()
    }
}

/// Keeps the team of the implicit task whose closing wait begins unrecorded, since it is unknown at the end of the
/// wait.
pub(crate) fn keep_team(task: Id, region: Id) {
    let first = |runtime| Asked::of(runtime).and_then(|asked| Some((asked, asked.level(0)?)));
    let Some((asked, now)) = RUNTIMES.iter().find_map(first) else { return };
    let size = asked.region(0).map_or(0, |(_, size)| size);
    ompttrace_recorder::keep_team(task, KeptTeam { region, size, thread_num: now.thread_num });
}
