//! libompttrace_mpi: functions in front of those of MPI, for LD_PRELOAD with programs on any implementation of it, without a
//! header of one: all arguments are passed on as machine words.
//!
//! Both `MPI_x` and `PMPI_x` are here, and of nested calls of a thread the outermost is reported: MPI's own libraries for
//! Fortran call one or the other. What is reported goes to the copy of the tool that is in the process, which is loaded if
//! there is none yet ([`tool`]); there is no recorder in here. A function that the real library lacks must not be here either, for
//! programs test for those: exported are those that all implementations have, and the others are put in place of the real ones
//! ([`later`]). None of the functions is here by which programs
//! find out whether an MPI is loaded.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod abi;
mod call;
mod clocks;
mod communicators;
mod entries;
mod entry;
mod exchange;
mod files;
mod function;
mod later;
mod library;
mod members;
mod messages;
mod names;
mod objects;
mod participants;
mod polls;
mod relocations;
mod requests;
mod session;
mod status;
mod thread;
mod tool;

pub use tool::ompttrace_mpi_attach;
