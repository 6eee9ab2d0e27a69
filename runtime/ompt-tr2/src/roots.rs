//! Root threads on LLVM's runtime: it reports the begin of the initial thread and of its workers, but not of other
//! threads of the program that use it, and no initial tasks. The missing begins of a root thread are recorded before
//! its first event, marked inferred.

use crate::dialect::Dialect;
use crate::inquiry::outermost_task;
use crate::table::{EventEntry, code, put};
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};
use ompttrace_recording::events::{ImplicitTask, ThreadBegin};
use ompttrace_recording::words::FLAG_INFERRED;
use ompttrace_recording::{Id, Scope};
use std::collections::BTreeMap;

/// ompt_thread_initial.
const INITIAL_THREAD: u32 = 1;
/// ompt_task_initial.
const INITIAL_TASK: u64 = 1;
/// The events of idleness, which may come before a worker's begin; a root thread has none.
const IDLE: [u32; 2] = [9, 10];

pub(crate) const TABLE: &[EventEntry] =
    &[EventEntry::new(5, "thread_begin", Some(ThreadBegin::NUMBER), thread_begin as *const ())];

thread_local! {
    /// State of the calling thread in the recording: [`NOTHING`], [`WORKER`], or for a root thread whose begin was
    /// recorded the number of its initial task. It is one word, because thread-local memory is scarce.
    static KNOWN: Cell<u64> = const { Cell::new(NOTHING) };
}

const NOTHING: u64 = 0;
/// The thread is not one of the program's own.
const WORKER: u64 = u64::MAX;
/// The thread is a root thread whose initial task has no number.
const WITHOUT_TASK: u64 = u64::MAX - 1;

/// True if the runtime does not report root threads.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Determines from the runtime's answers on its callbacks whether it reports root threads: LLVM's answers that it
/// never sends initial tasks.
pub(crate) fn expect(dialect: Dialect, answers: &BTreeMap<String, String>) {
    let answer = answers.get("initial_task_begin").map(String::as_str);
    let sends = matches!(answer, Some("sometimes" | "always"));
    IS_SILENT.store(dialect == Dialect::Llvm && !sends, Ordering::Release);
}

unsafe extern "C" fn thread_begin(kind: u32, _thread: u64) {
    if kind == INITIAL_THREAD && IS_SILENT.load(Ordering::Acquire) {
        begin(0, outermost_task());
    } else {
        KNOWN.set(WORKER);
        put(code::<{ ThreadBegin::NUMBER }>(Scope::None), ThreadBegin { thread_type: kind.into() });
    }
}

/// Records the begin of a root thread before an event of it that may be its first.
pub(crate) fn introduce(event: u32) {
    if IS_SILENT.load(Ordering::Acquire) && KNOWN.get() == NOTHING && !IDLE.contains(&event) {
        let task = outermost_task();
        // A thread that the runtime does not know is none of OpenMP's.
        if task != 0 {
            begin(FLAG_INFERRED, task);
        }
    }
}

/// Records the begin of a root thread, now or before its first event that is recorded. While nothing is recorded the
/// thread remains unknown.
fn begin(inferred: u64, task: u64) {
    let thread_type = u64::from(INITIAL_THREAD) | inferred;
    let begun = code::<{ ThreadBegin::NUMBER }>(Scope::None);
    if put(begun, ThreadBegin { thread_type }) {
        KNOWN.set(if task == 0 { WITHOUT_TASK } else { task });
        put_task(Scope::Begin, task);
    }
}

/// Records the end of a root thread's initial task at the end of the thread.
pub(crate) fn end() {
    match KNOWN.replace(NOTHING) {
        NOTHING | WORKER | WITHOUT_TASK => {}
        task => put_task(Scope::End, task),
    }
}

fn put_task(scope: Scope, task: u64) {
    if task != 0 {
        let (task, flags) = (Id::from_source(task).0, INITIAL_TASK | FLAG_INFERRED);
        let team_size = u64::from(scope == Scope::Begin);
        let event = ImplicitTask { region: 0, task, team_size, thread_num: 0, flags };
        put(code::<{ ImplicitTask::NUMBER }>(scope), event);
    }
}
