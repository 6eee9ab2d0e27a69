//! Threads that call MPI and are known to no OpenMP runtime: they begin with their first call, and their end is noticed by
//! a key's destructor.

use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, Ordering};
use ompttrace_recorder::{Room, put, room};
use ompttrace_recording::events::{ImplicitTask, ThreadBegin, ThreadEnd};
use ompttrace_recording::words::FLAG_INFERRED;
use ompttrace_recording::{EventCode, Id, Scope};

/// ompt_thread_initial, which every thread of the program's own is.
const ROOT: u64 = 1;
/// ompt_task_initial.
const INITIAL: u64 = 1;
/// Rounds of destructors for which a thread's end is deferred. POSIX grants four at least: ours waits for the last,
/// since destructors of others may call MPI or record the end of the thread themselves.
const ROUNDS: usize = 3;

/// The key whose destructor is called at a thread's end, plus one; 0 if there is none yet.
static KEY: AtomicU64 = AtomicU64::new(0);

/// Creates the key.
pub(crate) fn prepare() {
    let mut key = 0;
    // SAFETY: the destructor is a function of this library, which is never unloaded.
    if unsafe { libc::pthread_key_create(&raw mut key, Some(ends)) } == 0 {
        KEY.store(u64::from(key) + 1, Ordering::Release);
    }
}

/// Records the begin of the calling thread before its first call, unless the thread has records already, because its
/// runtime reports it, or is the initial thread of the process.
pub(crate) extern "C" fn begins() {
    if ompttrace_recorder::is_known_thread() || is_first_of_process() {
        return;
    }
    put(
        EventCode::new(ThreadBegin::NUMBER, Scope::None),
        ThreadBegin { thread_type: ROOT | FLAG_INFERRED },
    );
    initial_task_begins();
    watch(1);
}

fn is_first_of_process() -> bool {
    // SAFETY: system calls without arguments that cannot fail.
    unsafe { libc::gettid() == libc::getpid() }
}

fn initial_task_begins() {
    let code = EventCode::new(ImplicitTask::NUMBER, Scope::Begin);
    let body = |room: Option<Room>| {
        let Some(room) = room else { return };
        let (thread, counter) = room.next_id();
        let task = Id::implicit_task(thread, counter, Id::NONE).0;
        let flags = INITIAL | FLAG_INFERRED;
        room.put(code, ImplicitTask { region: 0, task, team_size: 1, thread_num: 1, flags });
    };
    match room() {
        Some(room) => body(Some(room)),
        None => ompttrace_recorder::slow(code, body),
    }
}

fn watch(round: usize) {
    let key = KEY.load(Ordering::Acquire);
    if key > 0 {
        let round = core::ptr::without_provenance::<c_void>(round);
        // SAFETY: a key that was made; the value is a number.
        unsafe { libc::pthread_setspecific((key - 1) as libc::pthread_key_t, round) };
    }
}

unsafe extern "C" fn ends(round: *mut c_void) {
    if round.addr() <= ROUNDS {
        return watch(round.addr() + 1);
    }
    if ompttrace_recorder::is_known_thread() {
        put(EventCode::new(ThreadEnd::NUMBER, Scope::None), ThreadEnd {});
        ompttrace_recorder::thread_ended();
    }
}
