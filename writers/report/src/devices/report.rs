//! Sums of devices become a part of a report.

use super::{DeviceSums, Sums};
use crate::model::{
    ConstructReport, CopyReport, DeviceReport, DevicesReport, KernelReport, TargetReport,
};
use crate::sink::ReportSink;
use crate::state::State;
use ompttrace_model::{NameRef, OnDevice};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Kernels and copies in a report.
const MOST: usize = 1000;

/// The part of a report that is about devices; `None`: none of them reports anything.
pub(crate) fn report(
    sink: &ReportSink,
    constructs: &[ConstructReport],
    wall: u64,
) -> Option<DevicesReport> {
    let sums = &sink.devices;
    (!sums.are_none()).then(|| DevicesReport {
        devices: devices(sums, wall),
        kernels: kernels(sink),
        copies: copies(sink),
        unified_memory: unified(sums),
        targets: targets(sums, constructs),
    })
}

fn devices(sums: &DeviceSums, wall: u64) -> Vec<DeviceReport> {
    let streams = |device: u32| {
        let used = sums.streams.iter().flatten().filter(|stream| stream.is_used);
        let streams: BTreeSet<_> = used.map(|stream| stream.is).collect();
        streams.iter().filter(|stream| stream.device == device).count() as u64
    };
    let of_unified = |device: u32, is: fn(OnDevice) -> bool| {
        let of =
            sums.unified.iter().filter(move |((of, activity), _)| *of == device && is(*activity));
        of.map(|(_, sums)| sums)
    };
    let report = |(device, busy): (&u32, &super::Busy)| DeviceReport {
        device: *device,
        name: sums.names.get(device).cloned().unwrap_or_default(),
        streams: streams(*device),
        span_ns: busy.first.map_or(0, |first| busy.last.saturating_sub(first)),
        busy_ns: busy.busy,
        busy_share: if wall > 0 { busy.busy as f64 / wall as f64 } else { 0.0 },
        kernel_ns: busy.kernel,
        copy_ns: busy.copy,
        overlap_ns: busy.overlap,
        unified_ns: busy.in_unified,
        migrated_bytes: of_unified(*device, OnDevice::is_migration).map(|sums| sums.bytes).sum(),
        page_faults: of_unified(*device, OnDevice::is_fault).map(|sums| sums.count).sum(),
        event_waits: sums.waits.get(device).map_or(0, |waits| waits.count),
        event_wait_ns: sums.waits.get(device).map_or(0, |waits| waits.time),
        idle_while_host_works_ns: busy.idle_while_host_works,
        busy_while_host_works_ns: busy.busy_while_host_works,
    };
    sums.busy.iter().map(report).collect()
}

fn kernels(sink: &ReportSink) -> Vec<KernelReport> {
    let report = |((device, name), sums): (&(u32, u32), &Sums)| KernelReport {
        device: *device,
        name: sink.construct_table.text(*name).to_owned(),
        runs: sums.count,
        time_ns: sums.time,
        shortest_ns: sums.shortest,
        longest_ns: sums.longest,
    };
    let mut kernels: Vec<_> = sink.devices.kernels.iter().map(report).collect();
    kernels.sort_by(|a, b| (b.time_ns, a.device, &a.name).cmp(&(a.time_ns, b.device, &b.name)));
    kernels.truncate(MOST);
    kernels
}

fn copies(sink: &ReportSink) -> Vec<CopyReport> {
    let name = |name: NameRef| sink.construct_table.text(name).to_owned();
    let all = sink.devices.copies.iter();
    sorted(all.map(|((device, of), sums)| copy(*device, name(*of), sums)).collect())
}

fn unified(sums: &DeviceSums) -> Vec<CopyReport> {
    let all = sums.unified.iter();
    let report = |((device, activity), sums): (&(u32, OnDevice), &Sums)| {
        copy(*device, activity.name(0).to_owned(), sums)
    };
    sorted(all.map(report).collect())
}

fn copy(device: u32, name: String, sums: &Sums) -> CopyReport {
    let has_rate = sums.time > 0 && sums.bytes > 0;
    CopyReport {
        device,
        name,
        count: sums.count,
        bytes: sums.bytes,
        time_ns: sums.time,
        longest_ns: sums.longest,
        bytes_per_second: has_rate.then(|| sums.bytes as f64 * 1e9 / sums.time as f64),
    }
}

fn sorted(mut copies: Vec<CopyReport>) -> Vec<CopyReport> {
    copies.sort_by(|a, b| (b.time_ns, a.device, &a.name).cmp(&(a.time_ns, b.device, &b.name)));
    copies.truncate(MOST);
    copies
}

fn targets(sums: &DeviceSums, constructs: &[ConstructReport]) -> Vec<TargetReport> {
    let report = |(construct, target): (&u32, &super::OfTarget)| {
        let at = *construct as usize;
        let host = constructs.get(at)?;
        Some(TargetReport {
            construct: at,
            calls: host.calls,
            waited_ns: host.times.of(State::WaitTarget),
            offload_ns: host.times.of(State::OverheadOffload),
            kernels: target.kernels.count,
            kernel_ns: target.kernels.time,
            copies: target.copies.count,
            copied_bytes: target.copies.bytes,
            copy_ns: target.copies.time,
            repeated: target.repeated.count,
            repeated_bytes: target.repeated.bytes,
            repeated_ns: target.repeated.time,
        })
    };
    let mut targets: Vec<_> = sums.targets.iter().filter_map(report).collect();
    targets.sort_by_key(|target| (Reverse(target.waited_ns), target.construct));
    targets
}
