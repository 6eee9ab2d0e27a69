//! Devices: copies that repeat or dominate, launches that are too small, a device that idles while the host works, and a host
//! that waits though it has work. Their losses are elapsed time of the thread that offloads.

use super::gain::{ns, up_to};
use super::{Findings, WORTH, about, named, of_all};
use crate::model::{DeviceReport, Finding, Report, TargetReport};
use crate::text::{bytes, count, duration, percent};

const KEEP: &str = "keep the data on the device: `target data` around the repetitions, and \
    `target update` for what changes in between";
const COPY_LESS: &str = "map only what is needed, `to` or `from` instead of `tofrom`, or copy while kernels run \
    (`nowait` with `depend`)";
const LARGER: &str =
    "give each launch more work: offload the loop around it, or merge constructs into one";
const NOWAIT: &str = "add `nowait` and `depend`, do the host's own work meanwhile, and wait where the \
    result is needed";
const PREFETCH: &str = "move the data before it is needed, all at once (cudaMemPrefetchAsync, or `map` instead of unified memory), \
    initialise it where it is used, and keep what host and device use at the same time apart";
const OFFLOAD: &str = "offload this work, too, or do it while the device is busy";

/// Constructs with fewer kernels get no finding about launches.
const FEW: u64 = 10;

pub(super) fn find(report: &Report, found: &mut Findings) {
    let Some(devices) = &report.devices else { return };
    for target in &devices.targets {
        copies(report, target, found);
        launches(report, target, found);
        nowait(report, target, found);
    }
    for device in &devices.devices {
        unified(report, device, found);
        idle(report, device, found);
    }
}

/// True if so much elapsed time is worth a sentence.
fn worth(report: &Report, elapsed: u64) -> bool {
    elapsed as f64 >= WORTH * report.wall_ns as f64
}

/// A share of the elapsed time.
fn of_run(report: &Report, elapsed: u64) -> String {
    percent(elapsed as f64 / report.wall_ns.max(1) as f64)
}

/// A target construct's name and location.
fn target_name(report: &Report, target: &TargetReport) -> String {
    report.constructs.get(target.construct).map_or_else(|| "a target construct".to_owned(), named)
}

/// Copies that the construct makes again and again, or that take longer than its kernels.
fn copies(report: &Report, target: &TargetReport, found: &mut Findings) {
    let name = target_name(report, target);
    // What `enter data` and `exit data` copy is for all kernels.
    let (whose, kernels) = match target.kernels {
        0 => ("all", kernels_in_all(report)),
        _ => ("its", target.kernel_ns),
    };
    let mostly_repeats = 2 * target.repeated_ns > target.copy_ns;
    if mostly_repeats && worth(report, target.repeated_ns) {
        let text = format!(
            "{name}: {} of {} copies ({}, {}, {} of the run) are of memory that was copied in the same direction before",
            count(target.repeated),
            count(target.copies),
            bytes(target.repeated_bytes),
            duration(target.repeated_ns),
            of_run(report, target.repeated_ns),
        );
        let finding = about(report, "copied_again", target.construct, target.repeated_ns, text);
        let finding = finding.cured_by(KEEP, up_to(report, target.repeated_ns as f64));
        let finding = finding.shown_by("copied_again_ns", ns(target.repeated_ns));
        found.push(finding.shown_by("copied_again", target.repeated));
    } else if target.copy_ns > kernels && worth(report, target.copy_ns) {
        let text = format!(
            "{name}: devices copy {} for it in {} ({} of the run), and {whose} kernels take {}",
            bytes(target.copied_bytes),
            duration(target.copy_ns),
            of_run(report, target.copy_ns),
            duration(kernels),
        );
        let finding = about(report, "copies", target.construct, target.copy_ns, text);
        let finding = finding.cured_by(COPY_LESS, up_to(report, target.copy_ns as f64));
        let finding = finding.shown_by("copy_ns", ns(target.copy_ns));
        found.push(finding.shown_by("kernel_ns", ns(kernels)));
    }
}

/// Kernels that take less time than it takes to launch them.
fn launches(report: &Report, target: &TargetReport, found: &mut Findings) {
    let on_devices = target.kernel_ns + target.copy_ns;
    if target.kernels < FEW || target.offload_ns <= on_devices || !worth(report, target.offload_ns)
    {
        return;
    }
    let each = |time: u64| duration(time / target.kernels.max(1));
    let text = format!(
        "{}: {} kernels of {} each, for which the host takes {} each in which no device is at work, {} of the run in all",
        target_name(report, target),
        count(target.kernels),
        each(target.kernel_ns),
        each(target.offload_ns),
        of_run(report, target.offload_ns),
    );
    let finding = about(report, "launches", target.construct, target.offload_ns, text);
    let finding = finding.cured_by(LARGER, up_to(report, target.offload_ns as f64));
    let finding = finding.shown_by("offload_ns", ns(target.offload_ns));
    found.push(finding.shown_by("launched", target.kernels));
}

/// The host waits in the construct, and works while devices idle.
fn nowait(report: &Report, target: &TargetReport, found: &mut Findings) {
    let construct = report.constructs.get(target.construct);
    let may_wait = construct.is_none_or(|construct| construct.what.contains("nowait"));
    // Other work of the host that could be done meanwhile.
    let most = target.waited_ns.min(idle_in_all(report));
    if may_wait || !worth(report, most) {
        return;
    }
    let text = format!(
        "{}: the host waits {} for devices ({} of the run), and works {} while they idle",
        target_name(report, target),
        duration(target.waited_ns),
        of_run(report, target.waited_ns),
        duration(idle_in_all(report)),
    );
    let finding = about(report, "nowait", target.construct, target.waited_ns, text);
    let finding = finding.cured_by(NOWAIT, up_to(report, most as f64));
    let finding = finding.shown_by("host_waits_ns", ns(target.waited_ns));
    found.push(finding.shown_by("device_idle_ns", ns(idle_in_all(report))));
}

/// The time of all kernels.
fn kernels_in_all(report: &Report) -> u64 {
    let kernels = report.devices.iter().flat_map(|devices| &devices.kernels);
    kernels.fold(0, |sum: u64, kernel| sum.saturating_add(kernel.time_ns))
}

/// The idleness of the device that idles longest while the host works.
fn idle_in_all(report: &Report) -> u64 {
    let devices = report.devices.iter().flat_map(|devices| &devices.devices);
    devices.map(|device| device.idle_while_host_works_ns).max().unwrap_or(0)
}

/// A device's number and name.
fn device_name(device: &DeviceReport) -> String {
    match &*device.name {
        "" => format!("Device {}", device.device),
        name => format!("Device {} ({name})", device.device),
    }
}

/// Migrations and page faults take more than half of the time in which a device is busy.
fn unified(report: &Report, device: &DeviceReport, found: &mut Findings) {
    let lost = device.unified_ns;
    if 2 * lost <= device.busy_ns || !worth(report, lost) {
        return;
    }
    let text = format!(
        "{}: unified memory ({} migrated, {} groups of page faults) takes {} ({} of the run), of {} in which the device is busy",
        device_name(device),
        bytes(device.migrated_bytes),
        count(device.page_faults),
        duration(lost),
        of_run(report, lost),
        duration(device.busy_ns),
    );
    let finding = Finding {
        kind: "unified_memory",
        lost_ns: lost,
        share: of_all(report, lost),
        text,
        ..Finding::default()
    };
    let finding = finding.cured_by(PREFETCH, up_to(report, lost as f64));
    let finding = finding.shown_by("unified_ns", ns(lost));
    found.push(finding.shown_by("device_busy_ns", ns(device.busy_ns)));
}

fn idle(report: &Report, device: &DeviceReport, found: &mut Findings) {
    let lost = device.idle_while_host_works_ns;
    if !worth(report, lost) {
        return;
    }
    let text = format!(
        "{} idles for {} while the host works, {} of the run, between its first and its last activity",
        device_name(device),
        duration(lost),
        of_run(report, lost),
    );
    let finding = Finding {
        kind: "device_idle",
        lost_ns: lost,
        share: of_all(report, lost),
        text,
        ..Finding::default()
    };
    let most = lost.min(device.busy_ns);
    let finding = finding.cured_by(OFFLOAD, up_to(report, most as f64));
    let finding = finding.shown_by("device_idle_ns", ns(lost));
    found.push(finding.shown_by("device_busy_ns", ns(device.busy_ns)));
}
