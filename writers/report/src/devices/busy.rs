//! When a device is busy, and what the host does meanwhile: activities of all its streams at a time.

use ompttrace_model::OnDevice;

/// Times of a device up to its last change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Busy {
    kernels: u32,
    copies: u32,
    unified: u32,
    since: u64,
    pub(super) first: Option<u64>,
    pub(super) last: u64,
    pub(super) busy: u64,
    pub(super) kernel: u64,
    pub(super) copy: u64,
    pub(super) overlap: u64,
    pub(super) in_unified: u64,
    pub(super) busy_while_host_works: u64,
    pub(super) idle_while_host_works: u64,
    /// Idleness that counts once something follows.
    idle: u64,
}

impl Busy {
    /// The time up to `at` goes to what went on so far.
    pub(super) fn settle(&mut self, at: u64, host_works: bool) {
        let passed = at.saturating_sub(self.since);
        self.since = self.since.max(at);
        let add = |sum: &mut u64, is: bool| *sum += if is { passed } else { 0 };
        let (in_kernel, in_copy) = (self.kernels > 0, self.copies > 0);
        let in_unified = self.unified > 0;
        let is_busy = in_kernel || in_copy || in_unified;
        add(&mut self.kernel, in_kernel);
        add(&mut self.copy, in_copy);
        add(&mut self.overlap, in_kernel && in_copy);
        add(&mut self.in_unified, in_unified);
        add(&mut self.busy, is_busy);
        add(&mut self.busy_while_host_works, is_busy && host_works);
        add(&mut self.idle, self.first.is_some() && !is_busy && host_works);
    }

    /// The number of activities of this kind that go on.
    fn count(&mut self, activity: OnDevice) -> &mut u32 {
        match activity {
            OnDevice::Kernel => &mut self.kernels,
            unified if unified.is_unified() => &mut self.unified,
            _ => &mut self.copies,
        }
    }

    pub(super) fn begins(&mut self, at: u64, activity: OnDevice, host_works: bool) {
        self.settle(at, host_works);
        self.first.get_or_insert(at);
        self.idle_while_host_works += std::mem::take(&mut self.idle);
        *self.count(activity) += 1;
    }

    pub(super) fn ends(&mut self, at: u64, activity: OnDevice, host_works: bool) {
        self.settle(at, host_works);
        self.last = self.last.max(at);
        let count = self.count(activity);
        *count = count.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_busy_once_whatever_goes_on_in_its_streams() {
        let mut busy = Busy::default();
        busy.settle(90, true);
        busy.begins(100, OnDevice::Kernel, true);
        busy.begins(120, OnDevice::Copy, true);
        busy.begins(130, OnDevice::Kernel, true);
        busy.ends(150, OnDevice::Kernel, true);
        busy.settle(160, true);
        busy.ends(170, OnDevice::Copy, false);
        busy.ends(180, OnDevice::Kernel, false);
        let Busy { first, last, busy: in_all, kernel, copy, overlap, .. } = busy;
        assert_eq!((first, last, in_all, kernel, copy, overlap), (Some(100), 180, 80, 80, 50, 50));
        assert_eq!(busy.busy_while_host_works, 60);
    }

    /// Faults of a device are served while it migrates memory, and both while a kernel runs.
    #[test]
    fn what_happens_to_unified_memory_counts_once() {
        let mut busy = Busy::default();
        busy.begins(100, OnDevice::Kernel, false);
        busy.begins(110, OnDevice::Fault, false);
        busy.begins(120, OnDevice::MigrateToDevice, false);
        busy.ends(140, OnDevice::Fault, false);
        busy.ends(150, OnDevice::MigrateToDevice, false);
        busy.ends(160, OnDevice::Kernel, false);
        let Busy { busy, kernel, copy, in_unified, .. } = busy;
        assert_eq!((busy, kernel, copy, in_unified), (60, 60, 0, 40));
    }

    #[test]
    fn idleness_counts_between_activities_alone() {
        let mut busy = Busy::default();
        busy.settle(50, true);
        busy.begins(100, OnDevice::Set, true);
        busy.ends(110, OnDevice::Set, true);
        busy.settle(200, true);
        busy.begins(250, OnDevice::Copy, false);
        busy.ends(260, OnDevice::Copy, true);
        busy.settle(1000, true);
        assert_eq!(busy.idle_while_host_works, 90);
    }
}
