//! What the whole-product tests stand on: programs to run, runtimes to run them on, and the oracle
//! that counts what a runtime delivered.

pub mod all_formats;
pub mod browser;
pub mod build;
pub mod contexts;
pub mod counts;
pub mod crowd;
pub mod directives;
pub mod exactness;
pub mod expectations;
pub mod fuzz;
pub mod in_windows;
pub mod judged;
pub mod left_out;
pub mod many_ranks;
pub mod npm;
pub mod oracle;
pub mod otf2_in_windows;
pub mod otf2_judge;
pub mod own_counts;
pub mod pprof;
pub mod process;
pub mod product;
pub mod programs;
pub mod ranks;
pub mod recorded;
pub mod runtimes;
pub mod same_exports;
pub mod sampled;
pub mod seeded;
pub mod soak;
pub mod soundness;
pub mod tables;
pub mod trace_processor;
pub mod traced;
pub mod wheels;
