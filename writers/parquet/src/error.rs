//! Why a dataset could not be written.

use ompttrace_workers::Stopped;
use parquet::errors::ParquetError;
use std::io;
use thiserror::Error;

/// Errors of writing a dataset.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be made or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The encoder refused what it was given.
    #[error("{0}")]
    Encoding(String),
    /// An earlier step has failed and returned its error.
    #[error("the tables cannot be written: {0}")]
    Stopped(#[from] Stopped),
}

impl From<ParquetError> for Error {
    /// Converts an error of the encoder; an I/O error inside it becomes [`Error::Io`] with the system's message.
    fn from(error: ParquetError) -> Error {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => Error::Io(*error),
                Err(other) => Error::Encoding(other.to_string()),
            },
            other => Error::Encoding(other.to_string()),
        }
    }
}
