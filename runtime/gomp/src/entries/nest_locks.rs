//! Nestable locks: whether a thread has one for the first time stands in the lock itself.

use crate::call::Call;
use crate::entries::locks::{Lock, destroy, id, init};
use crate::entry::entries;
use crate::report::{self, acquire, acquired, kind, released};
use core::ffi::c_int;
use ompttrace_recording::Scope;
use ompttrace_recording::events::NestLock;

/// How often the calling thread, which has the lock, took it: the second int of libgomp's lock (on
/// Linux since GCC 4.4).
///
/// # Safety
/// A nestable lock of libgomp's that the thread holds.
unsafe fn depth(lock: Lock) -> c_int {
    // SAFETY: by the caller's promise it has two ints and a pointer.
    unsafe { lock.cast::<c_int>().add(1).read() }
}

/// The lock behind a Fortran variable, which has no room for it.
///
/// # Safety
/// The variable of an initialised nestable lock.
unsafe fn behind(variable: Lock) -> Lock {
    // SAFETY: by the caller's promise libgomp keeps the lock's address there.
    unsafe { variable.cast::<Lock>().read() }
}

fn nested(call: &Call, scope: Scope, lock: Lock) {
    let event = NestLock { code: call.code, kind: 0, wait_id: id(lock) };
    report::put(NestLock::NUMBER, scope, event);
}

/// The thread has it, for the so many-th time.
fn got(call: &Call, kind: u64, lock: Lock, depth: c_int) {
    match depth {
        ..=0 => {}
        1 => acquired(call, kind, id(lock)),
        _ => nested(call, Scope::Begin, lock),
    }
}

/// The thread has given back the lock that it had taken `depth` times.
fn gave(call: &Call, lock: Lock, depth: c_int) {
    if depth > 1 {
        nested(call, Scope::End, lock);
    } else {
        released(call, kind::NEST_LOCK, id(lock));
    }
}

entries! { TABLE;
    [omp_init_nest_lock, omp_init_nest_lock_] (lock: Lock) |call, real| {
        real(lock);
        init(&call, kind::NEST_LOCK, lock);
    }
    [omp_destroy_nest_lock, omp_destroy_nest_lock_] (lock: Lock) |call, real| {
        destroy(&call, kind::NEST_LOCK, lock);
        real(lock);
    }
    [omp_set_nest_lock] (lock: Lock) |call, real| {
        acquire(&call, kind::NEST_LOCK, id(lock));
        real(lock);
        got(&call, kind::NEST_LOCK, lock, depth(lock));
    }
    [omp_set_nest_lock_] (lock: Lock) |call, real| {
        acquire(&call, kind::NEST_LOCK, id(lock));
        real(lock);
        got(&call, kind::NEST_LOCK, lock, depth(behind(lock)));
    }
    [omp_unset_nest_lock] (lock: Lock) |call, real| {
        let depth = depth(lock);
        real(lock);
        gave(&call, lock, depth);
    }
    [omp_unset_nest_lock_] (lock: Lock) |call, real| {
        let depth = depth(behind(lock));
        real(lock);
        gave(&call, lock, depth);
    }
    [omp_test_nest_lock, omp_test_nest_lock_] (lock: Lock) -> c_int |call, real| {
        acquire(&call, kind::TEST_NEST_LOCK, id(lock));
        let depth = real(lock);
        got(&call, kind::TEST_NEST_LOCK, lock, depth);
        depth
    }
}
