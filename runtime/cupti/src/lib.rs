//! The adapter for CUPTI, NVIDIA's tracing interface: kernels, copies, memsets, and what happens to unified memory, as records.
//!
//! libcupti is loaded while the program runs, and only if it uses CUDA: when an OpenMP runtime initialises a device of
//! NVIDIA's, or when the driver calls [`InitializeInjection`], which it does in a library that
//! CUDA_INJECTION64_PATH names. The interface follows cupti_activity.h of CUPTI 12 and 13, whose records have the fields that are
//! used here at the same offsets.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod activity;
mod begin;
mod buffers;
mod calls;
mod clock;
mod events;
mod find;
mod library;
mod operation;
mod unified;

pub use begin::InitializeInjection;
