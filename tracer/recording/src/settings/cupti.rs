//! The setting of how the activities of NVIDIA's devices are recorded.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Which libcupti records them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cupti {
    /// The process's own, or one that is installed, if the program uses CUDA.
    #[default]
    Auto,
    /// None.
    Off,
    /// This one.
    Library(PathBuf),
}

impl Cupti {
    /// By the text of the setting; `None`: it is not allowed.
    pub(super) fn named(text: &OsStr) -> Option<Cupti> {
        match text.as_bytes().trim_ascii() {
            b"auto" => Some(Cupti::Auto),
            b"off" => Some(Cupti::Off),
            name if name.contains(&b'/') && !name.contains(&0) => {
                Some(Cupti::Library(PathBuf::from(OsStr::from_bytes(name))))
            }
            _ => None,
        }
    }
}
