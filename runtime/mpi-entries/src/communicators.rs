//! Communicators, and the rank of the process in each.

use crate::call::word;
use crate::function::Function;
use crate::{abi, library, status};
use core::ffi::c_int;
use core::sync::atomic::{AtomicPtr, Ordering};
use ompttrace_mpi_interface::{Interface, World};

static RANK: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
static SIZE: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Reports the facts that are known once MPI is initialised.
pub(crate) fn world(tool: &Interface) {
    for (place, name) in [(&RANK, c"PMPI_Comm_rank"), (&SIZE, c"PMPI_Comm_size")] {
        place.store(library::symbol(name).unwrap_or(core::ptr::null_mut()), Ordering::Relaxed);
    }
    status::find_count();
    let [rank, size] = [&RANK, &SIZE].map(|function| ask(function, abi::world()));
    let (world, itself) = (abi::handle(abi::world()), abi::handle(abi::itself()));
    let level = abi::abi().level(level());
    (tool.world)(&World { rank, size, level, abi: abi::abi().number, world, itself });
}

/// Reports a communicator that was created, if the process belongs to it.
pub(crate) fn made(tool: &Interface, function: &Function, words: &[usize]) {
    let (Some(address), Some(parent)) =
        (word(words, function.roles.made), word(words, function.roles.communicator))
    else {
        return;
    };
    // SAFETY: the function has stored a handle there, as it has succeeded.
    let new = unsafe { abi::handle_at(address) };
    // One that is not made before its request is complete cannot be asked.
    if new == abi::no_communicator() || function.roles.request != crate::function::NONE {
        return;
    }
    let [rank, size] = [&RANK, &SIZE].map(|function| ask(function, new));
    (tool.communicator)(abi::handle(new), abi::handle(parent), size, rank);
}

/// The rank of the process in a communicator, or the communicator's size, according to `function`.
fn ask(function: &AtomicPtr<()>, communicator: usize) -> u32 {
    let function = function.load(Ordering::Relaxed);
    if function.is_null() {
        return 0;
    }
    let mut answer: c_int = 0;
    // SAFETY: MPI_Comm_rank or MPI_Comm_size, and a communicator as the library has it.
    unsafe {
        let function: extern "C" fn(usize, *mut c_int) -> c_int = core::mem::transmute(function);
        function(communicator, &raw mut answer);
    }
    answer as u32
}

fn level() -> i32 {
    let Some(function) = library::symbol(c"PMPI_Query_thread") else { return 0 };
    let mut level: c_int = 0;
    // SAFETY: the function's type in every MPI.
    unsafe {
        let function: extern "C" fn(*mut c_int) -> c_int = core::mem::transmute(function);
        function(&raw mut level);
    }
    level
}
