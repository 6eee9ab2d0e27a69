//! Clock pairs of a device: its time and the recorder's ticks at the same instant.

use super::Device;
use ompttrace_recording::device_records::Entry;

/// Readings of which the closest pair counts.
const TRIES: usize = 8;

/// Appends an entry with both clocks.
pub(super) fn put(device: &Device, to: &mut Vec<u64>) {
    let reading = |_| {
        let before = ompttrace_recorder::ticks();
        // SAFETY: the runtime's function with its handle.
        let time = unsafe { (device.functions.get_device_time)(device.handle) };
        let took = ompttrace_recorder::ticks().saturating_sub(before);
        // 0 is no time (ompt_time_none).
        (time != 0).then_some((took, before + took / 2, time))
    };
    if let Some((_, ticks, time)) = (0..TRIES).filter_map(reading).min() {
        Entry::DeviceClock { device: device.number(), ticks, time }.put(to);
    }
}
