//! The C interface of libotf2, the Open Trace Format 2: everything that writes an archive.
//!
//! `bindings.rs` is made by `cargo xtask bindings` from the headers of OTF2 3.0, whose notice is in
//! LICENSE-OTF2; enumerators are integers, as a later library may know more of them. What bindgen
//! does not translate stands in files of its own: `undefined` (macros with casts), `locks` (static
//! functions of a header), `failure` (a callback with a `va_list`).
//!
//! What is absent: reading. An archive is judged by readers that other people wrote.
#![allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    clippy::undocumented_unsafe_blocks
)]

#[allow(clippy::all)]
mod bindings;
pub mod failure;
pub mod locks;
mod undefined;

pub use bindings::*;
pub use undefined::*;
