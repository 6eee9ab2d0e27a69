//! How a runtime finds the tool: ompt_start_tool, initialize, finalize (OpenMP 5.2, 19.2).

use crate::inquiry::{Lookup, text};
use crate::register::{Family, Selection, register};
use crate::{ongoing, quirks};
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_uint};
use ompt_sys::{ompt_data_t, ompt_function_lookup_t, ompt_start_tool_result_t};
use ompttrace_recorder::{Locked, caught};
use ompttrace_recording::events::TaskSchedule;
use ompttrace_recording::facts::Runtime;

/// What a runtime says of itself when it asks for a tool.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    /// `_OPENMP` of the interface it follows.
    pub omp_version: u32,
    /// Its version text.
    pub version: String,
}

/// What the tool does at each step.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// A runtime asks for a tool; `Err` is the line that says why not.
    pub offered: fn(&Offer) -> Result<(), String>,
    /// The runtime initialises us: make ready to record; `None` when that cannot be.
    pub initialize: fn() -> Option<Selection>,
    /// All callbacks are registered.
    pub registered: fn(Runtime),
    /// The runtime will send nothing more.
    pub finalize: fn(),
    /// Where the reason for not tracing goes.
    pub say: fn(&str),
}

struct Started {
    hooks: Hooks,
    offer: Offer,
}

static STARTED: Locked<Option<Started>> = Locked::new(None);

struct Shared(UnsafeCell<ompt_start_tool_result_t>);
// SAFETY: only the runtime touches it; it may write tool_data, which we do not use.
unsafe impl Sync for Shared {}

static RESULT: Shared = Shared(UnsafeCell::new(ompt_start_tool_result_t {
    initialize: Some(initialize),
    finalize: Some(finalize),
    tool_data: ompt_data_t { value: 0 },
}));

/// Answers a runtime that asks for a tool; null: the program runs untraced.
///
/// # Safety
/// The arguments are those of `ompt_start_tool`.
pub unsafe fn start_tool(
    omp_version: c_uint,
    runtime_version: *const c_char,
    hooks: Hooks,
) -> *mut ompt_start_tool_result_t {
    // SAFETY: the runtime passes its version as a C string.
    let version = unsafe { text(runtime_version) };
    let answer = caught(|| {
        let offer = Offer { omp_version, version };
        if let Some(why) = quirks::refusal(&offer.version) {
            (hooks.say)(&why);
            return false;
        }
        if let Err(why) = (hooks.offered)(&offer) {
            (hooks.say)(&why);
            return false;
        }
        STARTED.with(|started| *started = Some(Started { hooks, offer })).is_some()
    });
    match answer {
        Some(true) => RESULT.0.get(),
        _ => core::ptr::null_mut(),
    }
}

unsafe extern "C" fn initialize(
    lookup: ompt_function_lookup_t,
    _initial_device: c_int,
    _tool_data: *mut ompt_data_t,
) -> c_int {
    caught(|| i32::from(begin(Lookup(lookup)))).unwrap_or(0)
}

fn begin(lookup: Lookup) -> bool {
    let started = STARTED.with(|started| started.as_ref().map(|s| (s.hooks, s.offer.clone())));
    let Some(Some((hooks, offer))) = started else { return false };
    let Some(selection) = (hooks.initialize)() else { return false };
    let left_out = quirks::left_out(&offer.version, on_main_thread());
    let left_out: Vec<_> =
        left_out.into_iter().filter(|(name, _)| !selection.insists_on(name)).collect();
    if selection.stack_depth > 0 {
        ompttrace_stacks::set_depth(selection.stack_depth);
        ompttrace_stacks::set_runtime(lookup.address());
    }
    // SAFETY: the type is that of ompt_set_callback; we are inside initialize.
    let callbacks = unsafe {
        let set_callback = lookup.find::<ompt_sys::ompt_set_callback_t>(c"ompt_set_callback");
        register(set_callback.flatten(), &selection, &left_out)
    };
    ongoing::remember(lookup, selection.keeps(TaskSchedule::NAME, Family::Task));
    (hooks.registered)(Runtime {
        interface: "ompt".to_owned(),
        dialect: String::new(),
        version: offer.version.clone(),
        omp_version: offer.omp_version,
        library: lookup.library(),
        callbacks,
        notes: left_out.iter().map(|(name, why)| format!("{name} left out: {why}")).collect(),
        states: lookup.states(),
        mutex_implementations: lookup.mutex_implementations(),
    });
    true
}

/// Whether the calling thread, which brings the runtime up, is the one that the process began with.
fn on_main_thread() -> bool {
    // SAFETY: system calls without arguments that cannot fail.
    unsafe { libc::gettid() == libc::getpid() }
}

unsafe extern "C" fn finalize(_tool_data: *mut ompt_data_t) {
    let _ = caught(|| {
        ongoing::forget();
        let hooks = STARTED.with(|started| Some(started.as_ref()?.hooks));
        if let Some(Some(hooks)) = hooks {
            (hooks.finalize)();
        }
    });
}
