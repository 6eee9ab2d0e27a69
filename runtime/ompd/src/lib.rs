//! A client of OMPD, OpenMP's interface for debuggers: threads, regions, tasks and internal control variables of a
//! process or a core file, through the library that comes with the OpenMP runtime.
//!
//! A [`Target`] is what is inspected: memory, threads, mapped files. The library is third-party code that works on
//! untrusted data, so this crate is meant for a separate process, which may crash and be killed ([`inquire`] does not
//! handle that). `README.md` has the inquiries of the document of 2015 with their names today.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod answer;
mod callbacks;
mod client;
mod core_file;
mod core_notes;
mod image;
mod inquiry;
mod library;
mod mapped_file;
mod target;
mod types;

pub use answer::{Answer, Icv, Parallel, Task, Thread};
pub use core_file::CoreFile;
pub use core_notes::CoreThread;
pub use image::{Image, has_symbols, is_runtime, runtime};
pub use inquiry::inquire;
pub use library::{Library, beside, trusted};
pub use target::{Mapped, Target, TargetThread};

use thiserror::Error;

/// Reasons for which there is no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// No file in the target's memory is an OpenMP runtime that OMPD knows.
    #[error("no OpenMP runtime with symbols for OMPD is in memory: {0}")]
    NoRuntime(String),
    /// The library is not to be trusted, or cannot be loaded.
    #[error("{0}")]
    Library(String),
    /// The library refused an inquiry without which there are no others.
    #[error("{function}: {code}")]
    Refused {
        /// Name of the inquiry.
        function: &'static str,
        /// Error code that the inquiry returned.
        code: types::Code,
    },
    /// A file that is no core file, or is damaged.
    #[error("{0}")]
    Core(String),
}
