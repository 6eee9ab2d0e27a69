//! The adapter for MPI: it records the reports of functions in front of MPI (`libompttrace-mpi.so`,
//! `runtime/mpi-entries`).
//!
//! It is in each library of the tool, so that a process has one recorder whichever of its runtimes began first. Programs
//! without MPI never call it.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod begin;
mod late;
mod polls;
mod ranks;
mod report;
mod threads;

use ompttrace_mpi_interface::{ATTACH, Attach, Interface, VERSION};

/// The table of functions that those in front of MPI call.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "a symbol of a C interface")]
pub static ompttrace_mpi_interface: Interface = Interface {
    version: VERSION,
    is_recording: &begin::IS_RECORDING,
    passed: begin::passed,
    begin: begin::begin,
    thread: threads::begins,
    enter: report::enter,
    enter_send: report::enter_send,
    enter_receive: report::enter_receive,
    enter_collective: report::enter_collective,
    enter_access: report::enter_access,
    enter_wait: report::enter_wait,
    request: report::request,
    leave: report::leave,
    leave_received: report::leave_received,
    leave_posted: report::leave_posted,
    leave_done: report::leave_done,
    done: report::done,
    poll: polls::begins,
    poll_counted: polls::counted,
    poll_failed: polls::failed,
    poll_request: polls::request,
    poll_enter: polls::enter,
    world: report::world,
    clock: report::clock,
    ends: ranks::end,
    members: report::members,
    name: report::name,
    object: report::object,
    communicator: report::communicator,
    control: report::control,
};

/// Offers the tool to functions in front of MPI when it is loaded, if there are any: they could not find the interface
/// of a tool that is linked into the program.
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
