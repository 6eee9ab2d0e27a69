//! Which execution entity library the program is linked with, as far as its functions' names say it (the interface of
//! 2016, sections 2.3 and 3.3).

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
    /// Addresses of functions that a library may have; 0: it has not. Of one that is wrapped: the entry point's, which is
    /// there in any case.
    safe static ompttrace_ompi_eelib: [usize; 3];
}

/// Whether the library has a function: `named` is what its name leads to, and `real` what it leads to without an entry
/// point, `wrapper`, in front.
fn is_there(named: usize, wrapper: *const (), real: fn() -> usize) -> bool {
    if named == wrapper.addr() { real() != 0 } else { named != 0 }
}

/// Whether its execution entities are processes.
pub(crate) fn makes_processes() -> bool {
    use create::oprc_create::{address, wrapper};
    is_there(ompttrace_ompi_eelib[0], wrapper as *const (), address)
}

/// Whether it brings its own tasks, in place of ORT's.
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
