//! libompttrace_mpi: functions in front of those of MPI, for LD_PRELOAD with programs on any implementation of it, without a
//! header of one: all arguments are passed on as machine words.
//!
//! Both `MPI_x` and `PMPI_x` are defined here, and of nested calls of a thread only the outermost is reported: MPI's
//! own libraries for Fortran call one or the other. Reports go to the copy of the tool that is in the process, which
//! is loaded if there is none yet ([`tool`]); this library has no recorder. A function that the real library lacks
//! must not be defined here either, because programs test for such functions: the table has those that all
//! implementations have. The functions by which programs test whether an MPI is loaded are not defined here.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod abi;
mod call;
mod communicators;
mod entries;
mod entry;
mod files;
mod function;
mod library;
mod messages;
mod polls;
mod requests;
mod status;
mod thread;
mod tool;

pub use tool::ompttrace_mpi_attach;
