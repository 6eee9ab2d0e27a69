//! Errors of reading the files of modules.

use std::io;

use crate::modules::BuildId;

/// Reason why a module's file cannot be used; it is the note of every location in that module.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be opened or read.
    #[error("cannot read it: {0}")]
    Io(#[from] io::Error),
    /// The path refers to something else than a regular file now.
    #[error("not a regular file")]
    NotAFile,
    /// The mapping is no file at all, like the vdso.
    #[error("not backed by a file")]
    NoFile,
    /// The file was removed while it was mapped, and there is no proof that a file at the path now is the same.
    #[error("the file was deleted, and no build id shows whether another copy is the same")]
    Deleted,
    /// The file's content is not the one that was mapped.
    #[error("build id differs: {recorded} was traced, the file has {found}")]
    BuildId {
        /// Build id of the file that the traced process had mapped.
        recorded: BuildId,
        /// Build id of the file at the path now.
        found: BuildId,
    },
    /// The file was replaced while it was read.
    #[error("the file changed while it was read")]
    Changed,
    /// The file is not a 64-bit ELF file, or a damaged one.
    #[error("damaged or no 64-bit ELF file: {0}")]
    Elf(#[from] object::Error),
    /// The debug information could not be understood.
    #[error("debug information: {0}")]
    Dwarf(String),
    /// Compressed debug sections state a size that is larger than any compiler's sections have.
    #[error("debug information: compressed sections become {0} bytes, which is not believed")]
    Inflated(u64),
    /// No loadable segment of the file corresponds to the mapping.
    #[error("no segment of the file belongs to the mapping")]
    Segment,
}
