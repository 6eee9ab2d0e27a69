//! The functions by which a runtime finds the tool: ompt_start_tool, initialize, finalize (OpenMP 5.2, 19.2).

use crate::inquiry::{Lookup, text};
use crate::register::register;
use crate::{displaced, ongoing, quirks, taskloops, thread_state, tracing};
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_uint};
use ompt_sys::{ompt_data_t, ompt_function_lookup_t, ompt_start_tool_result_t};
use ompttrace_life::{Selection, finalized, is_ready, say};
use ompttrace_recorder::{Locked, caught};
use ompttrace_recording::events::{TaskSchedule, Work, name};
use ompttrace_recording::facts::Runtime;

/// Description of a runtime that asks for a tool.
#[derive(Clone)]
struct Offer {
    /// Value of `_OPENMP` of the version that the runtime implements.
    omp_version: u32,
    /// The runtime's version text.
    version: String,
}

static OFFER: Locked<Option<Offer>> = Locked::new(None);

struct Shared(UnsafeCell<ompt_start_tool_result_t>);
// SAFETY: only the runtime touches it; it may write tool_data, which we do not use.
unsafe impl Sync for Shared {}

static RESULT: Shared = Shared(UnsafeCell::new(ompt_start_tool_result_t {
    initialize: Some(initialize),
    finalize: Some(finalize),
    tool_data: ompt_data_t { value: 0 },
}));

/// Entry point by which a runtime asks for a tool (OpenMP 5.2, 19.2.1); if it returns null the program runs untraced.
///
/// # Safety
/// Called by a runtime with its version as a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_start_tool(
    omp_version: c_uint,
    runtime_version: *const c_char,
) -> *mut ompt_start_tool_result_t {
    // SAFETY: the runtime passes its version as a C string.
    let version = unsafe { text(runtime_version) };
    let answer = caught(|| {
        if let Some(why) = quirks::refusal(&version) {
            say(&why);
            return false;
        }
        let offer = Offer { omp_version, version };
        is_ready() && OFFER.with(|slot| *slot = Some(offer)).is_some()
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
    let Some(offer) = OFFER.with(|offer| offer.clone()).flatten() else { return false };
    ompttrace_life::begin(|selection| describe(lookup, offer, selection)).is_some()
}

/// Registers every wanted callback, and describes the runtime and its answers.
fn describe(lookup: Lookup, offer: Offer, selection: &Selection) -> Runtime {
    let left_out = quirks::left_out(&offer.version, on_main_thread());
    let left_out: Vec<_> =
        left_out.into_iter().filter(|(event, _)| !selection.insists_on(*event)).collect();
    if selection.stack_depth > 0 {
        ompttrace_stacks::set_depth(selection.stack_depth);
        ompttrace_stacks::set_runtime(lookup.address());
    }
    taskloops::prepare(lookup.address(), selection.keeps(Work::NUMBER));
    // SAFETY: the type is that of ompt_set_callback; we are inside initialize.
    let callbacks = unsafe {
        let set_callback = lookup.find::<ompt_sys::ompt_set_callback_t>(c"ompt_set_callback");
        register(set_callback.flatten(), selection, &left_out)
    };
    thread_state::remember(lookup);
    ongoing::remember(lookup, selection.keeps(TaskSchedule::NUMBER));
    let displaced = displaced::line(lookup, &offer.version);
    displaced.iter().for_each(|line| say(line));
    let left_out = left_out.iter().map(|(event, why)| format!("{} left out: {why}", name(*event)));
    Runtime {
        interface: "ompt".to_owned(),
        dialect: String::new(),
        version: offer.version,
        omp_version: offer.omp_version,
        library: lookup.library(),
        callbacks,
        notes: left_out.chain(displaced).collect(),
        states: lookup.states(),
        mutex_implementations: lookup.mutex_implementations(),
    }
}

/// True if the calling thread, which initialises the runtime, is the initial thread of the process.
fn on_main_thread() -> bool {
    // SAFETY: system calls without arguments that cannot fail.
    unsafe { libc::gettid() == libc::getpid() }
}

unsafe extern "C" fn finalize(_tool_data: *mut ompt_data_t) {
    let _ = caught(|| {
        tracing::end();
        ongoing::forget();
        thread_state::forget();
        finalized();
    });
}
