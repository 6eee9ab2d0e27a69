//! Buffers that a runtime asks for, on any thread and perhaps while the program waits for it, and what comes back in them.
//!
//! Free buffers are in slots that are exchanged without a lock; where there is none the kernel is asked for another.

use super::records::Batch;
use super::{Device, KEEPS, LEFT_OUT, clock, device};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};
use ompt_sys::{ompt_buffer_cursor_t, ompt_buffer_t};
use ompttrace_life::put_device_records;
use ompttrace_recorder::caught;

/// Bytes of a buffer: some thousand records.
const BYTES: usize = 256 << 10;
/// Buffers that are kept for later requests.
const KEPT: usize = 16;

static FREE: [AtomicPtr<c_void>; KEPT] = [const { AtomicPtr::new(core::ptr::null_mut()) }; KEPT];

/// Gives the runtime a buffer; none where there is no memory.
pub(super) unsafe extern "C" fn request(
    _device: c_int,
    buffer: *mut *mut ompt_buffer_t,
    bytes: *mut usize,
) {
    if buffer.is_null() || bytes.is_null() {
        return;
    }
    let given = take_free().unwrap_or_else(new_buffer);
    // SAFETY: both pointers are the runtime's for our answer.
    unsafe {
        *buffer = given;
        *bytes = if given.is_null() { 0 } else { BYTES };
    }
}

fn take_free() -> Option<*mut c_void> {
    let taken = FREE.iter().map(|slot| slot.swap(core::ptr::null_mut(), Ordering::Acquire));
    taken.into_iter().find(|buffer| !buffer.is_null())
}

/// Memory from the kernel; null: there is none.
fn new_buffer() -> *mut c_void {
    let (access, kind) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, wherever there is room.
    let mapped = unsafe { libc::mmap(core::ptr::null_mut(), BYTES, access, kind, -1, 0) };
    if mapped == libc::MAP_FAILED { core::ptr::null_mut() } else { mapped }
}

/// Keeps a buffer that is free, or gives it back to the kernel.
fn free(buffer: *mut c_void) {
    let null = core::ptr::null_mut();
    let put = |slot: &AtomicPtr<c_void>| {
        slot.compare_exchange(null, buffer, Ordering::Release, Ordering::Relaxed).is_ok()
    };
    if !FREE.iter().any(put) {
        // SAFETY: a mapping of `new_buffer`, of that size, which nobody uses any more.
        unsafe { libc::munmap(buffer, BYTES) };
    }
}

/// Takes records; the buffer is ours again if it is `owned`.
pub(super) unsafe extern "C" fn complete(
    number: c_int,
    buffer: *mut ompt_buffer_t,
    bytes: usize,
    begin: ompt_buffer_cursor_t,
    owned: c_int,
) {
    if buffer.is_null() {
        return;
    }
    let _ = caught(|| {
        if let Some(device) = device(number).filter(|_| bytes > 0) {
            take(device, buffer, bytes.min(BYTES), begin);
        }
    });
    if owned != 0 {
        free(buffer);
    }
}

/// Writes down what is in a buffer.
fn take(device: &Device, buffer: *mut ompt_buffer_t, bytes: usize, begin: ompt_buffer_cursor_t) {
    let mut batch = Batch::new(device);
    let mut now = begin;
    // No record takes less than a byte.
    for _ in 0..bytes {
        // SAFETY: the cursor is one that the runtime gave for this buffer.
        unsafe { batch.take(buffer, now) };
        let mut next = now;
        // SAFETY: as before; the next cursor has storage.
        let goes_on = unsafe {
            (device.functions.advance_buffer_cursor)(
                device.handle,
                buffer,
                bytes,
                now,
                &raw mut next,
            )
        };
        if goes_on == 0 || next == now {
            break;
        }
        now = next;
    }
    let count = batch.count();
    if !KEEPS.load(Ordering::Acquire) {
        LEFT_OUT.fetch_add(count, Ordering::Relaxed);
        batch.leave_out();
    }
    let mut words = batch.finish();
    clock::put(device, &mut words);
    put_device_records(&words, count);
}
