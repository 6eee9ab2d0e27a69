//! Counts of what devices did, as their drivers report it.

use ompttrace_model::OnDevice;
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
    /// Migrations of unified memory, with those of which only a sum is known.
    pub migrations: u64,
    /// Their bytes.
    pub migrated_bytes: u64,
    /// Groups of page faults of devices.
    pub page_faults: u64,
    /// Page faults of the host in unified memory.
    pub host_page_faults: u64,
    /// Waits of streams for events.
    pub event_waits: u64,
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
            Ok(kind::UNIFIED) => self.note_unified(begun),
            _ => {}
        }
    }

    fn note_unified(&mut self, begun: &DeviceActivity) {
        let add = |sum: &mut u64, number: u64| *sum = sum.saturating_add(number);
        match OnDevice::numbered(begun.kind, begun.detail) {
            OnDevice::Fault => add(&mut self.page_faults, begun.what),
            OnDevice::HostFault => add(&mut self.host_page_faults, begun.correlation),
            migration if migration.is_migration() => {
                add(&mut self.migrations, begun.correlation);
                add(&mut self.migrated_bytes, begun.what);
            }
            _ => {}
        }
    }

    pub(crate) fn add(&mut self, other: &DeviceCounts) {
        self.kernels += other.kernels;
        self.copies += other.copies;
        self.copied_bytes = self.copied_bytes.saturating_add(other.copied_bytes);
        self.memsets += other.memsets;
        self.calls += other.calls;
        self.migrations = self.migrations.saturating_add(other.migrations);
        self.migrated_bytes = self.migrated_bytes.saturating_add(other.migrated_bytes);
        self.page_faults = self.page_faults.saturating_add(other.page_faults);
        self.host_page_faults = self.host_page_faults.saturating_add(other.host_page_faults);
        self.event_waits = self.event_waits.saturating_add(other.event_waits);
        self.lost = self.lost.saturating_add(other.lost);
    }
}
