//! libompttrace: the tool that an OpenMP runtime loads with OMP_TOOL_LIBRARIES, that LD_PRELOAD
//! brings, or that a program links in.
//!
//! Its source is OMPT; the life cycle and the exported symbols are [`ompttrace_life`]'s.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub use ompttrace_collector::__gmon_start__;
pub use ompttrace_life::exports::{
    ompt_control, ompt_control_, ompt_initialize, ompt_start_tool, ompt_tool,
};
