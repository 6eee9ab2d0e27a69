//! Errors of writing a trace.

use std::io;

/// The reasons for which a trace is not complete.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The output did not take the bytes; all that came later is lost.
    #[error("the trace could not be written: {0}")]
    Write(#[from] io::Error),
}
