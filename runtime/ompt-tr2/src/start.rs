//! How a runtime finds the tool: ompt_tool or a global ompt_initialize, then the shutdown event (report,
//! sections 3.1 and 7).

use crate::device;
use crate::dialect::{Entry, Start, is_code, tell};
use crate::inquiry::{self, Lookup, NAMES, TASK_ID, text};
use crate::register::register;
use crate::roots;
use core::ffi::{c_int, c_void};
use ompttrace_ompt::{Hooks as Life, Offer};
use ompttrace_recorder::{Locked, caught};
use ompttrace_recording::facts::Runtime;

/// What the tool does at each step.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// The steps that all runtimes have.
    pub life: Life,
    /// Carries out a command of the program; the answer is omp_control_tool's.
    pub control: fn(u64, u64) -> i32,
    /// Keeps lines about devices, in which there are so many records.
    pub device_log: fn(&str, u64),
    /// Counts records of devices that came while nothing was recorded.
    pub device_left_out: fn(u64),
}

struct Started {
    hooks: Hooks,
    /// The look-up of the runtime that is initialised and not shut down.
    lookup: Option<usize>,
}

static STARTED: Locked<Option<Started>> = Locked::new(None);

/// The type of what `ompt_tool` returns, for either order of its arguments.
pub type Initialize = unsafe extern "C" fn(*const c_void, *const c_void, *const c_void) -> c_int;

/// Answers a runtime that calls `ompt_tool`; `None`: the program runs untraced.
pub fn tool(hooks: Hooks) -> Option<Initialize> {
    offered(hooks).then_some(by_tool as Initialize)
}

/// Answers a runtime that calls a global `ompt_initialize`: 1 when it is to tell its events.
///
/// # Safety
/// The arguments are those of one of the report's forms, or of a later specification's initialize.
pub unsafe fn initialize(
    hooks: Hooks,
    first: *const c_void,
    second: *const c_void,
    third: *const c_void,
) -> c_int {
    caught(|| {
        let words = [first, second, third].map(<*const c_void>::expose_provenance);
        let Some(start) = tell(Entry::Global, words, is_code) else { return 0 };
        if !offered(hooks) {
            return 0;
        }
        c_int::from(begin(start))
    })
    .unwrap_or(0)
}

/// Whether the tool is ready for a runtime.
fn offered(hooks: Hooks) -> bool {
    caught(|| {
        if let Err(why) = (hooks.life.offered)(&Offer::default()) {
            (hooks.life.say)(&why);
            return false;
        }
        let keep = |started: &mut Option<Started>| {
            started.get_or_insert(Started { hooks, lookup: None });
        };
        STARTED.with(keep).is_some()
    })
    .unwrap_or(false)
}

unsafe extern "C" fn by_tool(
    first: *const c_void,
    second: *const c_void,
    third: *const c_void,
) -> c_int {
    caught(|| {
        let words = [first, second, third].map(<*const c_void>::expose_provenance);
        let Some(start) = tell(Entry::Tool, words, is_code) else {
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

fn say(line: &str) {
    if let Some(hooks) = hooks() {
        (hooks.life.say)(line);
    }
}

fn hooks() -> Option<Hooks> {
    STARTED.with(|started| started.as_ref().map(|started| started.hooks)).flatten()
}

/// Numbers of two runtimes would mean different things, and no callback says whose they are.
fn is_the_only_one(start: &Start) -> bool {
    let claim = |started: &mut Option<Started>| {
        let Some(started) = started else { return false };
        *started.lookup.get_or_insert(start.lookup) == start.lookup
    };
    STARTED.with(claim).unwrap_or(false)
}

fn begin(start: Start) -> bool {
    let Some(hooks) = hooks() else { return false };
    let version: *const core::ffi::c_char = core::ptr::with_exposed_provenance(start.version);
    // SAFETY: the argument that is the version by its place: a C string.
    let version = unsafe { text(version) };
    // SAFETY: the argument that is the look-up by its place, and an address of code.
    let lookup = unsafe { Lookup::new(start.lookup) };
    if !is_the_only_one(&start) {
        say(&format!("'{version}' is a second runtime with OMPT of 2014; its work is not traced"));
        return false;
    }
    let Some(selection) = (hooks.life.initialize)() else { return false };
    inquiry::keep(lookup);
    if selection.stack_depth > 0 {
        ompttrace_stacks::set_depth(selection.stack_depth);
        ompttrace_stacks::set_runtime(start.lookup as u64);
    }
    let mut notes = notes(lookup);
    let device_hooks = (hooks.device_log, hooks.device_left_out);
    notes.extend(device::begin(lookup, start.dialect, device_hooks));
    let callbacks = register(lookup, start.dialect, &selection);
    roots::expect(start.dialect, &callbacks);
    (hooks.life.registered)(Runtime {
        interface: "ompt-tr2".to_owned(),
        dialect: start.dialect.name().to_owned(),
        version,
        omp_version: start.number,
        library: lookup.library(),
        callbacks,
        notes,
        states: lookup.states(),
        mutex_implementations: Vec::new(),
    });
    true
}

/// What a user should know of such a runtime.
fn notes(lookup: Lookup) -> Vec<String> {
    let mut notes = vec![
        "thread numbers in teams are not told by this interface: they are put by order".to_owned(),
        "iterations, hints of locks and places of barriers are not told by this interface"
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

/// The runtime is done; it may start again.
pub(crate) fn shut_down() {
    let _ = caught(|| {
        device::end();
        let over = |started: &mut Option<Started>| {
            let started = started.as_mut()?;
            started.lookup.take().map(|_| started.hooks)
        };
        if let Some(hooks) = STARTED.with(over).flatten() {
            (hooks.life.finalize)();
        }
    });
}

/// Carries out a command that the runtime delivers.
pub(crate) fn carry_out(command: u64, modifier: u64) -> i32 {
    hooks().map_or(ompttrace_ompt::CONTROL_IGNORED, |hooks| (hooks.control)(command, modifier))
}
