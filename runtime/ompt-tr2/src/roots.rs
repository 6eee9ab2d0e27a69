//! Root threads on LLVM's runtime: it reports the begin of the initial thread and of its workers, but of no other
//! thread of the program's that comes to it, and initial tasks of none. What a root thread is missing is recorded
//! before its first event, marked inferred.

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
/// The events of idleness, which may come before a worker's begin, and to no root thread.
const IDLE: [u32; 2] = [9, 10];

pub(crate) const TABLE: &[EventEntry] =
    &[EventEntry::new(5, "thread_begin", Some(ThreadBegin::NUMBER), thread_begin as *const ())];

thread_local! {
    /// What the recording has of the calling thread: [`NOTHING`], that it is a [`WORKER`], or as a root thread its begin
    /// and that of the initial task of this number. One word: there is little thread-local memory.
    static KNOWN: Cell<u64> = const { Cell::new(NOTHING) };
}

const NOTHING: u64 = 0;
/// It is none of the program's own.
const WORKER: u64 = u64::MAX;
/// A root thread whose initial task has no number.
const WITHOUT_TASK: u64 = u64::MAX - 1;

/// Whether the runtime is one that is silent about root threads.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// A runtime has answered for which events it has callbacks: LLVM's says that it never sends initial tasks.
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

/// Called before an event of a thread that may be its first.
pub(crate) fn introduce(event: u32) {
    if IS_SILENT.load(Ordering::Acquire) && KNOWN.get() == NOTHING && !IDLE.contains(&event) {
        let task = outermost_task();
        // A thread that the runtime does not know is none of OpenMP's.
        if task != 0 {
            begin(FLAG_INFERRED, task);
        }
    }
}

/// A root thread begins: now, or before its first event that is recorded. While nothing is, nothing is known.
fn begin(inferred: u64, task: u64) {
    let thread_type = u64::from(INITIAL_THREAD) | inferred;
    let begun = code::<{ ThreadBegin::NUMBER }>(Scope::None);
    if put(begun, ThreadBegin { thread_type }) {
        KNOWN.set(if task == 0 { WITHOUT_TASK } else { task });
        put_task(Scope::Begin, task);
    }
}

/// The thread ends, and with it its initial task.
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
