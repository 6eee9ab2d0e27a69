//! Counts of what devices did, as their drivers report it.

use ompttrace_recording::device_records::kind;
use ompttrace_recording::events::DeviceActivity;

/// Counts of devices' activities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceCounts {
    /// Kernels that ran.
    pub kernels: u64,
    /// Copies of memory.
    pub copies: u64,
    /// Their bytes.
    pub copied_bytes: u64,
    /// Memsets.
    pub memsets: u64,
    /// Calls of CUDA on the host.
    pub calls: u64,
    /// Activities that the driver could not report, or not when they were.
    pub lost: u64,
}

impl DeviceCounts {
    /// True if nothing was reported.
    pub fn is_none(&self) -> bool {
        *self == DeviceCounts::default()
    }

    pub(crate) fn note(&mut self, begun: &DeviceActivity) {
        match u32::try_from(begun.kind) {
            Ok(kind::KERNEL) => self.kernels += 1,
            Ok(kind::COPY) => {
                self.copies += 1;
                self.copied_bytes = self.copied_bytes.saturating_add(begun.what);
            }
            Ok(kind::SET) => self.memsets += 1,
            Ok(kind::CALL) => self.calls += 1,
            _ => {}
        }
    }

    pub(crate) fn add(&mut self, other: &DeviceCounts) {
        self.kernels += other.kernels;
        self.copies += other.copies;
        self.copied_bytes = self.copied_bytes.saturating_add(other.copied_bytes);
        self.memsets += other.memsets;
        self.calls += other.calls;
        self.lost = self.lost.saturating_add(other.lost);
    }
}
