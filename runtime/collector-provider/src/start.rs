//! The tool's side: the functions by which a runtime finds this library, and the callbacks that it is asked for.

use crate::callbacks::{RELEASED, ROWS};
use crate::{held, tls};
use collector_sys::Event;
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::ptr;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32};
use ompt_sys::{
    ompt_data_t, ompt_function_lookup_t, ompt_interface_fn_t, ompt_start_tool_result_t,
    ompt_wait_id_t,
};

struct Shared(UnsafeCell<ompt_start_tool_result_t>);
// SAFETY: only the runtime touches it; it may write tool_data, which we do not use.
unsafe impl Sync for Shared {}

static RESULT: Shared = Shared(UnsafeCell::new(ompt_start_tool_result_t {
    initialize: Some(initialize),
    finalize: Some(finalize),
    tool_data: ompt_data_t { value: 0 },
}));

/// Entry point by which a runtime asks for a tool (OpenMP 5.2, 19.2.1). Intel's runtimes of 2018 and 2019 implement a
/// draft of the interface, and null is returned to them.
///
/// # Safety
/// Called by a runtime with its version as a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_start_tool(
    _omp_version: c_uint,
    version: *const c_char,
) -> *mut ompt_start_tool_result_t {
    watch_forks();
    if version.is_null() {
        return RESULT.0.get();
    }
    // SAFETY: not null, so the runtime's C string.
    let version = unsafe { CStr::from_ptr(version) }.to_bytes();
    let drafts: [&[u8]; 2] =
        [b"Intel(R) OMP version: 5.0.2018", b"Intel(R) OMP version: 5.0.20190"];
    match drafts.iter().any(|draft| version.starts_with(draft)) {
        true => ptr::null_mut(),
        false => RESULT.0.get(),
    }
}

/// Has [`in_child`] called in forked children, before any handler that a runtime registers later.
fn watch_forks() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if !WATCHED.swap(true, Relaxed) {
        // SAFETY: the handler is a function of this library, which is never unloaded.
        unsafe { pthread_atfork(None, None, Some(in_child)) };
    }
}

/// Handler in a forked child: its only thread is this one, which is outside every region, since its runtime is
/// initialised anew.
unsafe extern "C" fn in_child() {
    let thread = tls::thread();
    thread.leave_all();
    held::keep_only(thread.number());
}

/// ompt_set_sometimes (OpenMP 5.2, 19.4.2): from here on a runtime says that an event comes.
const SOMETIMES: u32 = 3;

/// Events that the runtime does not report, as a set of bits: bit `n` stands for the event with number `n`.
static MISSING: AtomicU32 = AtomicU32::new(0);

/// True unless the runtime refused a callback that the event needs; true before a runtime was asked.
pub(crate) fn can_report(event: Event) -> bool {
    MISSING.load(Relaxed) & (1 << event as u32) == 0
}

/// True if the runtime reports the release of a mutex.
static REPORTS_RELEASES: AtomicBool = AtomicBool::new(false);

/// True if the runtime reports the release of a mutex.
pub(crate) fn reports_releases() -> bool {
    REPORTS_RELEASES.load(Relaxed)
}

type GetState = unsafe extern "C" fn(*mut ompt_wait_id_t) -> c_int;
static GET_STATE: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C" fn initialize(
    lookup: ompt_function_lookup_t,
    _initial_device: c_int,
    _tool_data: *mut ompt_data_t,
) -> c_int {
    let find = |name: &CStr| {
        // SAFETY: the runtime's own look-up with a zero-terminated name.
        let found: ompt_interface_fn_t = unsafe { lookup?(name.as_ptr()) };
        found
    };
    let Some(set_callback) = find(c"ompt_set_callback") else { return 0 };
    // SAFETY: the type that the interface gives this entry point.
    let set_callback: unsafe extern "C" fn(c_uint, *const c_void) -> c_uint =
        unsafe { core::mem::transmute(set_callback) };
    let get_state = find(c"ompt_get_state").map_or(ptr::null_mut(), |found| found as *mut ());
    GET_STATE.store(get_state, Release);
    let mut missing = 0;
    for row in &ROWS {
        // LLVM's and Intel's runtimes crash at the end of critical sections, if a tool listens, once
        // the thread that brought them up has ended. The first thread does not.
        let is_dangerous = row.crashes_late && !is_initial_thread();
        // SAFETY: each row's function has the type that the interface gives its number.
        let reported =
            !is_dangerous && unsafe { set_callback(row.number, row.function.0) } >= SOMETIMES;
        if row.number == RELEASED {
            REPORTS_RELEASES.store(reported, Relaxed);
        }
        if !reported {
            row.events.iter().for_each(|event| missing |= 1 << *event as u32);
        }
    }
    MISSING.store(missing, Relaxed);
    1
}

unsafe extern "C" fn finalize(_tool_data: *mut ompt_data_t) {
    GET_STATE.store(ptr::null_mut(), Release);
}

/// True if the calling thread is the initial thread of the process.
pub(crate) fn is_initial_thread() -> bool {
    // SAFETY: functions of the C library without arguments that cannot fail.
    unsafe { gettid() == getpid() }
}

unsafe extern "C" {
    fn gettid() -> c_int;
    fn getpid() -> c_int;
    fn pthread_atfork(
        prepare: Option<unsafe extern "C" fn()>,
        parent: Option<unsafe extern "C" fn()>,
        child: Option<unsafe extern "C" fn()>,
    ) -> c_int;
}

/// ompt_state_work_serial, ompt_state_work_parallel, ompt_state_idle, ompt_state_overhead.
const WORK: [c_int; 2] = [0, 1];
const IDLE: c_int = 0x100;
const OVERHEAD: c_int = 0x101;

/// State of the calling thread as the runtime reports it (OpenMP 5.2, 19.6.1.6: async signal safe); `None` without a
/// runtime.
fn runtime_state() -> Option<c_int> {
    let function = GET_STATE.load(Acquire);
    if function.is_null() {
        return None;
    }
    let mut wait_id: ompt_wait_id_t = 0;
    // SAFETY: the only values ever stored are null and the runtime's entry point of that type.
    Some(unsafe {
        let function: GetState = core::mem::transmute::<*mut (), GetState>(function);
        function(&raw mut wait_id)
    })
}

/// True if the runtime reports that the calling thread runs the program's code.
pub(crate) fn runtime_works() -> bool {
    runtime_state().is_some_and(|state| WORK.contains(&state))
}

/// True if the runtime reports that the calling thread is idle.
pub(crate) fn runtime_is_idle() -> bool {
    runtime_state() == Some(IDLE)
}

/// True if the runtime reports overhead: the calling thread does the runtime's own work.
pub(crate) fn runtime_is_busy() -> bool {
    runtime_state() == Some(OVERHEAD)
}

/// True while the calling thread reports an event to the collector: runtimes change the state that they report before
/// or after the event.
pub(crate) fn is_delivering() -> bool {
    tls::thread().delivering.load(Relaxed) != 0
}
