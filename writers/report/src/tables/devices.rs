//! Activities of devices: by device, kernel, direction of copies, and target construct.

use super::{Cell, Column, Table, cells, columns};
use crate::model::{CopyReport, DeviceReport, KernelReport, Report, TargetReport};
use crate::text::{bytes, count, duration, part};

/// All of them that have something to show.
pub(crate) fn all(report: &Report, top: usize) -> impl Iterator<Item = Table> {
    let tables = [
        devices(report, top),
        kernels(report, top),
        copies(report, top),
        unified(report, top),
        event_waits(report, top),
        targets(report, top),
    ];
    tables.into_iter().flatten()
}

fn devices(report: &Report, top: usize) -> Option<Table> {
    let all = &report.devices.as_ref()?.devices;
    let heads = columns([
        "device",
        "streams",
        "busy",
        "of run",
        "kernels",
        "copying",
        "overlap",
        "device idle",
    ]);
    let row = |device: &DeviceReport| {
        let name = device_name(device);
        let figures = [
            count(device.streams),
            duration(device.busy_ns),
            part(device.busy_ns, report.wall_ns),
            duration(device.kernel_ns),
            duration(device.copy_ns),
            part(device.overlap_ns, device.copy_ns),
            duration(device.idle_while_host_works_ns),
        ];
        row_of(name.trim_end(), figures)
    };
    let legend = "overlap: the part of copying in which a kernel ran; device idle: while a thread of the host worked, between \
        the first and the last activity";
    Some(Table::of("Devices", heads, all, top, row)?.legend(legend))
}

fn kernels(report: &Report, top: usize) -> Option<Table> {
    let all = &report.devices.as_ref()?.kernels;
    let busy = all.iter().map(|kernel| kernel.time_ns).sum();
    let heads =
        columns(["kernel", "device", "runs", "time", "of kernels", "mean", "shortest", "longest"]);
    let row = |kernel: &KernelReport| {
        let figures = [
            kernel.device.to_string(),
            count(kernel.runs),
            duration(kernel.time_ns),
            part(kernel.time_ns, busy),
            duration(kernel.time_ns / kernel.runs.max(1)),
            duration(kernel.shortest_ns),
            duration(kernel.longest_ns),
        ];
        row_of(&kernel.name, figures)
    };
    Table::of("Kernels", heads, all, top, row)
}

fn copies(report: &Report, top: usize) -> Option<Table> {
    let all = &report.devices.as_ref()?.copies;
    Table::of("Copies and memsets", copy_heads("copies"), all, top, copy_row)
}

fn unified(report: &Report, top: usize) -> Option<Table> {
    let all = &report.devices.as_ref()?.unified_memory;
    let legend = "page faults of the device are counted in groups; what has no time is an instant";
    let heads = copy_heads("unified memory");
    Some(Table::of("Unified memory", heads, all, top, copy_row)?.legend(legend))
}

fn copy_heads(first: &'static str) -> Vec<Column> {
    columns([first, "device", "count", "bytes", "time", "bytes/s", "longest"])
}

fn copy_row(copy: &CopyReport) -> Vec<Cell> {
    let rate = copy.bytes_per_second.map_or("-".to_owned(), |rate| bytes(rate as u64) + "/s");
    let figures = [
        copy.device.to_string(),
        count(copy.count),
        bytes(copy.bytes),
        duration(copy.time_ns),
        rate,
        duration(copy.longest_ns),
    ];
    row_of(&copy.name, figures)
}

fn event_waits(report: &Report, top: usize) -> Option<Table> {
    let all = report.devices.as_ref()?.devices.iter();
    let all: Vec<_> = all.filter(|device| device.event_waits > 0).collect();
    let row = |device: &&DeviceReport| {
        let figures = [count(device.event_waits), duration(device.event_wait_ns)];
        row_of(device_name(device).trim_end(), figures)
    };
    let heads = columns(["device", "event waits", "waited"]);
    let legend = "waited: from the call, or the end of what the stream did before, to the end of what was requested before the event";
    Some(Table::of("Waits of streams for events", heads, &all, top, row)?.legend(legend))
}

fn device_name(device: &DeviceReport) -> String {
    format!("{} {}", device.device, device.name)
}

fn targets(report: &Report, top: usize) -> Option<Table> {
    let all = &report.devices.as_ref()?.targets;
    let heads = columns([
        "target construct",
        "calls",
        "host waits",
        "offloading",
        "kernels",
        "copying",
        "copied bytes",
        "copied again",
    ]);
    let row = |target: &TargetReport| {
        let figures = [
            count(target.calls),
            duration(target.waited_ns),
            duration(target.offload_ns),
            duration(target.kernel_ns),
            duration(target.copy_ns),
            bytes(target.copied_bytes),
            bytes(target.repeated_bytes),
        ];
        std::iter::once(Cell::Construct(target.construct)).chain(cells(figures)).collect()
    };
    let legend = "host waits: time of the host's threads in the construct while a device did what it caused; offloading: the rest \
        of their time in it; copied again: bytes of the host's memory that were copied in the same direction before";
    Some(Table::of("Target constructs", heads, all, top, row)?.legend(legend))
}

fn row_of<const N: usize>(name: &str, figures: [String; N]) -> Vec<Cell> {
    std::iter::once(name.into()).chain(cells(figures)).collect()
}
