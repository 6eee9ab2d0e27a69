//! Reports of time windows: adjoining ones add up to the whole, and each has the times of the trace that `export` cuts there.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use serde_json::Value;

use super::same_in_sql::check_activities_within;
use super::{list, record, record_events, sum};

/// Blame is divided among threads, and rounded once in each report.
const ROUNDING: u64 = 2;

/// The report of a window of a run.
fn report(run: &Path, options: &[&str]) -> Result<Value> {
    let mut command = Command::new(Product::find()?.program);
    command.args(["report", "--quiet", "--json"]).arg(run).args(options);
    serde_json::from_slice(&build::run(&mut command, "")?).context("report --json")
}

/// The reports from each border to the next one, from the begin of the run to its end.
fn between(run: &Path, borders: &[u64]) -> Result<Vec<Value>> {
    let times: Vec<_> = borders.iter().map(|border| format!("{border}ns")).collect();
    let of = |at: usize| {
        let from = at.checked_sub(1).and_then(|before| times.get(before));
        let options = [("--from", from), ("--to", times.get(at))];
        let given = options.iter().filter_map(|(name, time)| Some([*name, (*time)?.as_str()]));
        report(run, &given.flatten().collect::<Vec<_>>())
    };
    (0..=times.len()).map(of).collect()
}

/// The entry of a list in a report that has the same value of a field as `entry`.
fn same<'v>(report: &'v Value, path: &str, entry: &Value, field: &str) -> Option<&'v Value> {
    report.pointer(path)?.as_array()?.iter().find(|other| other[field] == entry[field])
}

/// The numbers below a path, all of an object.
fn numbers(value: &Value, path: &str) -> Vec<(String, u64)> {
    match value.pointer(path) {
        Some(Value::Object(fields)) => {
            let number = |(name, value): (&String, &Value)| {
                Some((format!("{path}/{name}"), value.as_u64()?))
            };
            fields.iter().filter_map(number).collect()
        }
        Some(value) => value.as_u64().map(|number| (path.to_owned(), number)).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Lists of a report, by what their entries are found again, and the numbers of each that add up.
const LISTS: [(&str, &str, &[&str]); 8] = [
    ("/threads", "number", &["/times", "/lifetime_ns", "/counters"]),
    ("/regions", "construct", &["/times", "/wall_ns", "/calls"]),
    (
        "/locks",
        "name",
        &["/acquired", "/contended", "/refused", "/wait_ns", "/held_ns", "/handover_ns"],
    ),
    (
        "/devices/devices",
        "device",
        &[
            "/span_ns",
            "/busy_ns",
            "/kernel_ns",
            "/copy_ns",
            "/overlap_ns",
            "/unified_ns",
            "/migrated_bytes",
            "/page_faults",
            "/event_waits",
            "/event_wait_ns",
            "/idle_while_host_works_ns",
            "/busy_while_host_works_ns",
        ],
    ),
    ("/devices/kernels", "name", &["/runs", "/time_ns"]),
    ("/devices/copies", "name", &["/count", "/bytes", "/time_ns"]),
    ("/devices/unified_memory", "name", &["/count", "/bytes", "/time_ns"]),
    (
        "/devices/targets",
        "construct",
        &[
            "/calls",
            "/waited_ns",
            "/offload_ns",
            "/kernels",
            "/kernel_ns",
            "/copies",
            "/copied_bytes",
            "/copy_ns",
            "/repeated",
            "/repeated_bytes",
            "/repeated_ns",
        ],
    ),
];
/// Numbers of the whole report that add up.
const TOTALS: [&str; 8] = [
    "/wall_ns",
    "/times",
    "/cores",
    "/taken_cores_ns",
    "/blame",
    "/tasks/created",
    "/tasks/executed",
    "/tasks/dependences",
];

/// Returns the numbers of a run's report that differ from their sums over the reports of three adjoining windows, one a line.
pub fn check(run: &Path, whole: &Value) -> Result<String> {
    let wall = number(whole, "/wall_ns")?;
    // Not where something begins or ends.
    check_at(run, whole, &[wall * 31 / 97, wall * 61 / 97])
}

/// As [`check`], with borders at these times.
pub fn check_at(run: &Path, whole: &Value, borders: &[u64]) -> Result<String> {
    let parts = between(run, borders)?;
    let mut said = String::new();
    let mut compare = |what: &str, one: &Value, others: &[Option<&Value>], paths: &[&str]| {
        for (path, all) in paths.iter().flat_map(|path| numbers(one, path)) {
            let of = |part: &Value| part.pointer(&path).and_then(Value::as_u64);
            let sum: u64 = others.iter().filter_map(|part| part.and_then(of)).sum();
            // The kernel's sums are divided among kinds of time.
            let rounds = path == "/blame/without_core_ns" || path.starts_with("/cores/");
            if all.abs_diff(sum) > if rounds { ROUNDING } else { 0 } {
                writeln!(said, "    {what}{path}: {sum} in windows of {all}")?;
            }
        }
        anyhow::Ok(())
    };
    compare("", whole, &parts.iter().map(Some).collect::<Vec<_>>(), &TOTALS)?;
    for (name, field, paths) in LISTS {
        for entry in whole.pointer(name).and_then(Value::as_array).into_iter().flatten() {
            let others: Vec<_> = parts.iter().map(|part| same(part, name, entry, field)).collect();
            compare(&format!("{} {} ", &name[1..], entry[field]), entry, &others, paths)?;
        }
    }
    // Windows know the constructs of the whole run, in the same order.
    for (at, construct) in list(whole, "constructs")?.iter().enumerate() {
        let others: Vec<_> = parts.iter().map(|part| part["constructs"].get(at)).collect();
        let paths = ["/times", "/calls", "/chunks", "/iterations", "/blame/mutex_ns"];
        compare(&format!("{} ", construct["name"]), construct, &others, &paths)?;
    }
    Ok(said)
}

/// The activities of threads in a trace that `export` cuts to a window add up to the times in the report of this window.
#[test]
fn a_window_has_the_times_of_the_trace_that_is_cut_there() -> Result<()> {
    for name in ["c/for_dynamic", "c/critical", "c/nqueens", "c/nested"] {
        let traced = record_events(&programs::by_name(name)?, &runtimes::libomp_19()?)?;
        let run = traced.scratch.only_run()?;
        let wall = number(&super::report(&run)?, "/wall_ns")?;
        let borders = [wall * 31 / 97, wall * 61 / 97].map(|border| format!("{border}ns"));
        for window in [
            &["--to", &borders[0]][..],
            &["--from", &borders[0], "--to", &borders[1]],
            &["--from", &borders[1]],
        ] {
            let report = report(&run, window)?;
            check_activities_within(&run, &report, window)
                .with_context(|| format!("{name} {window:?}"))?;
        }
    }
    Ok(())
}

/// A window of one execution has this execution, all of it and nothing else.
#[test]
fn an_execution_of_a_region_has_its_own_report() -> Result<()> {
    let traced = record(&programs::by_name("c/imbalance")?, &runtimes::libomp_19()?)?;
    let run = traced.scratch.only_run()?;
    let whole = super::report(&run)?;
    let region = &whole["regions"][0];
    let (calls, wall) = (number(region, "/calls")?, number(region, "/wall_ns")?);
    let construct = &whole["constructs"][number(region, "/construct")? as usize];
    let location = construct["location"]["short"].as_str().context("a location")?;
    let mut sums = (0, 0);
    for execution in 1..=calls {
        let report = report(&run, &["--region", location, "--instance", &execution.to_string()])?;
        let [one] = list(&report, "regions")? else { anyhow::bail!("{report:#}") };
        ensure!(one["calls"] == 1 && one["wall_ns"] == report["wall_ns"], "{one}");
        ensure!(report["life"]["from"] == "window" && report["life"]["to"] == "window");
        ensure!(one["threads"] == region["threads"], "{one}");
        sums = (sums.0 + number(one, "/calls")?, sums.1 + number(one, "/wall_ns")?);
    }
    ensure!(sums == (calls, wall), "{sums:?} of {calls}, {wall}");
    let all = report(&run, &["--region", location])?;
    ensure!(all["regions"][0]["wall_ns"] == wall && all["regions"][0]["calls"] == calls, "{all}");
    Ok(())
}

/// The report of the time after the first execution of a region counts all other executions, and no time before its end.
#[test]
fn the_first_region_can_be_left_out() -> Result<()> {
    let traced = record(&programs::by_name("c/imbalance")?, &runtimes::libomp_19()?)?;
    let run = traced.scratch.only_run()?;
    let (whole, rest) = (super::report(&run)?, report(&run, &["--after-first-region"])?);
    let calls = |report: &Value| -> Result<u64> {
        list(report, "regions")?.iter().map(|region| number(region, "/calls")).sum()
    };
    ensure!(calls(&rest)? + 1 == calls(&whole)?, "{} of {}", calls(&rest)?, calls(&whole)?);
    ensure!(rest["life"]["from"] == "window" && rest["life"]["to"] == whole["life"]["to"]);
    let left_out = number(&rest, "/window/from_ns")?;
    ensure!(number(&rest, "/wall_ns")? + left_out == number(&whole, "/wall_ns")?);
    ensure!(sum(&rest["times"])? < sum(&whole["times"])?);
    Ok(())
}
