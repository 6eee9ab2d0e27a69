//! The interface between the functions in front of MPI (`libompttrace-mpi.so`) and the one copy of the tool in a
//! process: a table of functions, at a symbol that each of the tool's libraries exports.
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

/// Type of the function at [`ATTACH`] in libompttrace-mpi.so: a tool calls it when it is loaded, to hand over its interface, because the
/// symbols of one that is linked into the program may be invisible to others.
pub type Attach = extern "C" fn(&'static Interface);

/// The version of all that is here: libraries of different versions of the tool do not work together.
pub const VERSION: u64 = 5;

/// The parts of MPI that are to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Wanted {
    /// MPI is not recorded.
    Nothing = 0,
    /// Begins and ends of calls are recorded.
    Calls = 1,
    /// Begins and ends of calls and the data that they transfer are recorded.
    Messages = 2,
}

/// An MPI library that a program uses.
#[repr(C)]
#[derive(Debug)]
pub struct Library {
    /// The library's description of itself.
    pub version: *const c_char,
    /// Path of the library's file.
    pub file: *const c_char,
}

/// Facts that are known once MPI is initialised.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct World {
    /// The process's rank in MPI_COMM_WORLD.
    pub rank: u32,
    /// Number of processes in MPI_COMM_WORLD.
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

/// A clock compared with that of another rank. The words are those of the record: `Clock` of the recording format says what they are.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// The rank whose clock it was compared with.
    pub reference: u32,
    /// The rank that exchanged messages with it.
    pub measured_by: u32,
    /// The time of the comparison.
    pub time: u64,
    /// Nanoseconds by which the reference is ahead.
    pub offset: i64,
    /// The most by which that may be wrong.
    pub error: u64,
    /// Round trips.
    pub rounds: u32,
}

/// Members of a communicator: a rank of MPI_COMM_WORLD and others that follow.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct MemberRun {
    /// The first one.
    pub first: u32,
    /// Their number.
    pub count: u32,
    /// The distance from one to the next.
    pub stride: i32,
    /// The group: see the recording format.
    pub group: u32,
}

/// The ranks of a program, when it ends.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Ranks {
    /// The process's rank in MPI_COMM_WORLD.
    pub rank: u32,
    /// Their number.
    pub size: u32,
    /// Those that were found to be recorded; 0: not known.
    pub recorded: u32,
}

/// The begin of a call that polls, which is not recorded before it is known what it has found.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Began {
    /// The time, in ticks of the recording.
    pub ticks: u64,
    /// Position in the thread's records, which every record changes.
    pub cursor: u64,
}

/// A peer and a tag in one argument.
#[inline(always)]
pub const fn peer_and_tag(peer: u32, tag: u32) -> u64 {
    halves(peer, tag)
}

/// Two numbers in one argument.
#[inline(always)]
pub const fn halves(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

/// The tool's functions. Each may be called by any thread at any time. A call is reported by one function when it begins and
/// by one when it is over, so that each has one record, or a few that are stored together.
#[repr(C)]
#[derive(Debug)]
pub struct Interface {
    /// [`VERSION`].
    pub version: u64,
    /// False while the recording is paused or has ended: no call needs to be reported then, but `passed`.
    pub is_recording: &'static AtomicBool,
    /// A call begins that need not be reported. A command from outside the process may end that.
    pub passed: extern "C" fn(),
    /// Begins the recording of MPI; to be called once, before all other functions.
    pub begin: extern "C" fn(&Library) -> Wanted,
    /// Reports the calling thread before its first call.
    pub thread: extern "C" fn(),
    /// A call begins: return address, function, handle of its communicator, window or file.
    pub enter: extern "C" fn(u64, u32, u64),
    /// A call begins that sends: return address, function, communicator, [`peer_and_tag`], bytes.
    pub enter_send: extern "C" fn(u64, u32, u64, u64, u64),
    /// A call begins that receives: return address, function, communicator, [`peer_and_tag`], maximum number of bytes.
    pub enter_receive: extern "C" fn(u64, u32, u64, u64, u64),
    /// A collective call begins: return address, function, communicator, root, bytes given, bytes taken.
    pub enter_collective: extern "C" fn(u64, u32, u64, u32, u64, u64),
    /// A call begins that accesses a window or a file: return address, function, handle of the window or file, [`halves`] of the rank
    /// whose window it is and of the flags as the record has them, bytes.
    pub enter_access: extern "C" fn(u64, u32, u64, u64, u64),
    /// A call begins that is given one request: return address, function, handle.
    pub enter_wait: extern "C" fn(u64, u32, u64),
    /// The next call is given this request: handle, index in its list.
    pub request: extern "C" fn(u64, u32),
    /// The open call is over: function, result.
    pub leave: extern "C" fn(u32, u32),
    /// The call is over and has received a message: [`peer_and_tag`], bytes.
    pub leave_received: extern "C" fn(u64, u64),
    /// The call is over and has made a request: handle, kind as the record has it.
    pub leave_posted: extern "C" fn(u64, u32),
    /// The call is over, and the request at an index is complete: index, flags as the record has them, [`peer_and_tag`] and bytes
    /// of a receive.
    pub leave_done: extern "C" fn(u32, u32, u64, u64),
    /// The request at an index is complete in the open call: as before.
    pub done: extern "C" fn(u32, u32, u64, u64),
    /// A call that polls begins.
    pub poll: extern "C" fn() -> Began,
    /// The call that polls is over and has found nothing: time of its begin in ticks, function. Returns true if the
    /// poll is counted in the run of polls before it; otherwise the call has to be reported.
    pub poll_counted: extern "C" fn(u64, u32) -> bool,
    /// A poll is over, has found nothing and was not counted by [`Interface::poll_counted`], so it is recorded as a call: its
    /// begin, the caller's return address, the function's number, the communicator's handle.
    pub poll_failed: extern "C" fn(Began, u64, u32, u64),
    /// The call that polls is over and was given this request: its begin, handle, index in its list. Returns the begin
    /// for the next report.
    pub poll_request: extern "C" fn(Began, u64, u32) -> Began,
    /// The call that polls is over and has found something: its begin, then as [`Interface::enter`]; what follows is
    /// reported as for an open call.
    pub poll_enter: extern "C" fn(Began, u64, u32, u64),
    /// MPI is initialised.
    pub world: extern "C" fn(&World),
    /// The process's clock was compared with that of another rank.
    pub clock: extern "C" fn(&Clock),
    /// MPI_Finalize is called.
    pub ends: extern "C" fn(&Ranks),
    /// Members of the communicator that is reported next by the thread.
    pub members: extern "C" fn(&MemberRun),
    /// The open call has given a communicator a name: handle, name.
    pub name: extern "C" fn(u64, *const c_char),
    /// The open call has made a communicator: handle, handle of what it was made of, size, own rank.
    pub communicator: extern "C" fn(u64, u64, u32, u32),
    /// The open call has made a window or opened a file: handle, communicator, [`halves`] of its kind and the mode of the file as the
    /// record has them, name of the file or null.
    pub object: extern "C" fn(u64, u64, u64, *const c_char),
    /// MPI_Pcontrol was called with this level.
    pub control: extern "C" fn(u32),
}
