//! Locks, identified by the address of the program's variable. ORT's own locks are those of the execution entity
//! library and are not seen here.

use crate::call::Call;
use crate::entry::entries;
use crate::report::{self, acquire, acquired, kind, released};
use core::ffi::{c_int, c_uint, c_void};
use ompttrace_recording::Scope;
use ompttrace_recording::events::{LockDestroy, LockInit};

/// Address of a lock's variable, which identifies the lock.
pub(crate) type Lock = *mut *mut c_void;

pub(crate) fn id(lock: Lock) -> u64 {
    lock.addr() as u64
}

/// Records that a lock was initialised.
pub(crate) fn init(call: &Call, kind: u64, lock: Lock, hint: u64) {
    call.task();
    let event = LockInit { code: call.code, kind, wait_id: id(lock), hint, implementation: 0 };
    report::put(LockInit::NUMBER, Scope::None, event);
}

/// Records that a lock is destroyed.
pub(crate) fn destroy(call: &Call, kind: u64, lock: Lock) {
    call.task();
    let event = LockDestroy { code: call.code, kind, wait_id: id(lock) };
    report::put(LockDestroy::NUMBER, Scope::None, event);
}

entries! { settled;
    omp_init_lock (lock: Lock) |call, real| {
        real(lock);
        init(&call, kind::LOCK, lock, 0);
    }
    omp_init_lock_with_hint (lock: Lock, hint: c_uint) |call, real| {
        real(lock, hint);
        init(&call, kind::LOCK, lock, hint.into());
    }
    omp_destroy_lock (lock: Lock) |call, real| {
        destroy(&call, kind::LOCK, lock);
        real(lock);
    }
    omp_set_lock (lock: Lock) |call, real| {
        acquire(&call, kind::LOCK, id(lock));
        real(lock);
        acquired(&call, kind::LOCK, id(lock));
    }
    omp_unset_lock (lock: Lock) |call, real| {
        real(lock);
        released(&call, kind::LOCK, id(lock));
    }
    omp_test_lock (lock: Lock) -> c_int |call, real| {
        acquire(&call, kind::TEST_LOCK, id(lock));
        let got = real(lock);
        if got != 0 {
            acquired(&call, kind::TEST_LOCK, id(lock));
        }
        got
    }
}
