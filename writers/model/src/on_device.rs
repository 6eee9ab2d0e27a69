//! Activities of accelerators, as their drivers report them.

use ompttrace_recording::device_records::{kind, unified};

/// Something that a device does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OnDevice {
    /// A kernel runs.
    Kernel,
    /// Memory of the host is copied to the device.
    CopyToDevice,
    /// Memory of the device is copied to the host.
    CopyFromDevice,
    /// Other memory is copied.
    Copy,
    /// Memory is set.
    Set,
    /// A target construct is executed.
    Region,
    /// Unified memory migrates from the host to the device.
    MigrateToDevice,
    /// Unified memory migrates from the device to the host.
    MigrateFromDevice,
    /// Unified memory migrates to the device from another one.
    Migrate,
    /// Page faults of the device are served.
    Fault,
    /// A page fault of the host.
    HostFault,
    /// Processors contend for unified memory.
    Thrashing,
    /// A page fault is served later on purpose, to end that.
    Throttling,
    /// Unified memory is mapped instead of migrated.
    RemoteMap,
    /// A stream waits for an event.
    WaitEvent,
    /// Something else.
    Other,
}

/// Parts of the names of CUDA's functions that return when a device has done something.
const WAITING: [&str; 1] = ["Synchronize"];
/// Functions that copy memory, or free it, which they do when the device is done; if their name has `Async` they do not wait for it.
const BLOCKING: [&str; 4] = ["cudaMemcpy", "cuMemcpy", "cudaFree", "cuMemFree"];

/// True if this function of CUDA returns when a device has done something.
pub fn waits_for_device(function: &str) -> bool {
    let blocks = BLOCKING.iter().any(|name| function.starts_with(name));
    WAITING.iter().any(|part| function.contains(part)) || blocks && !function.contains("Async")
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
    /// True if memory is copied.
    pub const fn is_copy(self) -> bool {
        matches!(self, OnDevice::CopyToDevice | OnDevice::CopyFromDevice | OnDevice::Copy)
    }

    /// True if unified memory migrates.
    pub const fn is_migration(self) -> bool {
        matches!(self, OnDevice::MigrateToDevice | OnDevice::MigrateFromDevice | OnDevice::Migrate)
    }

    /// True for page faults of the device.
    pub const fn is_fault(self) -> bool {
        matches!(self, OnDevice::Fault)
    }

    /// True for what happens to unified memory.
    pub const fn is_unified(self) -> bool {
        self.is_migration()
            || matches!(
                self,
                OnDevice::Fault
                    | OnDevice::HostFault
                    | OnDevice::Thrashing
                    | OnDevice::Throttling
                    | OnDevice::RemoteMap
            )
    }

    /// By its number in a recording; `detail`: a copy's direction, a counter of unified memory.
    pub fn numbered(number: u64, detail: u64) -> OnDevice {
        match u32::try_from(number) {
            Ok(kind::KERNEL) => OnDevice::Kernel,
            Ok(kind::COPY) => match detail {
                1 | 3 => OnDevice::CopyToDevice,
                2 | 4 => OnDevice::CopyFromDevice,
                _ => OnDevice::Copy,
            },
            Ok(kind::SET) => OnDevice::Set,
            Ok(kind::REGION) => OnDevice::Region,
            Ok(kind::UNIFIED) => match unified::counter(detail) {
                unified::TO_DEVICE => OnDevice::MigrateToDevice,
                unified::FROM_DEVICE => OnDevice::MigrateFromDevice,
                unified::BETWEEN_DEVICES => OnDevice::Migrate,
                unified::DEVICE_FAULT => OnDevice::Fault,
                unified::HOST_FAULT => OnDevice::HostFault,
                unified::THRASHING => OnDevice::Thrashing,
                unified::THROTTLING => OnDevice::Throttling,
                unified::REMOTE_MAP => OnDevice::RemoteMap,
                _ => OnDevice::Other,
            },
            Ok(kind::SYNC) => OnDevice::WaitEvent,
            _ => OnDevice::Other,
        }
    }

    /// A name where nothing better is known; `detail`: a copy's direction.
    pub fn name(self, detail: u64) -> &'static str {
        let direction = || usize::try_from(detail).ok().and_then(|at| DIRECTIONS.get(at));
        match self {
            OnDevice::Kernel => "kernel",
            OnDevice::CopyToDevice | OnDevice::CopyFromDevice | OnDevice::Copy => {
                direction().unwrap_or(&"copy")
            }
            OnDevice::Set => "memset",
            OnDevice::Region => "target construct",
            OnDevice::MigrateToDevice => "migrate host to device",
            OnDevice::MigrateFromDevice => "migrate device to host",
            OnDevice::Migrate => "migrate from another device",
            OnDevice::Fault => "page fault of the device",
            OnDevice::HostFault => "page fault of the host",
            OnDevice::Thrashing => "thrashing",
            OnDevice::Throttling => "throttling",
            OnDevice::RemoteMap => "remote map",
            OnDevice::WaitEvent => "wait for event",
            OnDevice::Other => "device activity",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::waits_for_device;

    #[test]
    fn some_calls_wait() {
        for name in [
            "cudaDeviceSynchronize",
            "cuStreamSynchronize",
            "cudaMemcpy",
            "cuMemcpyDtoH",
            "cudaFree",
        ] {
            assert!(waits_for_device(name), "{name}");
        }
        for name in [
            "cudaLaunchKernel",
            "cudaMemcpyAsync",
            "cuMemcpyHtoDAsync",
            "cudaFreeAsync",
            "cudaMalloc",
            "cudaStreamWaitEvent",
        ] {
            assert!(!waits_for_device(name), "{name}");
        }
    }
}
