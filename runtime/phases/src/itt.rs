//! ITT: the function that a program's part of it calls in the library of INTEL_LIBITTNOTIFY64, which puts functions of ours into the
//! pointers through which the program calls.
//!
//! Tasks are recorded, which nest on their threads. Frames belong to no thread, and overlapped tasks do not nest: neither is.

use crate::interned::Interned;
use crate::source::OF_ITT;
use crate::text::{Text, bytes};
use core::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};
use core::sync::atomic::AtomicI32;
use ompttrace_recorder::caught;
use ompttrace_recording::phases::kind::ITT_TASK;
use ompttrace_recording::phases::number;
use std::ffi::CString;

type Function = *const c_void;

/// The last version whose table has no functions for programs without a tool.
const WITHOUT_STUBS: c_ulong = 20_101_001;

/// `__itt_global`, as far as it is used. All versions since 3.0 begin so.
#[repr(C)]
pub struct Global {
    magic: [u8; 8],
    version: [c_ulong; 3],
    is_initialized: c_long,
    is_mutex_initialized: c_long,
    counter: c_long,
    mutex: libc::pthread_mutex_t,
    library: *mut c_void,
    error_handler: *mut c_void,
    path: *mut *const c_char,
    functions: *mut Entry,
}

/// `__itt_api_info`: a pointer through which the program calls; the last one has no name.
#[repr(C)]
pub struct Entry {
    name: *const c_char,
    pointer: *mut Function,
    initial: Function,
    /// The value of the pointer without a tool.
    without: Function,
    groups: c_int,
}

/// `__itt_domain`.
#[repr(C)]
struct Domain {
    flags: AtomicI32,
    name: *const c_char,
    wide_name: *const c_void,
    extra: c_int,
    more: *const c_void,
    next: *const Domain,
}

// SAFETY: it is not changed, but for its flags, which are atomic.
unsafe impl Sync for Domain {}

/// `__itt_string_handle`.
#[repr(C)]
struct StringHandle {
    text: *const c_char,
    wide_text: *const c_void,
    extra: c_int,
    more: *const c_void,
    next: *const StringHandle,
}

// SAFETY: it is not changed.
unsafe impl Sync for StringHandle {}

/// `__itt_id`.
#[repr(C)]
struct Id([u64; 3]);

static DOMAINS: Interned<Domain> = Interned::new();
static STRINGS: Interned<StringHandle> = Interned::new();

/// A function of ours, with its name in ITT.
type Named = (&'static CStr, fn() -> Function);

/// The functions of ours.
const OURS: [Named; 4] = [
    (c"__itt_domain_create", || domain_create as Function),
    (c"__itt_string_handle_create", || string_handle_create as Function),
    (c"__itt_task_begin", || task_begin as Function),
    (c"__itt_task_end", || task_end as Function),
];

/// Entry point in the library that INTEL_LIBITTNOTIFY64 names, which each library or program with ITT's static part calls once.
///
/// # Safety
///
/// `global` is what ITT passes, and no other thread changes it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __itt_api_init(global: *mut Global, _groups: c_int) {
    // SAFETY: as the caller says.
    let Some(global) = (unsafe { global.as_ref() }) else { return };
    let [.., build] = global.version;
    if build <= WITHOUT_STUBS {
        return;
    }
    let mut at = global.functions;
    // SAFETY: the list ends with an entry without a name.
    while let Some(entry) = unsafe { at.as_ref() }.filter(|entry| !entry.name.is_null()) {
        // SAFETY: ITT's own C string.
        let name = unsafe { CStr::from_ptr(entry.name) };
        let ours = OURS.iter().find(|(known, _)| *known == name);
        let function = ours.map_or(entry.without, |(_, function)| function());
        if !entry.pointer.is_null() {
            // SAFETY: the program's pointer to a function of the type that the name stands for.
            unsafe { *entry.pointer = function };
        }
        at = at.wrapping_add(1);
    }
}

/// The domain of a name; null, for which a program records nothing, if it cannot be registered.
unsafe extern "C" fn domain_create(name: *const c_char) -> *const Domain {
    let make = |text: CString| Domain {
        flags: AtomicI32::new(1),
        name: text.into_raw(),
        wide_name: core::ptr::null(),
        extra: 0,
        more: core::ptr::null(),
        next: core::ptr::null(),
    };
    // SAFETY: the program's C string.
    let name = unsafe { bytes(name) };
    caught(|| DOMAINS.of(name, make)).flatten().map_or(core::ptr::null(), core::ptr::from_ref)
}

/// The handle of a text, or null.
unsafe extern "C" fn string_handle_create(text: *const c_char) -> *const StringHandle {
    let make = |text: CString| StringHandle {
        text: text.into_raw(),
        wide_text: core::ptr::null(),
        extra: 0,
        more: core::ptr::null(),
        next: core::ptr::null(),
    };
    // SAFETY: the program's C string.
    let text = unsafe { bytes(text) };
    caught(|| STRINGS.of(text, make)).flatten().map_or(core::ptr::null(), core::ptr::from_ref)
}

/// The name of a domain, which also says which domain it is: one may be there before the tool is, and again afterwards.
unsafe fn of_domain<'a>(domain: *const Domain) -> &'a [u8] {
    // SAFETY: null, or a domain of the program.
    unsafe { domain.as_ref().map_or(&[], |domain| bytes(domain.name)) }
}

unsafe extern "C" fn task_begin(
    domain: *const Domain,
    _task: Id,
    _parent: Id,
    name: *const StringHandle,
) {
    // SAFETY: the program's domain, and its handle or null; both have C strings.
    let (domain, name) =
        unsafe { (of_domain(domain), name.as_ref().map_or(&[][..], |name| bytes(name.text))) };
    let text = Text::new().and(domain).and(b": ").and(name);
    OF_ITT.begin(ITT_TASK, number(domain), text.bytes());
}

unsafe extern "C" fn task_end(domain: *const Domain) {
    // SAFETY: the program's domain.
    OF_ITT.end(ITT_TASK, number(unsafe { of_domain(domain) }));
}
