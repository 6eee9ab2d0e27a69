//! Activities of devices in a report.

use serde::Serialize;

/// Activities of devices, and the waiting of the host for them. Device time is no thread's time, and in no other sum.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DevicesReport {
    /// Devices by their numbers.
    pub devices: Vec<DeviceReport>,
    /// Kernels by device and name, the longest time first; of very many the first.
    pub kernels: Vec<KernelReport>,
    /// Copies and memsets by device and direction, the longest time first.
    pub copies: Vec<CopyReport>,
    /// Events of unified memory, by device: migrations by direction, page faults, and the driver's means against contention;
    /// the longest time first.
    pub unified_memory: Vec<CopyReport>,
    /// Target constructs, the one for which the host waited longest first.
    pub targets: Vec<TargetReport>,
}

/// A device.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DeviceReport {
    /// Its number in its driver.
    pub device: u32,
    /// Its name: `NVIDIA H100`; empty where it is unknown.
    pub name: String,
    /// Streams on which it did something.
    pub streams: u64,
    /// From its first activity to the end of its last one.
    pub span_ns: u64,
    /// Time in which something went on.
    pub busy_ns: u64,
    /// Of the wall time.
    pub busy_share: f64,
    /// Time in which a kernel ran.
    pub kernel_ns: u64,
    /// Time in which memory was copied or set.
    pub copy_ns: u64,
    /// Of that, while a kernel ran.
    pub overlap_ns: u64,
    /// Time in which unified memory migrated, or page faults of the device were served.
    pub unified_ns: u64,
    /// Bytes of unified memory that migrated to or from it.
    pub migrated_bytes: u64,
    /// Groups of its page faults.
    pub page_faults: u64,
    /// Waits of its streams for events.
    pub event_waits: u64,
    /// Their time, from the call, or the end of what the stream did before, to the event.
    pub event_wait_ns: u64,
    /// Between its first and last activity, time in which nothing went on while a thread of the host worked.
    pub idle_while_host_works_ns: u64,
    /// Time in which it was busy while a thread of the host worked.
    pub busy_while_host_works_ns: u64,
}

/// The kernels of one name on a device.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KernelReport {
    /// The device's number.
    pub device: u32,
    /// The name, demangled.
    pub name: String,
    /// Number of runs.
    pub runs: u64,
    /// Its time, all runs together.
    pub time_ns: u64,
    /// The shortest run.
    pub shortest_ns: u64,
    /// The longest run.
    pub longest_ns: u64,
}

/// Copies of one direction on a device, or memsets, or events of its unified memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CopyReport {
    /// The device's number.
    pub device: u32,
    /// `copy host to device`, the other directions, or `memset`; `migrate host to device`, `page fault of the device` and the like.
    pub name: String,
    /// Number of copies or memsets, of groups of page faults, or of other events.
    pub count: u64,
    /// Their bytes; 0 for page faults.
    pub bytes: u64,
    /// Their time, all together.
    pub time_ns: u64,
    /// The longest one.
    pub longest_ns: u64,
    /// Bytes divided by time; none where they took no time or have no bytes.
    pub bytes_per_second: Option<f64>,
}

/// A target construct: what devices did for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TargetReport {
    /// Its position among constructs.
    pub construct: usize,
    /// Number of executions.
    pub calls: u64,
    /// Time of the host's threads in it while a device did what it caused.
    pub waited_ns: u64,
    /// Time of the host's threads in it while no device did so.
    pub offload_ns: u64,
    /// Kernels that it caused.
    pub kernels: u64,
    /// Their time.
    pub kernel_ns: u64,
    /// Copies that it caused.
    pub copies: u64,
    /// Their bytes.
    pub copied_bytes: u64,
    /// Their time.
    pub copy_ns: u64,
    /// Of the copies, those of a piece of the host's memory that was copied before in the same direction.
    pub repeated: u64,
    /// Their bytes.
    pub repeated_bytes: u64,
    /// Their time.
    pub repeated_ns: u64,
}
