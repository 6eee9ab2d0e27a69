//! Windows and files: what a handle stands for.
//!
//! MPICH's handle of a file is a pointer, though its others are ints.

use crate::abi;
use crate::call::{Open, word};
use crate::function::Facts;
use ompttrace_mpi_interface::halves;
use ompttrace_recording::mpi::object;

/// The handle of the window or the file that a call is given; 0: none.
#[inline(always)]
pub(crate) fn given(facts: &Facts, words: &[usize]) -> u64 {
    match (word(words, facts.roles.object), word(words, facts.roles.freed_object)) {
        (Some(handle), _) => recorded(facts, handle),
        (None, Some(address)) => at(facts, address),
        (None, None) => 0,
    }
}

/// A window was made, or a file opened.
#[inline(never)]
pub(crate) fn made(open: &Open, facts: &Facts, words: &[usize]) {
    let roles = &facts.roles;
    let Some(address) = word(words, roles.made_object) else { return };
    let kind = if facts.is_of_files { object::FILE } else { object::WINDOW };
    let communicator = word(words, roles.communicator).map_or(0, abi::handle);
    let mode = word(words, roles.mode).map_or(0, |mode| abi::abi().mode(mode));
    let name = core::ptr::with_exposed_provenance(word(words, roles.file_name).unwrap_or(0));
    (open.tool.object)(at(facts, address), communicator, halves(kind, mode), name);
}

/// The handle at an address that a function was given; 0: the address is none.
fn at(facts: &Facts, address: usize) -> u64 {
    if address == 0 {
        return 0;
    }
    // SAFETY: the program's variable for a handle of MPI's, which has a value: it is freed by the call, or the call has succeeded.
    unsafe {
        match facts.is_of_files {
            true => *core::ptr::with_exposed_provenance::<u64>(address),
            false => abi::handle(abi::handle_at(address)),
        }
    }
}

/// A handle as it is recorded.
#[inline(always)]
fn recorded(facts: &Facts, word: usize) -> u64 {
    if facts.is_of_files { word as u64 } else { abi::handle(word) }
}
