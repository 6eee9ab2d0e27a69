//! The functions by which a runtime finds the tool: ompt_tool or a global ompt_initialize, then the shutdown event
//! (report, sections 3.1 and 7).

use crate::device;
use crate::dialect::{Entry, Start, detect, is_code};
use crate::inquiry::{self, Lookup, NAMES, TASK_ID, text};
use crate::register::register;
use crate::roots;
use core::ffi::{c_int, c_void};
use ompttrace_life::{Selection, is_ready, say};
use ompttrace_recorder::{Locked, caught};
use ompttrace_recording::facts::Runtime;

/// The interface's name in `recording.json`.
pub(crate) const INTERFACE: &str = "ompt-tr2";

/// Address of the look-up function of the runtime that is initialised and not shut down.
static STARTED: Locked<Option<usize>> = Locked::new(None);

/// Type of the function that `ompt_tool` returns, for either order of its arguments.
pub type Initialize = unsafe extern "C" fn(*const c_void, *const c_void, *const c_void) -> c_int;

/// Entry point by which a runtime that follows the report asks for a tool (section 7.1); with `None` the program runs
/// untraced.
#[unsafe(no_mangle)]
pub extern "C" fn ompt_tool() -> Option<Initialize> {
    caught(is_ready).unwrap_or(false).then_some(by_tool as Initialize)
}

/// Entry point of runtimes that find tools by this name only (appendix A.7); returns 1 if its events are wanted.
///
/// # Safety
/// Called by a runtime with version, number and look-up, or look-up, version and number; or with the
/// arguments of a later specification's initialize.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_initialize(
    first: *const c_void,
    second: *const c_void,
    third: *const c_void,
) -> c_int {
    caught(|| {
        let words = [first, second, third].map(<*const c_void>::expose_provenance);
        let Some(start) = detect(Entry::Global, words, is_code) else { return 0 };
        c_int::from(is_ready() && begin(start))
    })
    .unwrap_or(0)
}

unsafe extern "C" fn by_tool(
    first: *const c_void,
    second: *const c_void,
    third: *const c_void,
) -> c_int {
    caught(|| {
        let words = [first, second, third].map(<*const c_void>::expose_provenance);
        let Some(start) = detect(Entry::Tool, words, is_code) else {
            say(
                "a runtime starts its tool neither as the report on OMPT of 2014 has it nor as LLVM \
                 does; the program runs untraced",
            );
            return 0;
        };
        c_int::from(begin(start))
    })
    .unwrap_or(0)
}

/// True unless another runtime has started: numbers of two runtimes have different meanings, and no callback
/// identifies its runtime.
fn is_the_only_one(start: &Start) -> bool {
    STARTED.with(|started| *started.get_or_insert(start.lookup) == start.lookup).unwrap_or(false)
}

fn begin(start: Start) -> bool {
    let version: *const core::ffi::c_char = core::ptr::with_exposed_provenance(start.version);
    // SAFETY: the argument at the version's position: a C string.
    let version = unsafe { text(version) };
    // SAFETY: the argument at the look-up's position, and an address of code.
    let lookup = unsafe { Lookup::new(start.lookup) };
    if !is_the_only_one(&start) {
        say(&format!("'{version}' is a second runtime with OMPT of 2014; its work is not traced"));
        return false;
    }
    ompttrace_life::begin(|selection| describe(&start, version, lookup, selection)).is_some()
}

/// Registers every wanted event, and describes the runtime and its answers.
fn describe(start: &Start, version: String, lookup: Lookup, selection: &Selection) -> Runtime {
    inquiry::keep(lookup);
    if selection.stack_depth > 0 {
        ompttrace_stacks::set_depth(selection.stack_depth);
        ompttrace_stacks::set_runtime(start.lookup as u64);
    }
    let mut notes = notes(lookup);
    notes.extend(device::begin(lookup, start.dialect));
    let callbacks = register(lookup, start.dialect, selection);
    roots::expect(start.dialect, &callbacks);
    Runtime {
        interface: INTERFACE.to_owned(),
        dialect: start.dialect.name().to_owned(),
        version,
        omp_version: start.number,
        library: lookup.library(),
        callbacks,
        notes,
        states: lookup.states(),
        mutex_implementations: Vec::new(),
    }
}

/// Notes that a user should know of such a runtime.
fn notes(lookup: Lookup) -> Vec<String> {
    let mut notes = vec![
        "thread numbers in teams are not reported by this interface: they are assigned by order"
            .to_owned(),
        "iterations, hints of locks and locations of barriers are not reported by this interface"
            .to_owned(),
    ];
    let has_task_id = !lookup.address(TASK_ID).is_null();
    let missing = NAMES.into_iter().filter(|name| {
        let replaced = *name == c"ompt_get_task_info" && has_task_id;
        lookup.address(name).is_null() && !replaced
    });
    let missing: Vec<_> = missing.map(|name| name.to_string_lossy()).collect();
    if !missing.is_empty() {
        notes.push(format!("functions that this runtime does not have: {}", missing.join(", ")));
    }
    notes
}

/// Ends the recording of the runtime, which may start again.
pub(crate) fn shut_down() {
    let _ = caught(|| {
        device::end();
        if STARTED.with(Option::take).flatten().is_some() {
            ompttrace_life::finalized();
        }
    });
}
