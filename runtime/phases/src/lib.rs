//! The source for phases: those that a program marks itself, by `ompttrace.h` or `ompttrace.f90`, and those that it marks for Kokkos
//! Tools, NVTX or ITT.
//!
//! It is in each library of the tool. Programs look functions up at run time, so that they need no library of ours.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod interned;
mod itt;
pub mod kokkos;
mod nvtx;
mod source;
mod table;
mod text;

pub use itt::__itt_api_init;
pub use nvtx::InitializeInjectionNvtx2;
pub use table::ompttrace_phases;
