//! Tasks that the library implements (section 3.3, which does not define what is handed over: it is what ORT 2.5
//! does).

use super::of_library;
use crate::eelib;
use crate::entries::immediate;
use crate::entries::tasks::{BYTES, Memory, handed_over, header, run};
use crate::region::Outlined;
use crate::report::{kind, waiting};
use crate::start;
use core::ffi::{c_int, c_void};
use ompttrace_in_front::tasks::{FINAL, UNDEFERRED, UNTIED, created};

/// Arguments of ort_taskwait, which it hands on to the library: wait for the task's children, or at the region's end.
const CHILDREN: c_int = 0;
const REGION: c_int = 2;

unsafe extern "C-unwind" fn free_of_threads(memory: *mut c_void, _: Outlined) {
    // SAFETY: memory of that library's.
    unsafe { othr_taskenv_free::real(memory) };
}

unsafe extern "C-unwind" fn free_of_processes(memory: *mut c_void, _: Outlined) {
    // SAFETY: memory of that library's.
    unsafe { oprc_taskenv_free::real(memory) };
}

/// Functions that allocate and free the memory of tasks' data; `None` if the library lacks them, so that there is no
/// room for a header of ours.
fn memory() -> Option<Memory> {
    let (is_there, memory) = match eelib::makes_processes() {
        true => (
            oprc_taskenv_alloc::address(),
            Memory { take: oprc_taskenv_alloc::real, free: free_of_processes },
        ),
        false => (
            othr_taskenv_alloc::address(),
            Memory { take: othr_taskenv_alloc::real, free: free_of_threads },
        ),
    };
    (is_there != 0).then_some(memory)
}

of_library! {
    othr_taskenv_alloc, oprc_taskenv_alloc (bytes: c_int, function: Outlined) -> *mut c_void |_call, real| {
        let memory = real(bytes.saturating_add(BYTES as c_int), function);
        if memory.is_null() { memory } else { memory.byte_add(BYTES) }
    }
    othr_taskenv_free, oprc_taskenv_free (data: *mut c_void) |_call, real| {
        real(if data.is_null() { data } else { data.byte_sub(BYTES) })
    }
    othr_new_task, oprc_new_task (last: c_int, untied: c_int, function: Outlined, data: *mut c_void) |call, real| {
        let Some(memory) = memory() else { return real(last, untied, function, data) };
        let flag = |condition: c_int, bit| if condition != 0 { bit } else { 0 };
        let flags = kind::EXPLICIT | flag(last, FINAL) | flag(untied, UNTIED);
        let memory = header(function, data, &memory, created(&call, flags, false));
        let (function, data) = handed_over(memory, function, data);
        real(last, untied, function, data)
    }
    // Of a task that runs at once; the library's own call of it has been recorded as a new task.
    othr_new_task_exec, oprc_new_task_exec (flag: c_int, function: Outlined, data: *mut c_void) |call, real| {
        let is_ours = core::ptr::fn_addr_eq(function, run as Outlined);
        let Some(memory) = memory().filter(|_| !is_ours) else { return real(flag, function, data) };
        let id = created(&call, kind::EXPLICIT | UNDEFERRED, false);
        let memory = header(function, data, &memory, id);
        let (function, data) = handed_over(memory, function, data);
        real(flag, function, data)
    }
    othr_task_immediate_start, oprc_task_immediate_start (last: c_int) -> *mut c_void |call, real| {
        immediate::begins(&call, last);
        real(last)
    }
    othr_task_immediate_end, oprc_task_immediate_end (memory: *mut c_void) |call, real| {
        immediate::ends(&call);
        real(memory)
    }
    othr_taskwait, oprc_taskwait (how: c_int, info: *mut c_void, number: c_int) |call, real| {
        match how {
            CHILDREN => waiting(&call, kind::TASKWAIT, || real(how, info, number)),
            REGION if start::num_threads() > 1 => {
                waiting(&call, kind::BARRIER_PARALLEL, || real(how, info, number));
            }
            _ => real(how, info, number),
        }
    }
}
