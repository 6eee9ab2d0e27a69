//! Functions that record events, each with the arguments that OMPT has for it.

use crate::call::Call;
use crate::thread::{Task, Thread};
use crate::threads;
use core::sync::atomic::{AtomicU64, Ordering};
use ompttrace_recorder::{Room, room};
use ompttrace_recording::events::{
    ImplicitTask, MutexAcquire, MutexAcquired, MutexReleased, SyncRegion, SyncRegionWait,
    ThreadBegin, ThreadEnd, Work,
};
use ompttrace_recording::words::Payload;
use ompttrace_recording::{EventCode, Id, Scope};

/// Enumerators of OMPT (omp-tools.h).
#[allow(missing_docs, reason = "they have OMPT's names")]
pub mod kind {
    /// A barrier that may be the program's or implicit: the runtime does not distinguish them
    /// (ompt_sync_region_barrier).
    pub const BARRIER: u64 = 1;
    pub const TASKWAIT: u64 = 5;
    pub const TASKGROUP: u64 = 6;
    pub const BARRIER_EXPLICIT: u64 = 3;
    pub const REDUCTION: u64 = 7;
    pub const BARRIER_WORKSHARE: u64 = 8;
    pub const BARRIER_PARALLEL: u64 = 9;

    pub const LOOP: u64 = 1;
    pub const SECTIONS: u64 = 2;
    pub const SINGLE: u64 = 3;
    pub const SINGLE_OTHER: u64 = 4;
    pub const TASKLOOP: u64 = 7;
    pub const SCOPE: u64 = 8;
    pub const STATIC: u64 = 10;
    pub const DYNAMIC: u64 = 11;
    pub const GUIDED: u64 = 12;
    pub const OTHER: u64 = 13;

    pub const LOCK: u64 = 1;
    pub const TEST_LOCK: u64 = 2;
    pub const NEST_LOCK: u64 = 3;
    pub const TEST_NEST_LOCK: u64 = 4;
    pub const CRITICAL: u64 = 5;
    pub const ATOMIC: u64 = 6;
    pub const ORDERED: u64 = 7;

    /// ompt_task_explicit.
    pub const EXPLICIT: u64 = 4;
}

/// ompt_task_initial.
pub const INITIAL: u64 = 1;
/// ompt_task_implicit.
pub const IMPLICIT: u64 = 2;
/// ompt_thread_initial and ompt_thread_worker.
const ROOT: u64 = 1;
const WORKER: u64 = 2;

/// Set of OMPT's events that the user wants: bit `n` stands for the event with number `n`. Events of this tool, which
/// OMPT does not have, come with those.
static WANTED: AtomicU64 = AtomicU64::new(!0);

/// Sets the events that are wanted, a bit for each.
pub fn want(events: u64) {
    WANTED.store(events, Ordering::Relaxed);
}

/// True if the user wants the event with this number.
#[inline(always)]
pub fn wants(number: u16) -> bool {
    number > 63 || WANTED.load(Ordering::Relaxed) >> number & 1 != 0
}

/// Records an event with the present time, if it is wanted.
#[inline(always)]
pub fn put(number: u16, scope: Scope, event: impl Payload) {
    if !wants(number) {
        return;
    }
    ompttrace_recorder::put(EventCode::new(number, scope), event);
}

/// Records that an implicit or initial task begins or ends on the calling thread.
pub fn implicit_task(scope: Scope, task: &Task, number: u64, flags: u64) {
    let code = EventCode::new(ImplicitTask::NUMBER, scope);
    let body = |room: Option<Room>| {
        let region = Id(task.region.get());
        if scope == Scope::Begin {
            let parts = match &room {
                Some(room) => Some(room.next_id()),
                None => ompttrace_recorder::next_id(),
            };
            let id = parts.map_or(Id::NONE, |(t, n)| Id::implicit_task(t, n, region));
            task.id.set(id.0);
        }
        let Some(room) = room else { return };
        let event = ImplicitTask {
            region: region.0,
            task: task.id.get(),
            team_size: task.team.get(),
            thread_num: number,
            flags,
        };
        room.put(code, event);
    };
    match room() {
        Some(room) => body(Some(room)),
        None => ompttrace_recorder::slow(code, body),
    }
}

/// Records that a thread which the program created begins, with its initial task, at the thread's first event.
#[cold]
#[inline(never)]
pub fn root_begins(thread: &'static Thread) {
    thread.begin();
    thread.is_root.set(true);
    threads::begins(true);
    put(ThreadBegin::NUMBER, Scope::None, ThreadBegin { thread_type: ROOT });
    let root = thread.root();
    root.team.set(1);
    thread.task.set(root);
    implicit_task(Scope::Begin, root, 1, INITIAL);
}

/// Records that a worker thread of the runtime begins, when it enters its first region.
#[cold]
#[inline(never)]
pub fn worker_begins(thread: &'static Thread) {
    thread.begin();
    thread.task.set(thread.implicit());
    threads::begins(false);
    put(ThreadBegin::NUMBER, Scope::None, ThreadBegin { thread_type: WORKER });
}

/// Ends a worker's closing barrier and implicit task, if they are open. They end late, with the thread's next event;
/// readers use the end of the team instead.
pub fn rest_is_over(thread: &'static Thread) {
    if !thread.rests.replace(false) {
        return;
    }
    let implicit = thread.implicit();
    barrier_ends(kind::BARRIER_PARALLEL, implicit.code.get(), implicit.id.get());
    implicit.team.set(0);
    implicit_task(Scope::End, implicit, 0, IMPLICIT);
}

/// Records that a thread ends, after everything that is open on it.
#[cold]
pub fn thread_ends(thread: &'static Thread) {
    if thread.task.get().is_null() {
        return;
    }
    rest_is_over(thread);
    if thread.is_root.get() && thread.is_at_root() && !thread.is_inherited.get() {
        thread.root().team.set(0);
        implicit_task(Scope::End, thread.root(), 0, INITIAL);
    }
    put(ThreadEnd::NUMBER, Scope::None, ThreadEnd {});
    thread.task.set(core::ptr::null());
    threads::leave(thread);
    thread.end();
    ompttrace_recorder::thread_ended();
}

/// Records that a barrier, taskwait or taskgroup begins or ends, without the waiting in it.
#[inline(always)]
pub fn sync(scope: Scope, kind: u64, code: u64, task: u64) {
    put(SyncRegion::NUMBER, scope, SyncRegion { code, kind, task });
}

/// Records that the waiting in a barrier, taskwait or taskgroup begins or ends.
#[inline(always)]
pub fn wait(scope: Scope, kind: u64, code: u64, task: u64) {
    put(SyncRegionWait::NUMBER, scope, SyncRegionWait { code, kind, task });
}

/// Records that a barrier or taskwait and the waiting in it begin.
#[inline(always)]
pub fn barrier_begins(kind: u64, code: u64, task: u64) {
    sync(Scope::Begin, kind, code, task);
    wait(Scope::Begin, kind, code, task);
}

/// Records that the waiting in a barrier or taskwait and the construct itself end.
#[inline(always)]
pub fn barrier_ends(kind: u64, code: u64, task: u64) {
    wait(Scope::End, kind, code, task);
    sync(Scope::End, kind, code, task);
}

/// Runs `work`, which waits, and records a barrier or taskwait around it.
#[inline(always)]
pub fn waiting<T>(call: &Call, kind: u64, work: impl FnOnce() -> T) -> T {
    let task = call.task_id();
    barrier_begins(kind, call.code, task);
    let result = work();
    barrier_ends(kind, call.code, task);
    result
}

/// Records that a work-sharing construct begins or ends.
#[inline(always)]
pub fn work(scope: Scope, kind: u64, code: u64, task: u64, count: u64) {
    put(Work::NUMBER, scope, Work { code, kind, task, count });
}

/// Records that the calling thread requests a mutex.
#[inline(always)]
pub fn acquire(call: &Call, kind: u64, wait_id: u64) {
    // A root that reaches a lock before any region reports itself first.
    call.task();
    let event = MutexAcquire { code: call.code, kind, wait_id, hint: 0, implementation: 0 };
    put(MutexAcquire::NUMBER, Scope::None, event);
}

/// Records that the calling thread has acquired a mutex.
#[inline(always)]
pub fn acquired(call: &Call, kind: u64, wait_id: u64) {
    put(MutexAcquired::NUMBER, Scope::None, MutexAcquired { code: call.code, kind, wait_id });
}

/// Records that the calling thread has released a mutex.
#[inline(always)]
pub fn released(call: &Call, kind: u64, wait_id: u64) {
    put(MutexReleased::NUMBER, Scope::None, MutexReleased { code: call.code, kind, wait_id });
}
