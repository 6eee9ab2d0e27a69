//! Critical sections, and the one lock of all atomics.

use crate::entry::entries;
use crate::report::{acquire, acquired, kind, released};
use core::ffi::c_void;

/// Address of the variable that holds the lock of a critical section, one for each name.
type Name = *mut *mut c_void;

/// Variable whose address is the wait id of all atomics.
static ATOMICS: u8 = 0;

fn atomics() -> u64 {
    (&raw const ATOMICS).addr() as u64
}

entries! { settled;
    ort_critical_begin (name: Name) |call, real| {
        acquire(&call, kind::CRITICAL, name.addr() as u64);
        real(name);
        acquired(&call, kind::CRITICAL, name.addr() as u64);
    }
    ort_critical_end (name: Name) |call, real| {
        real(name);
        released(&call, kind::CRITICAL, name.addr() as u64);
    }
    ort_atomic_begin () |call, real| {
        acquire(&call, kind::ATOMIC, atomics());
        real();
        acquired(&call, kind::ATOMIC, atomics());
    }
    ort_atomic_end () |call, real| {
        real();
        released(&call, kind::ATOMIC, atomics());
    }
}
