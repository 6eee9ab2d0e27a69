//! Putting events into the recording, in OMPT's words.

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
    /// A barrier of which it is not known whether the program has it (ompt_sync_region_barrier).
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

/// A bit for each event of OMPT, by its number, that the user wants. Ours come with those.
static WANTED: AtomicU64 = AtomicU64::new(!0);

/// Says which events are wanted.
pub fn want(events: u64) {
    WANTED.store(events, Ordering::Relaxed);
}

/// Whether the user wants this event.
#[inline(always)]
pub fn wants(number: u16) -> bool {
    number > 63 || WANTED.load(Ordering::Relaxed) >> number & 1 != 0
}

/// Records an event, now.
#[inline(always)]
pub fn put(number: u16, scope: Scope, event: impl Payload) {
    if !wants(number) {
        return;
    }
    ompttrace_recorder::put(EventCode::new(number, scope), event);
}

/// Begins or ends an implicit or initial task on the calling thread.
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

/// A thread that the program created reports its first event: it and its initial task begin.
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

/// A thread of the runtime's comes into its first region.
#[cold]
#[inline(never)]
pub fn worker_begins(thread: &'static Thread) {
    thread.begin();
    thread.task.set(thread.implicit());
    threads::begins(false);
    put(ThreadBegin::NUMBER, Scope::None, ThreadBegin { thread_type: WORKER });
}

/// A worker's closing barrier and implicit task end late: when it is next heard of. Readers know the
/// true end, which is the team's.
pub fn rest_is_over(thread: &'static Thread) {
    if !thread.rests.replace(false) {
        return;
    }
    let implicit = thread.implicit();
    barrier_ends(kind::BARRIER_PARALLEL, implicit.code.get(), implicit.id.get());
    implicit.team.set(0);
    implicit_task(Scope::End, implicit, 0, IMPLICIT);
}

/// A thread ends, with what is open on it.
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

/// A barrier, taskwait or taskgroup begins, or ends, without its waiting.
#[inline(always)]
pub fn sync(scope: Scope, kind: u64, code: u64, task: u64) {
    put(SyncRegion::NUMBER, scope, SyncRegion { code, kind, task });
}

/// The waiting in one.
#[inline(always)]
pub fn wait(scope: Scope, kind: u64, code: u64, task: u64) {
    put(SyncRegionWait::NUMBER, scope, SyncRegionWait { code, kind, task });
}

/// A barrier or taskwait and the waiting in it begin.
#[inline(always)]
pub fn barrier_begins(kind: u64, code: u64, task: u64) {
    sync(Scope::Begin, kind, code, task);
    wait(Scope::Begin, kind, code, task);
}

/// Both end.
#[inline(always)]
pub fn barrier_ends(kind: u64, code: u64, task: u64) {
    wait(Scope::End, kind, code, task);
    sync(Scope::End, kind, code, task);
}

/// Does what waits, and records it.
#[inline(always)]
pub fn waiting<T>(call: &Call, kind: u64, work: impl FnOnce() -> T) -> T {
    let task = call.task_id();
    barrier_begins(kind, call.code, task);
    let result = work();
    barrier_ends(kind, call.code, task);
    result
}

/// A work-sharing construct begins or ends.
#[inline(always)]
pub fn work(scope: Scope, kind: u64, code: u64, task: u64, count: u64) {
    put(Work::NUMBER, scope, Work { code, kind, task, count });
}

/// A mutex is asked for.
#[inline(always)]
pub fn acquire(call: &Call, kind: u64, wait_id: u64) {
    // A root that reaches a lock before any region reports itself first.
    call.task();
    let event = MutexAcquire { code: call.code, kind, wait_id, hint: 0, implementation: 0 };
    put(MutexAcquire::NUMBER, Scope::None, event);
}

/// The thread has it.
#[inline(always)]
pub fn acquired(call: &Call, kind: u64, wait_id: u64) {
    put(MutexAcquired::NUMBER, Scope::None, MutexAcquired { code: call.code, kind, wait_id });
}

/// The thread has given it back.
#[inline(always)]
pub fn released(call: &Call, kind: u64, wait_id: u64) {
    put(MutexReleased::NUMBER, Scope::None, MutexReleased { code: call.code, kind, wait_id });
}
