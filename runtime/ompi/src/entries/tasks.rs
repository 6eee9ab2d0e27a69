//! Tasks that are queued. ORT allocates a task's data before the task is made, and frees them after its function has
//! returned; a header of ours goes in front of them, so that nothing else is allocated.
//!
//! ORT sees the address of the header, the program that of its data. A task that has none gets data of ours.

use crate::eelib;
use crate::entry::entries;
use crate::region::{Outlined, called, code_in, team_thread};
use crate::report::kind;
use crate::thread::{self, Task};
use core::ffi::{c_int, c_void};
use ompttrace_in_front::dependences;
use ompttrace_in_front::dependences::kind::{IN, INOUT, OUT};
use ompttrace_in_front::tasks::{COMPLETE, FINAL, SWITCH, UNDEFERRED, UNTIED, created, schedule};
use ompttrace_recording::Id;

/// Header in front of a task's data.
struct Header {
    id: Id,
    function: Outlined,
    /// Function that frees the data if they are ours, which nothing else frees.
    free: Option<Free>,
}

/// Type of a function that frees a task's data.
pub(crate) type Free = unsafe extern "C-unwind" fn(*mut c_void, Outlined);

/// Functions that allocate and free the memory of tasks' data.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) take: unsafe extern "C-unwind" fn(c_int, Outlined) -> *mut c_void,
    pub(crate) free: Free,
}

/// ORT's functions for the memory of tasks' data.
const OF_ORT: Memory = Memory { take: ort_taskenv_alloc::real, free: ort_taskenv_free::real };

/// Size of a header in bytes, rounded up so that the data keep their alignment.
pub(crate) const BYTES: usize = size_of::<Header>().next_multiple_of(16);

/// Function that ORT calls for a task instead of the task's own.
pub(crate) unsafe extern "C-unwind" fn run(memory: *mut c_void) -> *mut c_void {
    // SAFETY: ORT passes what it was given: the address of a header.
    let Header { id, function, free } = unsafe { memory.cast::<Header>().read_unaligned() };
    // SAFETY: the data lie behind the header.
    let data = unsafe { memory.byte_add(BYTES) };
    if !eelib::brings_tasks() {
        // SAFETY: an address that ORT allocated.
        unsafe { show_function(memory, function) };
    }
    let result = if id.is_none() {
        // SAFETY: the program's own function with the program's own data.
        unsafe { function(data) }
    } else {
        run_as(id, function, data)
    };
    if let Some(free) = free {
        // SAFETY: it was allocated for this task alone, which is over.
        unsafe { free(memory, function) };
    }
    result
}

/// Runs the function as task `id`, and records the begin and the end of that.
fn run_as(id: Id, function: Outlined, data: *mut c_void) -> *mut c_void {
    let thread = thread::current();
    let (outer, started) = (thread.task(), id.started().0);
    let task = Task::explicit(started, outer, 0, code_in(function));
    task.data.set(outer.data.get());
    schedule(outer.id.get(), SWITCH, id.0);
    thread.task.set(&raw const task);
    // SAFETY: the program's own function with the program's own data.
    let result = unsafe { called(&task, function, data) };
    thread.task.set(outer);
    schedule(started, COMPLETE, outer.id.get());
    result
}

/// Writes the function into the task's node: ORT reuses memory of finished tasks by the function in the node's first
/// word, which is our wrapper's while the task waits. Without this the memory would not be reused.
///
/// # Safety
/// `memory` came from ORT's own ort_taskenv_alloc, which keeps the node's address in the word before.
unsafe fn show_function(memory: *mut c_void, function: Outlined) {
    // SAFETY: the caller's promise; the node has a word at least.
    unsafe {
        let node: *mut usize = memory.cast::<*mut usize>().sub(1).read();
        if *node == run as *const () as usize {
            *node = function as usize;
        }
    }
}

/// Number of dependences of one kind; 0 if ORT has a negative one.
fn count(number: c_int) -> usize {
    number.max(0) as usize
}

/// Writes the header of a new task in front of its data; returns its address, or null if there is no memory.
///
/// # Safety
/// `data` is null, or comes after a header's bytes of that memory.
pub(crate) unsafe fn header(
    function: Outlined,
    data: *mut c_void,
    memory: &Memory,
    id: Id,
) -> *mut c_void {
    let free = data.is_null().then_some(memory.free);
    // SAFETY: the caller's promise; there is as much as is asked for.
    unsafe {
        let memory = match free {
            Some(_) => (memory.take)(BYTES as c_int, function),
            None => data.byte_sub(BYTES),
        };
        if !memory.is_null() {
            memory.cast::<Header>().write_unaligned(Header { id, function, free });
        }
        memory
    }
}

/// Function and data that are handed over to ORT instead of the task's own.
pub(crate) fn handed_over(
    memory: *mut c_void,
    function: Outlined,
    data: *mut c_void,
) -> (Outlined, *mut c_void) {
    if memory.is_null() { (function, data) } else { (run, memory) }
}

entries! { settled;
    // ORT itself allocates for the team threads of a region that it runs as tasks.
    ort_taskenv_alloc (bytes: c_int, function: Outlined) -> *mut c_void |_call, real| {
        if core::ptr::fn_addr_eq(function, team_thread as Outlined) {
            return real(bytes, function);
        }
        let memory = real(bytes.saturating_add(BYTES as c_int), function);
        if memory.is_null() { memory } else { memory.byte_add(BYTES) }
    }
    ort_taskenv_free (data: *mut c_void, function: Outlined) |_call, real| {
        if data.is_null() {
            return real(data, function);
        }
        real(data.byte_sub(BYTES), function)
    }
    // So many of the dependences are outputs, then inputs, then both.
    ort_new_task (function: Outlined, data: *mut c_void, now: c_int, last: c_int, untied: c_int, priority: c_int,
        list: *mut *mut c_void, outputs: c_int, inputs: c_int, both: c_int) |call, real| {
        let flag = |condition: c_int, bit| if condition != 0 { bit } else { 0 };
        let flags = kind::EXPLICIT | flag(now, UNDEFERRED) | flag(last, FINAL) | flag(untied, UNTIED);
        let id = created(&call, flags, !list.is_null());
        if !list.is_null() {
            let (outputs, inputs, both) = (count(outputs), count(inputs), count(both));
            let all = outputs + inputs + both;
            let item = |at: usize| {
                let kind = match at {
                    _ if at < outputs => OUT,
                    _ if at < outputs + inputs => IN,
                    _ => INOUT,
                };
                ((*list.add(at)).addr() as u64, kind)
            };
            dependences::put(id.0, all as u64, (0..all).map(item));
        }
        let (function, data) = handed_over(header(function, data, &OF_ORT, id), function, data);
        real(function, data, now, last, untied, priority, list, outputs, inputs, both)
    }
}
