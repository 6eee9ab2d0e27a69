//! Locks for an archive that several threads write: the implementation of OTF2_Pthread_Locks.h, whose functions are
//! all static and so cannot be bound.

use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::*;

/// One lock of the library, which locks and unlocks by calls rather than by guards.
#[derive(Default)]
struct HeldFlag {
    held: Mutex<bool>,
    freed: Condvar,
}

static CALLBACKS: OTF2_LockingCallbacks = OTF2_LockingCallbacks {
    otf2_release: None,
    otf2_create: Some(create),
    otf2_destroy: Some(destroy),
    otf2_lock: Some(lock),
    otf2_unlock: Some(unlock),
};

/// Allows several threads to use one archive, each with its own writers.
///
/// # Safety
/// `archive` is open and no other thread knows it yet.
pub unsafe fn set_locking_callbacks(archive: *mut OTF2_Archive) -> OTF2_ErrorCode {
    // SAFETY: the callbacks live for ever, and the caller vouches for the archive.
    unsafe { OTF2_Archive_SetLockingCallbacks(archive, &CALLBACKS, null_mut()) }
}

unsafe extern "C" fn create(_: *mut c_void, to: *mut OTF2_Lock) -> OTF2_CallbackCode {
    if to.is_null() {
        return OTF2_CALLBACK_ERROR;
    }
    let lock = Box::into_raw(Box::<HeldFlag>::default());
    // SAFETY: the library gives room for one pointer.
    unsafe { to.write(lock.cast()) };
    OTF2_CALLBACK_SUCCESS
}

unsafe extern "C" fn destroy(_: *mut c_void, lock: OTF2_Lock) -> OTF2_CallbackCode {
    if lock.is_null() {
        return OTF2_CALLBACK_ERROR;
    }
    // SAFETY: `create` made it, and the library destroys it once.
    drop(unsafe { Box::from_raw(lock.cast::<HeldFlag>()) });
    OTF2_CALLBACK_SUCCESS
}

unsafe extern "C" fn lock(_: *mut c_void, lock: OTF2_Lock) -> OTF2_CallbackCode {
    // SAFETY: `create` made it, and it is destroyed only when nothing uses it.
    let Some(lock) = (unsafe { lock.cast::<HeldFlag>().as_ref() }) else {
        return OTF2_CALLBACK_ERROR;
    };
    let mut held = lock.held.lock().unwrap_or_else(PoisonError::into_inner);
    while *held {
        held = lock.freed.wait(held).unwrap_or_else(PoisonError::into_inner);
    }
    *held = true;
    OTF2_CALLBACK_SUCCESS
}

unsafe extern "C" fn unlock(_: *mut c_void, lock: OTF2_Lock) -> OTF2_CallbackCode {
    // SAFETY: `create` made it, and it is destroyed only when nothing uses it.
    let Some(lock) = (unsafe { lock.cast::<HeldFlag>().as_ref() }) else {
        return OTF2_CALLBACK_ERROR;
    };
    *lock.held.lock().unwrap_or_else(PoisonError::into_inner) = false;
    lock.freed.notify_one();
    OTF2_CALLBACK_SUCCESS
}
