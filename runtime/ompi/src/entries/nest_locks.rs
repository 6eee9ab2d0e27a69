//! Nestable locks. ORT does not report how many times a thread has acquired one, so that is counted, for as many locks
//! at a time as the thread's page has slots for.

use crate::call::Call;
use crate::entries::locks::{Lock, destroy, id, init};
use crate::entry::entries;
use crate::own;
use crate::report::{self, acquire, acquired, kind, released};
use core::ffi::c_int;
use ompttrace_recording::Scope;
use ompttrace_recording::events::NestLock;

fn nested(call: &Call, scope: Scope, lock: Lock) {
    let event = NestLock { code: call.code, kind: 0, wait_id: id(lock) };
    report::put(NestLock::NUMBER, scope, event);
}

/// Records that the thread has acquired a lock, for the first time or again.
fn got(call: &Call, kind: u64, lock: Lock) {
    match own::of(call.thread).map_or(1, |own| own.takes(lock.addr())) {
        1 => acquired(call, kind, id(lock)),
        _ => nested(call, Scope::Begin, lock),
    }
}

entries! { settled;
    omp_init_nest_lock (lock: Lock) |call, real| {
        real(lock);
        init(&call, kind::NEST_LOCK, lock, 0);
    }
    omp_destroy_nest_lock (lock: Lock) |call, real| {
        destroy(&call, kind::NEST_LOCK, lock);
        real(lock);
    }
    omp_set_nest_lock (lock: Lock) |call, real| {
        acquire(&call, kind::NEST_LOCK, id(lock));
        real(lock);
        got(&call, kind::NEST_LOCK, lock);
    }
    omp_unset_nest_lock (lock: Lock) |call, real| {
        let left = own::of(call.thread).map_or(0, |own| own.gives(lock.addr()));
        real(lock);
        match left {
            0 => released(&call, kind::NEST_LOCK, id(lock)),
            _ => nested(&call, Scope::End, lock),
        }
    }
    omp_test_nest_lock (lock: Lock) -> c_int |call, real| {
        acquire(&call, kind::TEST_NEST_LOCK, id(lock));
        let taken = real(lock);
        if taken != 0 {
            got(&call, kind::TEST_NEST_LOCK, lock);
        }
        taken
    }
}
