//! NVTX: the function that its header calls in the library of NVTX_INJECTION64_PATH, which puts functions of ours into the slots of
//! the program's part of NVTX.
//!
//! Ranges that are pushed and popped are recorded, which nest on their threads. Ranges that are started and ended need not end on
//! the thread that started them, and are not.

use crate::interned::Interned;
use crate::source::OF_NVTX;
use crate::text::{Text, Wide, bytes};
use core::ffi::{c_char, c_int, c_uint, c_void};
use ompttrace_recorder::caught;
use ompttrace_recording::phases::kind::NVTX_RANGE;
use std::ffi::CString;

/// The table of the program's part of NVTX that has its slots.
const CALLBACKS: u32 = 1;
/// Modules of slots: the functions of NVTX 1, and those of domains.
const CORE: c_uint = 1;
const CORE2: c_uint = 5;

/// Answer of a push and a pop: the tool does not count the depth of ranges.
const NO_DEPTH: c_int = -2;

/// Kinds of a message.
const ASCII: i32 = 1;
const UNICODE: i32 = 2;
const REGISTERED: i32 = 3;

type Function = *const c_void;
/// A place for a pointer to a function.
type Slot = *mut Function;
type ExportTable = unsafe extern "C" fn(u32) -> *const Callbacks;

/// `NvtxExportTableCallbacks`.
#[repr(C)]
pub struct Callbacks {
    bytes: usize,
    slots: Option<unsafe extern "C" fn(c_uint, *mut *const Slot, *mut c_uint) -> c_int>,
}

/// `nvtxEventAttributes_v2`.
#[repr(C)]
struct Attributes {
    version: u16,
    bytes: u16,
    category: u32,
    color_type: i32,
    color: u32,
    payload_type: i32,
    reserved: i32,
    payload: u64,
    message_type: i32,
    message: *const c_void,
}

/// A handle of a domain or of a registered text: its C string.
type Handle = *const c_char;

/// Names of domains, and registered texts.
static NAMES: Interned<CString> = Interned::new();

/// Entry point in the library that NVTX_INJECTION64_PATH names, which the program's part of NVTX calls once. Returns 1 for success.
///
/// # Safety
///
/// `table` is the function that NVTX passes.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name is NVTX's")]
pub unsafe extern "C" fn InitializeInjectionNvtx2(table: Option<ExportTable>) -> c_int {
    let Some(table) = table else { return 0 };
    // SAFETY: NVTX's function.
    let callbacks = unsafe { table(CALLBACKS).as_ref() };
    let known = callbacks.filter(|callbacks| callbacks.bytes >= size_of::<Callbacks>());
    let Some(slots) = known.and_then(|callbacks| callbacks.slots) else { return 0 };
    let core: [(usize, Function); 4] = [
        (8, push_ex as *const c_void),
        (9, push as *const c_void),
        (10, push_wide as *const c_void),
        (11, pop as *const c_void),
    ];
    let domains: [(usize, Function); 6] = [
        (4, domain_push as *const c_void),
        (5, domain_pop as *const c_void),
        (10, register as *const c_void),
        (11, register_wide as *const c_void),
        (12, create_domain as *const c_void),
        (13, create_domain_wide as *const c_void),
    ];
    for (module, functions) in [(CORE, &core[..]), (CORE2, &domains[..])] {
        let (mut first, mut count) = (core::ptr::null(), 0);
        // SAFETY: NVTX's function, and storage for its answers.
        if unsafe { slots(module, &raw mut first, &raw mut count) } != 1 || first.is_null() {
            return 0;
        }
        for (number, function) in functions.iter().filter(|(number, _)| *number < count as usize) {
            // SAFETY: NVTX says that there are so many slots, each null or a place for a function of the type that its number stands for.
            unsafe {
                let slot = *first.add(*number);
                if !slot.is_null() {
                    *slot = *function;
                }
            }
        }
    }
    1
}

/// A number for a domain: 0 without one.
#[inline]
fn number(domain: Handle) -> u64 {
    domain.addr() as u64
}

fn begin(domain: Handle, name: &[u8]) -> c_int {
    // SAFETY: null, or a handle of ours, which is a C string.
    let of_domain = unsafe { bytes(domain) };
    if of_domain.is_empty() {
        OF_NVTX.begin(NVTX_RANGE, number(domain), name);
    } else {
        let name = Text::new().and(of_domain).and(b": ").and(name);
        OF_NVTX.begin(NVTX_RANGE, number(domain), name.bytes());
    }
    NO_DEPTH
}

unsafe extern "C" fn push(name: *const c_char) -> c_int {
    // SAFETY: the program's C string.
    begin(core::ptr::null(), unsafe { bytes(name) })
}

unsafe extern "C" fn push_wide(name: *const Wide) -> c_int {
    // SAFETY: the program's wide string.
    begin(core::ptr::null(), unsafe { Text::new().and_wide(name) }.bytes())
}

unsafe extern "C" fn push_ex(attributes: *const Attributes) -> c_int {
    // SAFETY: the program's attributes; no domain.
    unsafe { domain_push(core::ptr::null(), attributes) }
}

extern "C" fn pop() -> c_int {
    domain_pop(core::ptr::null())
}

unsafe extern "C" fn domain_push(domain: Handle, attributes: *const Attributes) -> c_int {
    // SAFETY: null, or the program's attributes.
    let known = unsafe { attributes.as_ref() };
    let known = known.filter(|known| usize::from(known.bytes) >= size_of::<Attributes>());
    let Some(Attributes { message_type, message, .. }) = known else { return begin(domain, b"") };
    match *message_type {
        // SAFETY: a C string: the program's, or a handle of ours.
        ASCII | REGISTERED => begin(domain, unsafe { bytes(message.cast()) }),
        // SAFETY: the program's wide string.
        UNICODE => begin(domain, unsafe { Text::new().and_wide(message.cast()) }.bytes()),
        _ => begin(domain, b""),
    }
}

extern "C" fn domain_pop(domain: Handle) -> c_int {
    OF_NVTX.end(NVTX_RANGE, number(domain));
    NO_DEPTH
}

/// The handle of a name; null, which is no domain and no text, if it cannot be registered.
fn handle(name: &[u8]) -> Handle {
    let known = caught(|| NAMES.of(name, |text| text)).flatten();
    known.map_or(core::ptr::null(), |text| text.as_ptr())
}

unsafe extern "C" fn create_domain(name: *const c_char) -> Handle {
    // SAFETY: the program's C string.
    handle(unsafe { bytes(name) })
}

unsafe extern "C" fn create_domain_wide(name: *const Wide) -> Handle {
    // SAFETY: the program's wide string.
    handle(unsafe { Text::new().and_wide(name) }.bytes())
}

unsafe extern "C" fn register(_domain: Handle, text: *const c_char) -> Handle {
    // SAFETY: the program's C string.
    handle(unsafe { bytes(text) })
}

unsafe extern "C" fn register_wide(_domain: Handle, text: *const Wide) -> Handle {
    // SAFETY: the program's wide string.
    handle(unsafe { Text::new().and_wide(text) }.bytes())
}
