//! What the calling thread is in, as its runtime says when it is asked: for when recording goes on.
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

/// Levels that are asked for in all, those of other threads among them.
const MOST_LEVELS: c_int = 4096;

/// The entry points of one runtime.
struct Runtime {
    task_info: AtomicPtr<()>,
    parallel_info: AtomicPtr<()>,
    /// Whether explicit tasks are recorded, so that none begins or ends unseen.
    with_tasks: AtomicBool,
}

static RUNTIMES: [Runtime; 4] = [const {
    Runtime {
        task_info: AtomicPtr::new(core::ptr::null_mut()),
        parallel_info: AtomicPtr::new(core::ptr::null_mut()),
        with_tasks: AtomicBool::new(false),
    }
}; 4];

/// Remembers the entry points of a runtime that initialises us.
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
    let place = RUNTIMES.iter().find(|runtime| {
        let known = runtime.task_info.load(Ordering::Acquire);
        known.is_null() || known == task_info
    });
    let Some(runtime) = place else { return };
    runtime.parallel_info.store(parallel_info as *mut (), Ordering::Release);
    runtime.with_tasks.store(with_tasks, Ordering::Release);
    runtime.task_info.store(task_info, Ordering::Release);
    ompttrace_recorder::add_source(ask);
}

/// A runtime finalises us, and nobody says which: none is asked any more, for its code may be unmapped next.
pub(crate) fn forget() {
    for runtime in &RUNTIMES {
        runtime.task_info.store(core::ptr::null_mut(), Ordering::Release);
    }
}

fn ask() -> bool {
    RUNTIMES.iter().any(|runtime| Asked::of(runtime).is_some_and(Asked::put))
}

/// A task at one level, and the region of its team.
#[derive(Clone, Copy)]
struct Level {
    flags: c_int,
    task: Data,
    region: Data,
    thread_num: c_int,
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

    /// The task so many levels above the running one.
    fn level(self, level: c_int) -> Option<Level> {
        let (mut flags, mut thread_num) = (0, 0);
        let (mut task, mut region) = (core::ptr::null_mut(), core::ptr::null_mut());
        let mut frame = core::ptr::null_mut();
        // SAFETY: the runtime's own function with places for its answers.
        let answer = unsafe {
            let (flags, task, frame) = (&raw mut flags, &raw mut task, &raw mut frame);
            (self.task_info)(level, flags, task, frame, &raw mut region, &raw mut thread_num)
        };
        (answer > 0).then_some(Level { flags, task, region, thread_num })
    }

    /// Threads of the team `teams` above the innermost, if that is the one of `region`.
    fn team_size(self, teams: c_int, region: Data) -> u64 {
        let (mut found, mut size) = (core::ptr::null_mut(), 0);
        // SAFETY: as above.
        let answer = unsafe { (self.parallel_info)(teams, &raw mut found, &raw mut size) };
        if answer == 2 && found == region { bits(size) } else { 0 }
    }

    /// Records what the calling thread is in; `false` when the runtime does not know it.
    fn put(self) -> bool {
        let mut chain = Chain::new();
        let Some(first) = self.level(0) else { return false };
        let (mut above, mut level) = (Some(first), 0);
        while let Some(now) = above.filter(|_| level < MOST_LEVELS) {
            chain.add(self, level, now);
            level += 1;
            above = self.level(level);
        }
        chain.put(level as u64);
        true
    }
}

/// The calling thread's own tasks, innermost first.
struct Chain {
    tasks: [OngoingTask; MOST_ONGOING],
    count: usize,
    /// Whether the next level is another thread's.
    is_left: bool,
    /// The levels up to the outermost of them.
    levels: u64,
    /// The team that the last level was in: its region's word, its place from inside, the thread's number.
    team: (Data, c_int, c_int),
}

impl Chain {
    fn new() -> Chain {
        let tasks = [OngoingTask::default(); MOST_ONGOING];
        let team = (core::ptr::null_mut(), -1, 0);
        Chain { tasks, count: 0, is_left: false, levels: 0, team }
    }

    fn add(&mut self, asked: Asked, level: c_int, now: Level) {
        if self.is_left {
            return;
        }
        // Of several tasks of one team the first tells the thread's number: LLVM's runtime is wrong with the others.
        if now.region != self.team.0 || self.team.1 < 0 {
            self.team = (now.region, self.team.1 + 1, now.thread_num);
        }
        let flags = now.flags as u32;
        let outside = flags & (ompt_task_initial | ompt_task_implicit) != 0;
        if let Some(task) = self.task(asked, level, now) {
            self.keep(task);
            self.levels = level as u64 + 1;
        }
        self.is_left = outside && self.team.2 != 0;
    }

    fn keep(&mut self, task: OngoingTask) {
        let explicit = u64::from(ompt_task_explicit);
        let inner = self.count.checked_sub(1).and_then(|last| self.tasks.get(last));
        // Below another explicit task it is suspended.
        let suspended =
            task.flags & explicit != 0 && inner.is_some_and(|t| t.flags & explicit != 0);
        if let Some(place) = self.tasks.get_mut(self.count).filter(|_| !suspended) {
            *place = task;
            self.count += 1;
        }
    }

    /// What is to be recorded of a level; nothing of a task that only begins with the event under way, which
    /// has no id yet or one that says so.
    fn task(&self, asked: Asked, level: c_int, now: Level) -> Option<OngoingTask> {
        // SAFETY: the words of this level are the runtime's, null or alive while the thread is in it.
        let (task, region) = unsafe { (id(now.task), id(now.region)) };
        let flags = u64::from(now.flags as u32);
        let (_, teams, thread_num) = self.team;
        if flags & u64::from(ompt_task_explicit) != 0 {
            let told = asked.with_tasks && !task.is_fresh() && !task.is_none();
            return told.then_some(OngoingTask { task: task.0, flags, ..OngoingTask::default() });
        }
        let team_size = asked.team_size(teams, now.region);
        let thread_num = bits(thread_num);
        if !task.is_none() {
            return Some(OngoingTask {
                region: region.0,
                task: task.0,
                team_size,
                thread_num,
                flags,
                left: 0,
            });
        }
        // In its closing wait a worker's implicit task has no id in its word.
        let (task, team) = ompttrace_recorder::kept();
        // Then, with nothing above it, the word of its region may be the next one's already.
        let asked = KeptTeam { region, size: team_size, thread_num };
        let unknown = KeptTeam { region: Id::NONE, size: 0, thread_num };
        let team = if level > 0 { asked } else { team.unwrap_or(unknown) };
        let KeptTeam { region, size, thread_num } = team;
        let (region, team_size) = (region.0, size);
        let ongoing = OngoingTask { region, task: task.0, team_size, thread_num, flags, left: 0 };
        (!task.is_none()).then_some(ongoing)
    }

    fn put(&mut self, levels: u64) {
        let Some(tasks) = self.tasks.get_mut(..self.count) else { return };
        tasks.reverse();
        put_ongoing(levels.saturating_sub(self.levels), tasks);
    }
}

/// Keeps the team of the implicit task whose closing wait begins unrecorded: at its end nobody knows any more.
pub(crate) fn keep_team(task: Id, region: Id) {
    let asked = RUNTIMES.iter().filter_map(Asked::of);
    let Some((asked, now)) = asked.filter_map(|asked| Some((asked, asked.level(0)?))).next() else {
        return;
    };
    // A task may run in the wait, whose team is the same.
    let (size, thread_num) = (asked.team_size(0, now.region), bits(now.thread_num));
    ompttrace_recorder::keep_team(task, KeptTeam { region, size, thread_num });
}
