//! The kind of execution entity library that the program is linked with, as far as it follows from the names of its
//! functions (the interface of 2016, sections 2.3 and 3.3).

use crate::entries::library::{create, tasks};

core::arch::global_asm!(
    ".weak oprc_create",
    ".weak othr_new_task",
    ".weak oprc_new_task",
    ".pushsection .data.rel.ro.ompttrace_ompi_eelib,\"aw\",@progbits",
    ".p2align 3",
    ".hidden ompttrace_ompi_eelib",
    ".globl ompttrace_ompi_eelib",
    "ompttrace_ompi_eelib:",
    ".quad oprc_create",
    ".quad othr_new_task",
    ".quad oprc_new_task",
    ".popsection",
);

unsafe extern "C" {
    /// Addresses of functions that a library may have; 0 if it lacks one. For a function that is wrapped it is the
    /// address of the entry point, which exists in any case.
    safe static ompttrace_ompi_eelib: [usize; 3];
}

/// True if the library has a function: `named` is the address that its name refers to, and `real` returns the address
/// that the name would have without the entry point `wrapper`.
fn is_there(named: usize, wrapper: *const (), real: fn() -> usize) -> bool {
    if named == wrapper.addr() { real() != 0 } else { named != 0 }
}

/// True if its execution entities are processes.
pub(crate) fn makes_processes() -> bool {
    use create::oprc_create::{address, wrapper};
    is_there(ompttrace_ompi_eelib[0], wrapper as *const (), address)
}

/// True if the library implements tasks itself, instead of ORT.
pub(crate) fn brings_tasks() -> bool {
    let [_, of_threads, of_processes] = ompttrace_ompi_eelib;
    let threads = (
        tasks::othr_new_task::wrapper as *const (),
        tasks::othr_new_task::address as fn() -> usize,
    );
    let processes = (
        tasks::oprc_new_task::wrapper as *const (),
        tasks::oprc_new_task::address as fn() -> usize,
    );
    is_there(of_threads, threads.0, threads.1) || is_there(of_processes, processes.0, processes.1)
}
