//! Locks, critical, ordered and atomic regions (OpenMP 5.2, 19.5.2.18-19.5.2.22).

use crate::data::{Code, at};
use crate::table::callbacks;
use core::ffi::c_uint;
use ompt_sys::{ompt_mutex_t, ompt_scope_endpoint_t, ompt_wait_id_t};
use ompttrace_recording::events::{
    LockDestroy, LockInit, MutexAcquire, MutexAcquired, MutexReleased, NestLock,
};

callbacks! { TABLE;
    fn ompttrace_cb_mutex_acquire / MutexAcquire / 0;
        (kind: ompt_mutex_t, hint: c_uint, implementation: c_uint, wait_id: ompt_wait_id_t, codeptr: Code) |room| {
        let (hint, implementation) = (hint.into(), implementation.into());
        MutexAcquire { code: at(codeptr), kind: kind.into(), wait_id, hint, implementation }
    }
    fn ompttrace_cb_mutex_acquired / MutexAcquired / 0;
        (kind: ompt_mutex_t, wait_id: ompt_wait_id_t, codeptr: Code) |room| {
        MutexAcquired { code: at(codeptr), kind: kind.into(), wait_id }
    }
    fn ompttrace_cb_mutex_released / MutexReleased / 0;
        (kind: ompt_mutex_t, wait_id: ompt_wait_id_t, codeptr: Code) |room| {
        MutexReleased { code: at(codeptr), kind: kind.into(), wait_id }
    }
    fn ompttrace_cb_lock_init / LockInit / 0;
        (kind: ompt_mutex_t, hint: c_uint, implementation: c_uint, wait_id: ompt_wait_id_t, codeptr: Code) |room| {
        let (hint, implementation) = (hint.into(), implementation.into());
        LockInit { code: at(codeptr), kind: kind.into(), wait_id, hint, implementation }
    }
    fn ompttrace_cb_lock_destroy / LockDestroy / 0;
        (kind: ompt_mutex_t, wait_id: ompt_wait_id_t, codeptr: Code) |room| {
        LockDestroy { code: at(codeptr), kind: kind.into(), wait_id }
    }
    fn ompttrace_cb_nest_lock / NestLock / endpoint;
        (endpoint: ompt_scope_endpoint_t, wait_id: ompt_wait_id_t, codeptr: Code) |room| {
        NestLock { code: at(codeptr), kind: 0, wait_id }
    }
}
