//! The adapter for MPI: what functions in front of it report (`libompttrace-mpi.so`, `runtime/mpi-entries`), as records.
//!
//! It is in each library of the tool, so that a process has one recorder whichever of its runtimes began first. Programs
//! without MPI never call it.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod begin;
mod report;
mod threads;

use ompttrace_mpi_interface::{ATTACH, Attach, Interface, VERSION};

/// The functions that those in front of MPI call.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "a symbol of a C interface")]
pub static ompttrace_mpi_interface: Interface = Interface {
    version: VERSION,
    is_recording: &begin::IS_RECORDING,
    begin: begin::begin,
    thread: threads::begins,
    send: report::send,
    receive: report::receive,
    collective: report::collective,
    enter: report::enter,
    received: report::received,
    leave: report::leave,
    world: report::world,
    post: report::post,
    request: report::request,
    done: report::done,
    communicator: report::communicator,
    control: report::control,
};

/// The tool is loaded: functions in front of MPI, if they are there, learn of it. Of one that is linked into the program
/// they could not find the interface.
extern "C" fn constructor() {
    // SAFETY: a C string.
    let attach = unsafe { libc::dlsym(libc::RTLD_DEFAULT, ATTACH.as_ptr()) };
    if !attach.is_null() {
        // SAFETY: the symbol is that of a function of this type.
        let attach: Attach = unsafe { core::mem::transmute(attach) };
        attach(&ompttrace_mpi_interface);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;
