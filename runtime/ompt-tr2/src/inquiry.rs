//! The runtime's functions, all found through its look-up (report, sections 5 and 7.2, appendix A.5).

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};
use ompttrace_recording::kinds::UNREPORTED;

/// Result of a look-up: a function of any type.
pub(crate) type Function = unsafe extern "C" fn();

/// Names of all functions that a tool can look up, except those for devices' records.
pub(crate) const NAMES: [&CStr; 12] = [
    c"ompt_set_callback",
    c"ompt_get_callback",
    c"ompt_enumerate_state",
    c"ompt_get_thread_id",
    c"ompt_get_state",
    c"ompt_get_parallel_id",
    c"ompt_get_parallel_team_size",
    c"ompt_get_task_info",
    c"ompt_get_task_frame",
    c"ompt_get_num_devices",
    c"ompt_get_device_info",
    c"ompt_get_target_device_id",
];

/// LLVM's runtime has this instead of ompt_get_task_info.
pub(crate) const TASK_ID: &CStr = c"ompt_get_task_id";

/// The state ompt_state_first, with which an enumeration begins.
const FIRST: c_int = 0x71;

/// The runtime's look-up function.
#[derive(Clone, Copy)]
pub(crate) struct Lookup(LookupFunction);

/// ompt_function_lookup_t.
type LookupFunction = unsafe extern "C" fn(*const c_char) -> Option<Function>;

impl Lookup {
    /// # Safety
    /// `address` is that of a function of the report's type ompt_function_lookup_t.
    pub(crate) unsafe fn new(address: usize) -> Lookup {
        let address: *const () = core::ptr::with_exposed_provenance(address);
        // SAFETY: by the caller's promise.
        Lookup(unsafe { core::mem::transmute::<*const (), LookupFunction>(address) })
    }

    /// The address of the function called `name`; null if there is none.
    pub(crate) fn address(self, name: &CStr) -> *mut () {
        // SAFETY: the runtime's own look-up with a zero-terminated name.
        let found = unsafe { (self.0)(name.as_ptr()) };
        found.map_or(core::ptr::null_mut(), |function| function as *mut ())
    }

    /// The function called `name`, as the type that the report gives it.
    ///
    /// # Safety
    /// `T` is the type of function that the report declares for `name`.
    pub(crate) unsafe fn find<T: Copy>(self, name: &CStr) -> Option<T> {
        const { assert!(size_of::<T>() == size_of::<*mut ()>()) };
        let address = self.address(name);
        // SAFETY: not null, and the type is right by the caller's promise.
        (!address.is_null()).then(|| unsafe { core::mem::transmute_copy::<*mut (), T>(&address) })
    }

    /// Path of the runtime's library.
    pub(crate) fn library(self) -> String {
        let inside = self.address(c"ompt_get_thread_id");
        let mut found = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: dladdr fills the structure or leaves the zeros; the name is a C string or null.
        unsafe {
            libc::dladdr(inside.cast::<c_void>(), found.as_mut_ptr());
            text(found.assume_init().dli_fname)
        }
    }

    /// All states, number and name (section 5.1). An enumeration that does not end is stopped after 1,000.
    pub(crate) fn states(self) -> Vec<(u64, String)> {
        type Next = unsafe extern "C" fn(c_int, *mut c_int, *mut *const c_char) -> c_int;
        let mut found = Vec::new();
        // SAFETY: the type is that of ompt_enumerate_state.
        let Some(next) = (unsafe { self.find::<Next>(c"ompt_enumerate_state") }) else {
            return found;
        };
        let (mut now, mut name) = (FIRST, core::ptr::null());
        // SAFETY: the arguments point to an int and a name; names are C strings or null.
        while found.len() < 1000 && unsafe { next(now, &raw mut now, &raw mut name) } != 0 {
            // SAFETY: where the answer is not 0 the name is a C string or null.
            found.push((now as u64, unsafe { text(name) }));
        }
        found
    }
}

static TEAM_SIZE: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
static TASK: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Maximum number of tasks around a thread's own; a runtime that reports more is not asked further.
const DEEPEST: c_int = 4096;

/// Remembers the functions that callbacks use.
pub(crate) fn keep(lookup: Lookup) {
    TEAM_SIZE.store(lookup.address(c"ompt_get_parallel_team_size"), Ordering::Release);
    TASK.store(lookup.address(TASK_ID), Ordering::Release);
}

/// Number of the outermost task of the calling thread, which on a root thread is its initial task; 0 if the runtime
/// does not report it, as on threads that it does not know. It is found by the function that LLVM's runtime has for
/// it.
pub(crate) fn outermost_task() -> u64 {
    let function = TASK.load(Ordering::Acquire);
    if function.is_null() {
        return 0;
    }
    // SAFETY: the only value but null is what the runtime gave for ompt_get_task_id.
    let ask: unsafe extern "C" fn(c_int) -> u64 = unsafe { core::mem::transmute(function) };
    // SAFETY: the function may be called anywhere (section 5.4), any depth is allowed.
    let tasks = (0..DEEPEST).map(|depth| unsafe { ask(depth) });
    tasks.take_while(|task| *task != 0).last().unwrap_or(0)
}

/// Size of the team in which the calling thread works; [`UNREPORTED`] if the runtime does not report it.
#[inline]
pub(crate) fn team_size() -> u64 {
    let function = TEAM_SIZE.load(Ordering::Acquire);
    if function.is_null() {
        return UNREPORTED;
    }
    // SAFETY: the only value but null is what the runtime gave for ompt_get_parallel_team_size.
    let ask: unsafe extern "C" fn(c_int) -> c_int = unsafe { core::mem::transmute(function) };
    // SAFETY: the function may be called anywhere (section 5.3), 0 is the innermost region.
    u64::try_from(unsafe { ask(0) }).unwrap_or(UNREPORTED)
}

/// A copy of a C string; empty for null.
///
/// # Safety
/// `string` is null or zero-terminated.
pub(crate) unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: by the caller's promise.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
