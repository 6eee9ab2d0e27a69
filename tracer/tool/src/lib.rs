//! libompttrace: the tool that an OpenMP runtime loads with OMP_TOOL_LIBRARIES, that LD_PRELOAD
//! loads, or that a program links in.
//!
//! Its sources are OMPT, today's and that of 2014, and the Sun Collector API; they share the life cycle in
//! ompttrace-life. Their exports are named here, so that they are linked in.
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
