//! Communicators, and the rank of the process in each.

use crate::abi::Handle;
use crate::call::{Open, word};
use crate::function::Facts;
use crate::{abi, library, members};
use core::ffi::c_int;
use core::sync::atomic::{AtomicPtr, Ordering};
use ompttrace_mpi_interface::{Interface, World};

static RANK: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
static SIZE: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Finds the functions that are asked.
pub(crate) fn find() {
    for (place, name) in [(&RANK, c"PMPI_Comm_rank"), (&SIZE, c"PMPI_Comm_size")] {
        place.store(library::symbol(name).unwrap_or(core::ptr::null_mut()), Ordering::Relaxed);
    }
}

/// The process's rank in a communicator, and its size.
pub(crate) fn rank_and_size(communicator: usize) -> (u32, u32) {
    (ask(&RANK, communicator), ask(&SIZE, communicator))
}

/// True if the program was started by MPI_Comm_spawn: the ranks of the one that did have names of the same kind.
pub(crate) fn is_spawned() -> bool {
    let Some(function) = library::symbol(c"PMPI_Comm_get_parent") else { return false };
    let mut parent = 0usize;
    // SAFETY: the function's type in every MPI, with a handle as a machine word.
    unsafe {
        let function: extern "C" fn(*mut usize) -> c_int = core::mem::transmute(function);
        function(&raw mut parent);
    }
    abi::handle(parent) != abi::handle(abi::own(Handle::NoCommunicator))
}

/// Reports the ranks of the program.
pub(crate) fn world(tool: &Interface) {
    let (rank, size) = rank_and_size(abi::own(Handle::World));
    let [world, itself] = [Handle::World, Handle::Itself].map(|own| abi::handle(abi::own(own)));
    let level = abi::abi().level(level());
    (tool.world)(&World { rank, size, level, abi: abi::abi().number, world, itself });
}

/// A communicator was made, if the process is in it.
#[inline(never)]
pub(crate) fn made(open: &Open, facts: &Facts, words: &[usize]) {
    let Open { thread, tool, .. } = *open;
    let (Some(address), Some(parent)) =
        (word(words, facts.roles.made), word(words, facts.roles.communicator))
    else {
        return;
    };
    // SAFETY: the function has stored a handle there, as it has succeeded.
    let new = unsafe { abi::handle_at(address) };
    if abi::handle(new) == abi::handle(abi::own(Handle::NoCommunicator)) {
        return;
    }
    // One that is not made before its request is complete cannot be asked: it is like its parent.
    let asked = if facts.posts { parent } else { new };
    members::report(tool, thread, asked);
    let (rank, size) = rank_and_size(asked);
    (tool.communicator)(abi::handle(new), abi::handle(parent), size, rank);
}

/// A communicator was given a name.
#[inline(never)]
pub(crate) fn named(open: &Open, words: &[usize]) {
    let Open { tool, .. } = *open;
    if let (Some(communicator), Some(name)) = (word(words, 0), word(words, 1)) {
        let name = core::ptr::with_exposed_provenance(name);
        (tool.name)(abi::handle(communicator), name);
    }
}

/// A number that a communicator has.
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
