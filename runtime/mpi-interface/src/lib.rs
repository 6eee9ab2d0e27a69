//! Between the functions in front of MPI (`libompttrace-mpi.so`) and the one copy of the tool in a process: a table of
//! functions, at a symbol that each of the tool's libraries exports.
#![no_std]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

use core::ffi::{CStr, c_char};
use core::sync::atomic::AtomicBool;

/// The symbol at which a tool has its [`Interface`].
pub const SYMBOL: &CStr = c"ompttrace_mpi_interface";

/// The symbol at which functions in front of MPI take a tool that is loaded: [`Attach`].
pub const ATTACH: &CStr = c"ompttrace_mpi_attach";

/// Offers a tool that may be visible to nobody: one that is linked into the program.
pub type Attach = extern "C" fn(&'static Interface);

/// The version of all that is here: libraries of different versions of the tool do not work together.
pub const VERSION: u64 = 1;

/// The parts of MPI that are to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Wanted {
    /// Nothing.
    Nothing = 0,
    /// When calls begin and end.
    Calls = 1,
    /// The data that they transfer as well.
    Messages = 2,
}

/// An MPI library that a program uses.
#[repr(C)]
#[derive(Debug)]
pub struct Library {
    /// Its own description.
    pub version: *const c_char,
    /// Its file.
    pub file: *const c_char,
}

/// Facts that are known once MPI is initialised.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct World {
    /// The process's rank in MPI_COMM_WORLD.
    pub rank: u32,
    /// Their number.
    pub size: u32,
    /// The level of thread support: an index of `LEVELS` of the recording format.
    pub level: u32,
    /// The binary interface: an index of `ABIS` of the recording format.
    pub abi: u32,
    /// The handles of MPI_COMM_WORLD and MPI_COMM_SELF.
    pub world: u64,
    /// See [`World::world`].
    pub itself: u64,
}

/// The tool's functions. Each may be called by any thread at any time.
#[repr(C)]
#[derive(Debug)]
pub struct Interface {
    /// [`VERSION`].
    pub version: u64,
    /// False while the program has paused the recording, or ended it: then no call need be reported.
    pub is_recording: &'static AtomicBool,
    /// MPI is used: to be called once, before everything else.
    pub begin: extern "C" fn(&Library) -> Wanted,
    /// The calling thread is about to report its first call.
    pub thread: extern "C" fn(),
    /// The next call is to send this: peer, tag, bytes.
    pub send: extern "C" fn(u32, u32, u64),
    /// The next call is to receive this at most: peer, tag, bytes.
    pub receive: extern "C" fn(u32, u32, u64),
    /// The next call is a collective one: root, bytes given, bytes taken.
    pub collective: extern "C" fn(u32, u64, u64),
    /// A call begins: return address, function, communicator.
    pub enter: extern "C" fn(u64, u32, u64),
    /// The open call has received this: source, tag, bytes.
    pub received: extern "C" fn(u32, u32, u64),
    /// The open call is over: function, result.
    pub leave: extern "C" fn(u32, u32),
    /// MPI is initialised.
    pub world: extern "C" fn(&World),
    /// The open call has made a request: handle, 1 if it is persistent.
    pub post: extern "C" fn(u64, u32),
    /// The next call is given this request: handle, index in its list.
    pub request: extern "C" fn(u64, u32),
    /// The request at an index is complete in the open call: index, source, tag, bytes of a receive.
    pub done: extern "C" fn(u32, u32, u32, u64),
    /// The open call has made a communicator: handle, handle of what it was made of, size, own rank.
    pub communicator: extern "C" fn(u64, u64, u32, u32),
    /// MPI_Pcontrol with this level.
    pub control: extern "C" fn(u32),
}
