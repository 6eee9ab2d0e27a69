//! The C types of the OpenMP tools interface (OMPT), as omp-tools.h declares
//! them: callback signatures, look-up functions, data words and enumerators.
//!
//! Enumerators are integer constants and their types are integers, so that a
//! value this header does not know stays an ordinary number. There is no
//! logic here and nothing is edited by hand: `cargo xtask bindings` writes
//! `bindings.rs`, and `cargo xtask bindings --check` compares it.
//!
//! A tool that any OpenMP runtime loads, if it is built as a `cdylib` and named in `OMP_TOOL_LIBRARIES`:
//!
//! ```
//! use core::ffi::{c_char, c_int, c_uint};
//! use ompt_sys::{ompt_data_t, ompt_function_lookup_t, ompt_start_tool_result_t};
//!
//! unsafe extern "C" fn initialize(
//!     lookup: ompt_function_lookup_t,
//!     _device: c_int,
//!     _tool: *mut ompt_data_t,
//! ) -> c_int {
//!     // `lookup` finds ompt_set_callback by its name.
//!     c_int::from(lookup.is_some())
//! }
//!
//! struct Tool(ompt_start_tool_result_t);
//! // SAFETY: the runtime reads it once, before it has other threads.
//! unsafe impl Sync for Tool {}
//!
//! static TOOL: Tool = Tool(ompt_start_tool_result_t {
//!     initialize: Some(initialize),
//!     finalize: None,
//!     tool_data: ompt_data_t { value: 0 },
//! });
//!
//! // SAFETY: no other function of the tool has this name, by which runtimes look for it.
//! #[unsafe(no_mangle)]
//! extern "C" fn ompt_start_tool(
//!     _version: c_uint,
//!     _runtime: *const c_char,
//! ) -> *const ompt_start_tool_result_t {
//!     &raw const TOOL.0
//! }
//! ```
#![no_std]
#![allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    clippy::all,
    clippy::undocumented_unsafe_blocks
)]

mod bindings;

pub use bindings::*;
