//! Nestable locks: the number of times that its owner has acquired one is read from the lock itself.

use crate::call::Call;
use crate::entries::locks::{Lock, destroy, id, init};
use crate::entry::entries;
use crate::report::{self, acquire, acquired, kind, released};
use core::ffi::c_int;
use ompttrace_recording::Scope;
use ompttrace_recording::events::NestLock;

/// Number of times that the calling thread, which owns the lock, has acquired it: the second int of libgomp's lock (on
/// Linux since GCC 4.4).
///
/// # Safety
/// `lock` is a nestable lock of libgomp that the thread owns.
unsafe fn depth(lock: Lock) -> c_int {
    // SAFETY: by the caller's promise it has two ints and a pointer.
    unsafe { lock.cast::<c_int>().add(1).read() }
}

/// The lock to which a Fortran variable refers, because the variable is too small for the lock itself.
///
/// # Safety
/// `variable` is that of an initialised nestable lock.
unsafe fn behind(variable: Lock) -> Lock {
    // SAFETY: by the caller's promise libgomp keeps the lock's address there.
    unsafe { variable.cast::<Lock>().read() }
}

fn nested(call: &Call, scope: Scope, lock: Lock) {
    let event = NestLock { code: call.code, kind: 0, wait_id: id(lock) };
    report::put(NestLock::NUMBER, scope, event);
}

/// Records that the thread has acquired the lock and owns it `depth` times now; nothing if `depth` is 0.
fn got(call: &Call, kind: u64, lock: Lock, depth: c_int) {
    match depth {
        ..=0 => {}
        1 => acquired(call, kind, id(lock)),
        _ => nested(call, Scope::Begin, lock),
    }
}

/// Records that the thread has released the lock, which it had owned `depth` times.
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
