//! Unified memory: migrations and page faults that the program had the stand-in report are in the recording, the trace, the tables, the
//! archive and the report.

use super::reports::{finding, report, sum};
use super::written::{archive, printed};
use super::{Run, near};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::otf2_judge;
use ompttrace_tests::product::number;
use ompttrace_tests::tables::{self, Tables, shipped};

/// Rounds: each has two migrations, a fault of the host, faults of the device, and what the driver does against contention.
const ROUNDS: &str = "4";

/// The numbers in `info`, of which a device has these.
fn counts(run: &Run, is_recorded: bool) -> Result<()> {
    let info = run.info()?;
    for (field, said) in [
        ("migrations", "migrations"),
        ("migrated_bytes", "migrated"),
        ("page_faults", "faults"),
        ("host_page_faults", "host_faults"),
    ] {
        let expected = if is_recorded { run.said(said)? } else { 0 };
        let found = number(&info, &format!("/devices/{field}"))?;
        ensure!(found == expected, "{found} {field}, {expected} expected");
    }
    ensure!(number(&info, "/devices/kernels")? == run.said("kernels")?, "{}", info["devices"]);
    Ok(())
}

#[test]
fn migrations_and_page_faults_are_in_the_trace() -> Result<()> {
    let run = Run::new(&[ROUNDS, "unified"], "")?;
    counts(&run, true)?;
    let mut judged = Judged::exact(&run.path())?;
    let names = judged.lines(
        "select substr(s.name, max(instr(s.name, 'page'), 1)), count(*) from slice s join thread_track t on t.id = s.track_id join thread using (utid) \
         where thread.name = 'device 0 unified memory: Stand-in GPU' group by 1 order by 1",
    )?;
    let all = [
        "migrate device to host",
        "migrate host to device",
        "page fault of the device",
        "page fault of the host",
        "remote map",
        "thrashing",
        "throttling",
    ];
    ensure!(names == all.map(|name| format!("{name}|{ROUNDS}")), "{names:?}");
    let sums = "select sum(dur), sum(extract_arg(arg_set_id, 'debug.bytes')) from slice where name glob 'migrate *'";
    let line = judged.lines(sums)?.pop().context("sums")?;
    let (time, bytes) = line.split_once('|').context("two sums")?;
    ensure!(bytes == run.said("migrated")?.to_string(), "{line}");
    near(time.parse()?, run.said("migrate_ns")?)?;
    let args = judged.lines(
        "select distinct s.name, extract_arg(arg_set_id, 'debug.cause'), extract_arg(arg_set_id, 'debug.access') \
         from slice s where s.name glob 'migrate *' or s.name in ('remote map', 'page fault of the device') order by 1",
    )?;
    let expected = [
        "migrate device to host|coherence|null",
        "migrate host to device|user|null",
        "page fault of the device|null|write",
        "remote map|thrashing|null",
    ];
    ensure!(args == expected, "{args:?}");
    // An instruction of a function of the program, and the page that it needed.
    let faults = judged.lines(
        "select count(distinct extract_arg(arg_set_id, 'debug.address')), min(name) from slice \
         where name glob '*page fault of the host'",
    )?;
    let [fault] = &faults[..] else { anyhow::bail!("{faults:?}") };
    ensure!(fault.starts_with(&format!("{ROUNDS}|")) && fault.contains("offload.c:"), "{fault}");
    // What has no end takes no time, whatever the record has there.
    let instants = judged.count(
        "select count(*) from slice where dur > 0 and (name glob '*page fault of the host' or name in ('remote map', 'thrashing'))",
    )?;
    ensure!(instants == 0, "{instants}");
    Ok(())
}

/// However buffers come back, and however long records are.
#[test]
fn records_of_both_versions_are_counted() -> Result<()> {
    for words in ["small,thread,twelve", "backwards", "few,later"] {
        let run = Run::new(&[ROUNDS, "unified"], words)?;
        counts(&run, true).with_context(|| words.to_owned())?;
        let twelve = words.contains("twelve");
        let version = run.cupti()?["version"].to_string();
        ensure!(version.contains(if twelve { "CUDA 12" } else { "CUPTI 13.0" }), "{version}");
    }
    Ok(())
}

/// A device without unified memory: one note, and everything else.
#[test]
fn a_device_without_unified_memory_is_said_once() -> Result<()> {
    for words in ["unmanaged", "unmanaged,later"] {
        let run = Run::new(&["2", "unified"], words)?;
        counts(&run, false)?;
        let notes = run.notes()?;
        let note = "migrations and page faults of unified memory are not recorded: \
                    CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_DEVICE";
        ensure!(notes == format!("[\"{note}\"]"), "{words}: {notes}");
    }
    Ok(())
}

#[test]
fn tables_and_archives_have_migrations() -> Result<()> {
    let run = Run::new(&[ROUNDS, "unified"], "")?;
    tables::export(&run.path(), &[])?;
    let mut tables = Tables::open(run.path().join("trace-parquet"))?;
    tables.query(&shipped("open_devices")?)?;
    let sums = [
        ("sum(bytes)", "migration", "migrated"),
        ("count(*)", "migration", "migrations"),
        ("sum(count)", "page fault", "faults"),
        ("count(address)", "host page fault", "host_faults"),
    ];
    for (value, kind, said) in sums {
        let sql = format!("select ({value})::bigint from device_activity where kind = '{kind}'");
        ensure!(tables.number(&sql)? as u64 == run.said(said)?, "{sql}");
    }
    let answer = tables.query(&shipped("devices")?)?;
    let column = answer.columns.iter().position(|name| name == "migrated_bytes");
    let row =
        answer.rows.iter().find(|row| row.contains(&run.said("migrated").unwrap_or(0).into()));
    ensure!(column.is_some() && row.is_some(), "{:?} {:?}", answer.columns, answer.rows);
    let archive = archive(&run.path())?;
    otf2_judge::check(&archive)?;
    let events = printed(&archive, &[])?;
    let bytes = |of: &str, bytes: &str| {
        let with = |line: &&String| line.starts_with(of) && line.contains(bytes);
        events.iter().filter(with).count().to_string()
    };
    ensure!(bytes("RMA_GET ", "Bytes: 65536") == ROUNDS, "{events:#?}");
    let gets = events.iter().filter(|line| line.starts_with("RMA_PUT ")).count() as u64;
    // Those of target regions, and of migrations back.
    ensure!(gets == run.said("copies")? / 2 + run.said("migrations")? / 2, "{gets}");
    Ok(())
}

#[test]
fn reports_have_migrations_and_a_finding() -> Result<()> {
    let run = Run::new(&["20", "unified"], "")?;
    let report = report(&run.path())?;
    let device = &report["devices"]["devices"][0];
    ensure!(device["migrated_bytes"] == run.said("migrated")?, "{device}");
    ensure!(device["page_faults"] == run.said("faults")?, "{device}");
    let list = "/devices/unified_memory";
    ensure!(sum(&report, list, "bytes")? == run.said("migrated")? + 2 * 20 * 4096);
    let events = report.pointer(list).and_then(|list| list.as_array()).context("a list")?;
    let time = |prefix: &str| -> Result<u64> {
        let of = events
            .iter()
            .filter(|event| event["name"].as_str().is_some_and(|name| name.starts_with(prefix)));
        of.map(|event| number(event, "/time_ns")).sum()
    };
    near(time("migrate ")?, run.said("migrate_ns")?)?;
    near(time("page fault of the device")?, run.said("fault_ns")?)?;
    // They come one after the other here, and throttling is no activity that one could save alone.
    let in_all = time("")?;
    ensure!(number(device, "/unified_ns")? == in_all, "{device}: {in_all}");
    let found =
        finding(&report, "unified_memory").with_context(|| report["findings"].to_string())?;
    let (low, high) = (number(found, "/gain/low_ns")?, number(found, "/gain/high_ns")?);
    ensure!(low <= in_all && high <= in_all && 4 * high > in_all, "{found}");
    let usual = Run::new(&["20", "busy"], "")?;
    let usual = super::reports::report(&usual.path())?;
    ensure!(finding(&usual, "unified_memory").is_none(), "{}", usual["findings"]);
    Ok(())
}
