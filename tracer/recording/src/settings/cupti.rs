//! The setting of the library that records the activities of NVIDIA's devices.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The libcupti that records the activities of devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cupti {
    /// The process's own, or one that is installed, if the program uses CUDA.
    #[default]
    Auto,
    /// No library: activities are not recorded.
    Off,
    /// The library at this path.
    Library(PathBuf),
}

impl Cupti {
    /// The value of the setting's text; `None`: the text is not allowed.
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
