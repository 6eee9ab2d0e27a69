//! Critical sections, and the one lock that stands for atomics too large for the machine.

use crate::entry::entries;
use crate::report::{acquire, acquired, kind, released};
use core::ffi::c_void;

/// Address of the variable that libgomp associates with the name of a critical section.
type Name = *mut *mut c_void;

/// Variables whose addresses are the wait ids of unnamed critical sections and of atomics.
static UNNAMED: u8 = 0;
static ATOMICS: u8 = 1;

fn unnamed() -> u64 {
    (&raw const UNNAMED).addr() as u64
}

fn atomics() -> u64 {
    (&raw const ATOMICS).addr() as u64
}

entries! { TABLE;
    [GOMP_critical_start] () |call, real| {
        acquire(&call, kind::CRITICAL, unnamed());
        real();
        acquired(&call, kind::CRITICAL, unnamed());
    }
    [GOMP_critical_end] () |call, real| {
        real();
        released(&call, kind::CRITICAL, unnamed());
    }
    [GOMP_critical_name_start] (name: Name) |call, real| {
        acquire(&call, kind::CRITICAL, name.addr() as u64);
        real(name);
        acquired(&call, kind::CRITICAL, name.addr() as u64);
    }
    [GOMP_critical_name_end] (name: Name) |call, real| {
        real(name);
        released(&call, kind::CRITICAL, name.addr() as u64);
    }
    [GOMP_atomic_start] () |call, real| {
        acquire(&call, kind::ATOMIC, atomics());
        real();
        acquired(&call, kind::ATOMIC, atomics());
    }
    [GOMP_atomic_end] () |call, real| {
        real();
        released(&call, kind::ATOMIC, atomics());
    }
}
