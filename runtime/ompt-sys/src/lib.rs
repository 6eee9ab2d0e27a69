//! The C types of the OpenMP tools interface (OMPT), as omp-tools.h declares
//! them: callback signatures, look-up functions, data words and enumerators.
//!
//! Enumerators are integer constants and their types are integers, so that a
//! value this header does not know stays an ordinary number. There is no
//! logic here and nothing is edited by hand: `cargo xtask bindings` writes
//! `bindings.rs`, and `cargo xtask bindings --check` compares it.
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
