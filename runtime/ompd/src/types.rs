//! C types of OMPD 5.x (OpenMP 5.2, chapter 20): as many as are used, laid out as the specification has them.

use std::ffi::{c_char, c_int, c_void};
use std::fmt;

/// ompd_rc_t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Code(pub c_int);

impl Code {
    pub(crate) const OK: Code = Code(0);
    pub(crate) const BAD_INPUT: Code = Code(3);
    pub(crate) const ERROR: Code = Code(4);
    pub(crate) const UNSUPPORTED: Code = Code(5);
    pub(crate) const INCOMPATIBLE: Code = Code(7);
    pub(crate) const NO_MEMORY: Code = Code(10);
    pub(crate) const INCOMPLETE: Code = Code(11);

    const NAMES: [&str; 13] = [
        "ok",
        "unavailable",
        "stale handle",
        "bad input",
        "error",
        "unsupported",
        "needs OMP_DEBUG=enabled",
        "incompatible",
        "device read error",
        "device write error",
        "no memory",
        "incomplete",
        "callback error",
    ];
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = usize::try_from(self.0).ok().and_then(|at| Code::NAMES.get(at));
        f.write_str(name.copied().unwrap_or("an unknown code"))
    }
}

/// ompd_address_t.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Address {
    pub segment: u64,
    pub address: u64,
}

/// ompd_frame_info_t.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct FrameInfo {
    pub address: Address,
    pub flag: i64,
}

/// ompd_device_type_sizes_t.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Sizes {
    pub sizes: [u8; 6],
}

/// Sizes in bytes on a 64-bit Linux: char, short, int, long, long long, pointer.
pub(crate) const SIZES: Sizes = Sizes { sizes: [1, 2, 4, 8, 8, 8] };

/// ompd_scope_t.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    AddressSpace = 2,
    Thread = 3,
    Parallel = 4,
    ImplicitTask = 5,
    Task = 6,
}

/// OMPD_THREAD_ID_PTHREAD.
pub(crate) const PTHREAD: u64 = 0;
/// Version of the interface of OpenMP 5.0, which all libraries support.
pub(crate) const API_VERSION: i64 = 201_811;

/// Handles, all opaque.
pub(crate) type Handle = *mut c_void;

/// ompd_callbacks_t.
#[repr(C)]
pub(crate) struct Callbacks {
    pub alloc: extern "C" fn(u64, *mut *mut c_void) -> Code,
    pub free: extern "C" fn(*mut c_void) -> Code,
    pub print: extern "C" fn(*const c_char, c_int) -> Code,
    pub sizes: extern "C" fn(*mut c_void, *mut Sizes) -> Code,
    pub symbol:
        extern "C" fn(*mut c_void, *mut c_void, *const c_char, *mut Address, *const c_char) -> Code,
    pub read: extern "C" fn(*mut c_void, *mut c_void, *const Address, u64, *mut c_void) -> Code,
    pub write: extern "C" fn(*mut c_void, *mut c_void, *const Address, u64, *const c_void) -> Code,
    pub read_string:
        extern "C" fn(*mut c_void, *mut c_void, *const Address, u64, *mut c_void) -> Code,
    pub to_host: extern "C" fn(*mut c_void, *const c_void, u64, u64, *mut c_void) -> Code,
    pub to_device: extern "C" fn(*mut c_void, *const c_void, u64, u64, *mut c_void) -> Code,
    pub thread: extern "C" fn(*mut c_void, u64, u64, *const c_void, *mut *mut c_void) -> Code,
}
