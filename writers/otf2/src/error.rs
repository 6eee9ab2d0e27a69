//! Errors of writing an archive.

use ompttrace_workers::Stopped;
use std::io;
use std::path::Path;

/// The reasons for which an archive is not complete.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The archive could not be begun.
    #[error("OTF2 could not begin an archive: {0}")]
    Open(String),
    /// libotf2 refused something; all that came later is lost.
    #[error("OTF2: {0}")]
    Write(String),
    /// A file of the archive could not be written.
    #[error("{name}: {error}")]
    File {
        /// Name of the file in the archive's folder.
        name: String,
        /// Error of the operating system.
        error: io::Error,
    },
    /// A rank has another number in MPI_COMM_WORLD: the program was started by another one, or the job has several programs.
    #[error(
        "rank {rank} of the job is rank {own} of its MPI_COMM_WORLD: export the recordings of the ranks by themselves"
    )]
    Rank {
        /// Rank in the job.
        rank: u32,
        /// Rank in MPI_COMM_WORLD.
        own: u32,
    },
    /// A thread that encodes died.
    #[error("a thread that writes the archive: {0}")]
    Thread(String),
}

impl Error {
    /// An error of the operating system about a file.
    pub(crate) fn file(path: &Path, error: io::Error) -> Error {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Error::File { name, error }
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Error {
        Error::Thread(stopped.to_string())
    }
}
