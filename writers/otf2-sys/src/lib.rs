//! The C interface of libotf2, the Open Trace Format 2: everything that writes an archive.
//!
//! `bindings.rs` is made by `cargo xtask bindings` from the headers of OTF2 3.0, whose notice is in
//! LICENSE-OTF2; enumerators are integers, as a later library may know more of them. What bindgen
//! does not translate stands in files of its own: `undefined` (macros with casts), `locks` (static
//! functions of a header), `failure` (a callback with a `va_list`).
//!
//! What is absent: reading. An archive is judged by readers that other people wrote.
//!
//! Opens an archive and closes it again:
//!
//! ```no_run
//! use otf2_sys::{
//!     OTF2_Archive_Close, OTF2_Archive_Open, OTF2_COMPRESSION_NONE, OTF2_FILEMODE_WRITE,
//!     OTF2_SUBSTRATE_POSIX, OTF2_SUCCESS,
//! };
//!
//! // SAFETY: both paths are texts with an end, and the archive is used by this thread alone until it is closed.
//! unsafe {
//!     let archive = OTF2_Archive_Open(
//!         c"trace-otf2".as_ptr(),
//!         c"traces".as_ptr(),
//!         OTF2_FILEMODE_WRITE as _,
//!         1 << 20,
//!         1 << 20,
//!         OTF2_SUBSTRATE_POSIX as _,
//!         OTF2_COMPRESSION_NONE as _,
//!     );
//!     assert!(!archive.is_null());
//!     assert_eq!(OTF2_Archive_Close(archive), OTF2_SUCCESS);
//! }
//! ```
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
