//! Activities of accelerators, as their drivers report them.

use ompttrace_recording::device_records::kind;

/// Something that a device does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OnDevice {
    /// A kernel runs.
    Kernel,
    /// Memory is copied.
    Copy,
    /// Memory is set.
    Set,
    /// An activity of a kind that this version does not know.
    Unknown,
}

/// Directions of copies, by their numbers (CUpti_ActivityMemcpyKind).
const DIRECTIONS: [&str; 11] = [
    "copy",
    "copy host to device",
    "copy device to host",
    "copy host to array",
    "copy array to host",
    "copy array to array",
    "copy array to device",
    "copy device to array",
    "copy device to device",
    "copy host to host",
    "copy device to another device",
];

impl OnDevice {
    /// The kind with this number in a recording.
    pub fn numbered(number: u64) -> OnDevice {
        match u32::try_from(number) {
            Ok(kind::KERNEL) => OnDevice::Kernel,
            Ok(kind::COPY) => OnDevice::Copy,
            Ok(kind::SET) => OnDevice::Set,
            _ => OnDevice::Unknown,
        }
    }

    /// A name where nothing better is known; `detail`: a copy's direction.
    pub fn name(self, detail: u64) -> &'static str {
        let direction = || usize::try_from(detail).ok().and_then(|at| DIRECTIONS.get(at));
        match self {
            OnDevice::Kernel => "kernel",
            OnDevice::Copy => direction().unwrap_or(&"copy"),
            OnDevice::Set => "memset",
            OnDevice::Unknown => "device activity",
        }
    }
}
