//! Why a file could not report what lies at an address.

use std::io;

use crate::modules::BuildId;

/// Why a module's file cannot be used; kept as the note of every location inside that module.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be opened or read.
    #[error("cannot read it: {0}")]
    Io(#[from] io::Error),
    /// Something else than a regular file is at that path now.
    #[error("not a regular file")]
    NotAFile,
    /// The mapping is no file at all, like the vdso.
    #[error("not backed by a file")]
    NoFile,
    /// The file was removed while it was mapped, and nothing proves that what may be at the
    /// path now is the same.
    #[error("the file was deleted, and no build id shows whether another copy is the same")]
    Deleted,
    /// The contents are not those that were mapped.
    #[error("build id differs: {recorded} was traced, the file has {found}")]
    BuildId {
        /// What the traced process had mapped.
        recorded: BuildId,
        /// What the file says now.
        found: BuildId,
    },
    /// The file was replaced between two looks at it.
    #[error("the file changed while it was read")]
    Changed,
    /// The file is not a 64-bit ELF file, or a damaged one.
    #[error("damaged or no 64-bit ELF file: {0}")]
    Elf(#[from] object::Error),
    /// The debug information could not be understood.
    #[error("debug information: {0}")]
    Dwarf(String),
    /// Compressed debug sections state that they become larger than any compiler's do.
    #[error("debug information: compressed sections become {0} bytes, which is not believed")]
    Inflated(u64),
    /// No loadable segment of the file corresponds to the mapping.
    #[error("no segment of the file belongs to the mapping")]
    Segment,
}
