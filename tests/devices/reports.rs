//! Reports on devices: sums are those of the stand-in, findings those of what was planted, and the H100's recording gives what its
//! trace does.

use super::{Run, real};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::process;
use ompttrace_tests::product::{Product, number};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn printed(options: &[&str], run: &Path) -> Result<String> {
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    let output = command.arg("report").args(options).arg(run).output()?;
    ensure!(output.status.success(), "{output:?}");
    Ok(String::from_utf8(output.stdout)?)
}

pub(super) fn report(run: &Path) -> Result<Value> {
    crate::schemas::outputs_follow(run)?;
    Ok(serde_json::from_str(&printed(&["--json"], run)?)?)
}

/// The sum of a field of a list.
pub(super) fn sum(report: &Value, list: &str, field: &str) -> Result<u64> {
    let entries = report.pointer(list).and_then(Value::as_array).context(list.to_owned())?;
    entries.iter().map(|entry| number(entry, &format!("/{field}"))).sum()
}

/// A device's streams neither work nor wait, and the program's only thread has all states of the host.
#[test]
fn reports_are_about_the_programs_threads() -> Result<()> {
    let run = Run::new(&["3"], "")?;
    let report = report(&run.path())?;
    let threads = report["threads"].as_array().context("threads")?;
    ensure!(threads.len() == 1, "{threads:?}");
    let time = |state: &str| number(&report, &format!("/times/{state}"));
    // It waits while the device is busy for it, and offloads meanwhile.
    ensure!(time("wait_target")? + 1000 > run.said("kernel_ns")?, "{}", report["times"]);
    ensure!(time("overhead_offload")? > 0 && time("target")? == 0, "{}", report["times"]);
    Ok(())
}

#[test]
fn sums_of_devices_are_those_that_the_program_printed() -> Result<()> {
    let run = Run::new(&["5"], "")?;
    let report = report(&run.path())?;
    ensure!(sum(&report, "/devices/kernels", "runs")? == run.said("kernels")?);
    let count = sum(&report, "/devices/copies", "count")?;
    ensure!(count == run.said("copies")? + run.said("sets")?, "{}", report["devices"]);
    ensure!(sum(&report, "/devices/targets", "copied_bytes")? == run.said("bytes")?);
    ensure!(report["devices"]["kernels"][0]["name"] == "scale");
    let device = &report["devices"]["devices"][0];
    ensure!(device["name"] == "Stand-in GPU" && device["streams"] == 2, "{device}");
    // By the trace, to the nanosecond: streams do nothing at the same time here.
    let mut judged = Judged::exact(&run.path())?;
    let streams = "select sum(dur) from slice where category = 'device' and name not glob 'cu*'";
    let traced = judged.lines(streams)?;
    let busy = number(&report, "/devices/devices/0/busy_ns")?;
    ensure!(traced == [busy.to_string()], "{traced:?} and {busy}");
    let page = run.path().with_extension("html");
    printed(&["--html", page.to_str().context("a path")?], &run.path())?;
    let (text, page) = (printed(&[], &run.path())?, std::fs::read_to_string(page)?);
    for table in ["Devices", "Kernels", "Copies and memsets", "Target constructs"] {
        ensure!(text.lines().any(|line| line == table) && page.contains(table), "{table}: {text}");
    }
    Ok(())
}

#[test]
fn the_hosts_states_are_in_the_trace() -> Result<()> {
    let run = Run::new(&["3"], "")?;
    let mut judged = Judged::exact(&run.path())?;
    let waits = judged.lines(
        "select count(*) from slice where name = 'wait for device' and category glob 'state*'",
    )?;
    ensure!(waits == [(run.said("kernels")? + run.said("copies")?).to_string()], "{waits:?}");
    let offloads = judged.lines(
        "select count(*) > 0 from slice where name = 'offload' and category glob 'state*'",
    )?;
    ensure!(offloads == ["1"], "{offloads:?}");
    Ok(())
}

/// The finding of a kind, if there is one.
pub(super) fn finding<'r>(report: &'r Value, kind: &str) -> Option<&'r Value> {
    report["findings"].as_array()?.iter().find(|found| found["kind"] == kind)
}

/// Its gain's range has what was planted.
#[test]
fn findings_name_what_was_planted() -> Result<()> {
    for (plan, rounds, kind, field) in [
        ("copied_again", 20, "copied_again", "repeated_ns"),
        ("copies", 20, "copies", "copy_ns"),
        ("launches", 40, "launches", "offload_ns"),
        ("nowait", 20, "nowait", "waited_ns"),
    ] {
        let run = Run::new(&[&rounds.to_string(), plan], "")?;
        let report = report(&run.path())?;
        let found = finding(&report, kind).with_context(|| format!("{plan}: {report}"))?;
        let planted = sum(&report, "/devices/targets", field)?;
        let (low, high) = (number(found, "/gain/low_ns")?, number(found, "/gain/high_ns")?);
        ensure!(low <= planted && high <= planted && 4 * high > planted, "{plan}: {found}");
        // Kinds of copies exclude each other, and what is not planted takes no time to speak of.
        for other in ["copied_again", "copies", "nowait"].iter().filter(|other| **other != kind) {
            ensure!(finding(&report, other).is_none(), "{plan}: {other}");
        }
    }
    Ok(())
}

#[test]
fn a_device_that_idles_while_the_host_works_is_a_symptom_of_waiting() -> Result<()> {
    let run = Run::new(&["20", "nowait"], "")?;
    let report = report(&run.path())?;
    let nowait = finding(&report, "nowait").context("no finding")?;
    ensure!(nowait["explains"][0]["kind"] == "device_idle", "{nowait}");
    Ok(())
}

/// A host that waits because it has nothing else to do is no finding, nor is a device that is busy all the time.
#[test]
fn a_busy_device_is_no_finding() -> Result<()> {
    let run = Run::new(&["20", "busy"], "")?;
    let report = report(&run.path())?;
    for kind in ["copied_again", "copies", "nowait", "device_idle"] {
        ensure!(finding(&report, kind).is_none(), "{kind}: {}", report["findings"]);
    }
    Ok(())
}

#[test]
fn the_report_of_a_real_device_has_what_its_trace_has() -> Result<()> {
    let folder = real()?;
    let report = report(folder.path())?;
    let mut judged = Judged::exact(folder.path())?;
    let by_name = judged.lines(
        "select count(*), sum(dur) from slice where category = 'device' and name not glob 'copy *' and name != 'memset'",
    )?;
    let runs = sum(&report, "/devices/kernels", "runs")?;
    let time = sum(&report, "/devices/kernels", "time_ns")?;
    ensure!(by_name == [format!("{runs}|{time}")] && runs == 21, "{by_name:?}: {runs} {time}");
    ensure!(sum(&report, "/devices/copies", "bytes")? == 402_661_428);
    let device = &report["devices"]["devices"][0];
    ensure!(device["name"].as_str().is_some_and(|name| name.contains("H100")), "{device}");
    // Copies from memory that is not pinned take longer than all kernels there.
    ensure!(number(device, "/copy_ns")? > number(device, "/kernel_ns")?, "{device}");
    Ok(())
}

/// Activities count in the window in which they end, and take time in those in which they go on.
#[test]
fn devices_in_adjoining_windows_add_up() -> Result<()> {
    let (memory, events) = (Run::new(&["5", "unified"], "")?, Run::new(&["5", "events"], "")?);
    let folder = real()?;
    for path in [&memory.path(), &events.path(), folder.path()] {
        let report = report(path)?;
        ensure!(report["devices"]["kernels"].as_array().is_some_and(|all| !all.is_empty()));
        // The device is used near the end of the run.
        let wall = number(&report, "/wall_ns")?;
        let borders = [31, 61, 85, 86, 87, 88, 89].map(|part| wall * part / 97);
        let said = crate::report::windows::check_at(path, &report, &borders)?;
        ensure!(said.is_empty(), "{}:\n{said}", path.display());
    }
    Ok(())
}
