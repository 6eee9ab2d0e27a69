//! Errors of reading a recording.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Errors of reading a run folder. The text of each includes its reason, so that none has a source.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// A file could not be opened or read.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        reason: std::io::Error,
    },
    /// The facts are not JSON, or not ours.
    #[error("{path}: not the facts of a recording: {reason}")]
    Facts {
        /// The file.
        path: PathBuf,
        /// The position in the file, and the reason.
        reason: serde_json::Error,
    },
    /// The recording is of a version that this program does not read.
    #[error(
        "{path}: recording format {found}, this program reads {}: use the ompttrace that recorded it",
        versions(known)
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of the recording.
        found: u32,
        /// The versions that this program reads.
        known: RangeInclusive<u32>,
    },
    /// The events are packed, and the opener cannot read that.
    #[error("{path}: a packed recording: read it with this version's `ompttrace`")]
    Packed {
        /// The file.
        path: PathBuf,
    },
    /// A packed file has content that no writer of this format puts there.
    #[error("{path}: damaged at byte {offset}: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The position in the file, in bytes.
        offset: u64,
        /// The damage in words.
        what: String,
    },
    /// The recording was made on a machine of the other byte order.
    #[error("{path}: recorded on a machine of the other byte order: export it there")]
    ByteOrder {
        /// The file.
        path: PathBuf,
    },
}

/// Versions in words.
fn versions(known: &RangeInclusive<u32>) -> String {
    let (oldest, newest) = (known.start(), known.end());
    if oldest == newest { newest.to_string() } else { format!("{oldest} to {newest}") }
}

impl RecordingError {
    /// The system's error with a file.
    pub fn io(path: &Path, reason: std::io::Error) -> Self {
        RecordingError::Io { path: path.to_owned(), reason }
    }
}
