//! Sums of samples by call stack, and formats of these sums: folded stacks as flamegraph.pl reads them, profiles for
//! pprof, and the tree of a flame graph.
//!
//! The weights of each add up to the number of samples: every sample has exactly one stack.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod folded;
mod pprof;
mod profile;
mod sink;
mod stack;
mod sums;
#[cfg(test)]
mod tests;
mod tree;

pub use sink::{ProfileFormat, SamplesSink};
pub use stack::Stacks;
pub use sums::{Sums, Weight};
pub use tree::{Node, tree};
