//! The detail of a counter of unified memory: bits 0-7 the counter, bits 8-15 its flags, bits 16-31 another device.

/// Memory migrates from the host to the device. Value: bytes; flags: the cause (CUpti_ActivityUnifiedMemoryMigrationCause).
pub const TO_DEVICE: u32 = 1;
/// Memory migrates from the device to the host; as [`TO_DEVICE`].
pub const FROM_DEVICE: u32 = 2;
/// A page fault of the host. Value: the address of the instruction.
pub const HOST_FAULT: u32 = 3;
/// Page faults of the device. Value: number of groups of faults; flags: the access (CUpti_ActivityUnifiedMemoryAccessType).
pub const DEVICE_FAULT: u32 = 4;
/// Processors contend for memory. Value: bytes; flags: 1 on the host; other device: the contending devices 0 to 15, a bit each.
pub const THRASHING: u32 = 5;
/// A fault is served later on purpose. Flags: 1 on the host.
pub const THROTTLING: u32 = 6;
/// Memory is mapped, not migrated. Value: bytes; flags: the cause (CUpti_ActivityUnifiedMemoryRemoteMapCause).
pub const REMOTE_MAP: u32 = 7;
/// Memory migrates to the device from another one. Value: bytes; other device: that one.
pub const BETWEEN_DEVICES: u32 = 8;

/// The detail of a counter with these flags and this other device.
pub const fn detail(counter: u32, flags: u32, other: u32) -> u32 {
    counter & 0xff | (flags & 0xff) << 8 | (other & 0xffff) << 16
}

/// The counter of a detail.
pub const fn counter(detail: u64) -> u32 {
    detail as u32 & 0xff
}

/// The flags of a detail.
pub const fn flags(detail: u64) -> u32 {
    detail as u32 >> 8 & 0xff
}
