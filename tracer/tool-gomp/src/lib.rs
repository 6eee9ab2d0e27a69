//! libompttrace_gomp: for LD_PRELOAD with programs on GCC's libgomp. It contains the whole tool, so a
//! process with runtimes of both kinds gets one recording.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub use ompttrace_collector::__gmon_start__;
pub use ompttrace_cupti::InitializeInjection;
pub use ompttrace_mpi::ompttrace_mpi_interface;
pub use ompttrace_ompt::ompt_start_tool;
pub use ompttrace_ompt_tr2::{ompt_control, ompt_control_, ompt_initialize, ompt_tool};
pub use ompttrace_phases::kokkos::*;
pub use ompttrace_phases::{__itt_api_init, InitializeInjectionNvtx2, ompttrace_phases};

// Its entry points have the names of libgomp's functions, and nothing here calls them.
extern crate ompttrace_libgomp;
