//! What can go wrong while an archive is written.

use std::path::PathBuf;

/// The reasons for which an archive is not complete.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The archive could not be begun.
    #[error("{path}: OTF2 could not begin an archive: {reason}", path = .path.display())]
    Open {
        /// Its folder.
        path: PathBuf,
        /// What libotf2 says.
        reason: String,
    },
    /// libotf2 refused something; all that came later is lost.
    #[error("OTF2: {0}")]
    Write(String),
    /// A file of the archive could not be written.
    #[error("{path}: {error}", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A thread that encodes died.
    #[error("a thread that writes the archive: {0}")]
    Thread(String),
}
