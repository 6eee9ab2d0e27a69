//! Calls of MPI in the output of writers: in windows as in one, OTF2's records, arrows, the report and the table of calls.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::in_windows::InWindows;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::otf2_in_windows;
use ompttrace_tests::otf2_judge;
use ompttrace_tests::product::Product;
use ompttrace_tests::tables::{self, Tables};
use serde_json::Value;

use super::judged::{IMPLEMENTATIONS, Mpi, Numbers, Recorded};

/// A window ends where a buffer did.
const SMALL_BUFFERS: [&str; 2] = ["--buffer", "4K"];

/// Query for the number of arrows from the call that posts a request to the one that completes it.
const ARROWS: &str = "select count(*) from flow join slice a on a.id = slice_out join slice b on b.id = slice_in \
    where a.name glob '*MPI_I*' and (b.name glob '*MPI_Wait*' or b.name = 'received')";

#[test]
fn recordings_with_requests_are_read_in_windows() -> Result<()> {
    let programs = [
        (Mpi::Mpich, "judge.c"),
        (Mpi::OpenMpi, "threads.c"),
        (Mpi::Mpich, "started.c"),
        (Mpi::OpenMpi, "accesses.c"),
    ];
    for (mpi, source) in programs {
        let folder = tempfile::tempdir()?;
        let recorded = Recorded::new(mpi, source, &SMALL_BUFFERS, folder.path())?;
        let windows = InWindows::of(&recorded.run(0), "perfetto", "threads")?;
        ensure!(windows.are_several, "{source}: one window");
        ensure!(windows.said.is_empty(), "{source}: {}", windows.said);
        ensure!(otf2_in_windows::check(&recorded.run(1))?, "{source}: one window");
    }
    Ok(())
}

#[test]
fn archives_have_all_messages_as_records_of_mpi() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::new(Mpi::OpenMpi, "judge.c", &[], folder.path())?;
    for rank in 0..2 {
        let said = recorded.said(rank);
        Product::find()?.export_with(&recorded.run(rank), &["--format", "otf2"])?;
        let archive = recorded.run(rank).join("trace-otf2");
        let statistics = otf2_judge::check(&archive)?;
        let events: u64 = statistics.events.values().sum();
        otf2_judge::print(&archive, events)?;
        let count = |kinds: &[&str]| -> u64 {
            kinds.iter().filter_map(|kind| statistics.events.get(*kind)).sum()
        };
        ensure!(count(&["MpiSend", "MpiIsend"]) == said.sent.0, "{:?}", statistics.events);
        ensure!(count(&["MpiRecv", "MpiIrecv"]) == said.received.0, "{:?}", statistics.events);
        // Each is complete at the end of a round.
        let posted = ["MpiIsend", "MpiIrecvRequest"].map(|kind| count(&[kind]));
        ensure!(posted == ["MpiIsendComplete", "MpiIrecv"].map(|kind| count(&[kind])));
        let collective = ["Barrier", "Bcast", "Allreduce", "Gather", "Reduce"];
        let called = collective.iter().filter_map(|name| said.calls.get(&format!("MPI_{name}")));
        let called: u64 = called.sum();
        ensure!(count(&["MpiCollectiveBegin"]) == called, "{:?}", statistics.events);
        ensure!(count(&["MpiCollectiveEnd"]) == called, "{:?}", statistics.events);
        // The world, itself and two of its own, besides the team of its only thread.
        let sizes: Vec<_> = statistics.comms.iter().map(|comm| comm.members.len()).collect();
        ensure!(sizes == [2, 0, 2, 2, 1] || sizes == [1, 2, 0, 2, 2], "{sizes:?}");
    }
    Ok(())
}

/// Each start of a persistent request is a request of its own.
#[test]
fn messages_of_requests_that_are_started_are_in_reports_and_archives() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let folder = tempfile::tempdir()?;
        let recorded = Recorded::new(mpi, "started.c", &[], folder.path())?;
        let (said, report) = (recorded.said(0), recorded.report(0)?);
        let (sent, received) = messages(&report)?;
        ensure!((sent, received) == (said.sent, said.received), "{mpi:?}: {sent:?} {received:?}");
        Product::find()?.export_with(&recorded.run(0), &["--format", "otf2"])?;
        let events = otf2_judge::check(&recorded.run(0).join("trace-otf2"))?.events;
        let count =
            |kinds: [&str; 2]| -> u64 { kinds.iter().filter_map(|kind| events.get(*kind)).sum() };
        ensure!(count(["MpiSend", "MpiIsend"]) == said.sent.0, "{mpi:?}: {events:?}");
        ensure!(count(["MpiRecv", "MpiIrecv"]) == said.received.0, "{mpi:?}: {events:?}");
        let posted = ["MpiIsend", "MpiIrecvRequest"].map(|kind| count([kind, ""]));
        let complete = ["MpiIsendComplete", "MpiIrecv"].map(|kind| count([kind, ""]));
        ensure!(posted == complete && posted[0] >= 40, "{mpi:?}: {events:?}");
    }
    Ok(())
}

#[test]
fn arrows_lead_from_posts_to_what_completes_them() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &[], folder.path())?;
    let said = recorded.said(0);
    let posts = said.calls.get("MPI_Isend").context("posts")? + said.calls["MPI_Irecv"];
    let arrows = Judged::exact(&recorded.run(0))?.count(ARROWS)?;
    ensure!(arrows == posts, "{arrows} arrows for {posts} requests");
    Ok(())
}

/// Messages and bytes that are sent and received, by a report.
fn messages(report: &Value) -> Result<((u64, u64), (u64, u64))> {
    let calls = report["mpi"]["calls"].as_array().context("calls")?;
    let sum = |way: &str, what: &str| -> u64 {
        let calls = calls.iter().filter(|call| call["state"] != "mpi_collective");
        calls.filter_map(|call| call[way][what].as_u64()).sum()
    };
    let both = |way: &str| (sum(way, "messages"), sum(way, "bytes"));
    Ok((both("sent"), both("received")))
}

#[test]
fn the_report_has_the_programs_own_numbers() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &[], folder.path())?;
    let (said, report) = (recorded.said(0), recorded.report(0)?);
    let (sent, received) = messages(&report)?;
    let mut found = Numbers { sent, received, ..Numbers::default() };
    for call in report["mpi"]["calls"].as_array().context("calls")? {
        let function = call["function"].as_str().unwrap_or_default().to_owned();
        *found.calls.entry(function).or_default() += call["calls"].as_u64().unwrap_or(0);
        ensure!(call["location"]["line"].as_u64() > Some(0), "no call site: {call}");
    }
    ensure!(said == found, "{found:?} instead of {said:?}");
    let sizes = report["mpi"]["message_sizes"].as_array().context("sizes")?;
    let sum = |name: &str| sizes.iter().filter_map(|size| size[name].as_u64()).sum::<u64>();
    ensure!((sum("sent"), sum("received")) == (said.sent.0, said.received.0), "{sizes:?}");
    crate::schemas::outputs_follow(&recorded.run(0))?;
    // What is reported by state is the same time.
    let times = report["times"].as_object().context("times")?;
    let states = times.iter().filter(|(state, _)| state.starts_with("mpi_"));
    let in_states: u64 = states.filter_map(|(_, time)| time.as_u64()).sum();
    let tool = times["overhead_tool"].as_u64().unwrap_or(0);
    let in_calls = report["mpi"]["time_ns"].as_u64().unwrap_or(0);
    ensure!(in_states <= in_calls && in_calls <= in_states + tool, "{in_states} and {in_calls}");
    Ok(())
}

#[test]
fn the_table_of_calls_has_the_programs_own_numbers() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::new(Mpi::OpenMpi, "judge.c", &[], folder.path())?;
    let (said, run) = (recorded.said(1), recorded.run(1));
    tables::export(&run, &[])?;
    let file = run.join("trace-parquet/rank=1/mpi_calls.parquet");
    let from = format!("from '{}'", file.display());
    let mut tables = Tables::new()?;
    let rows =
        tables.query(&format!("select function, count(*)::varchar {from} group by function"))?.rows;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let calls: BTreeMap<_, _> =
        rows.iter().map(|row| (text(&row[0]), text(&row[1]).parse().unwrap_or(0))).collect();
    ensure!(calls == said.calls, "{calls:?} instead of {:?}", said.calls);
    let plain = "where root is null and function not in ('MPI_Allreduce', 'MPI_Barrier')";
    for (column, bytes) in [("sent_bytes", said.sent.1), ("received_bytes", said.received.1)] {
        let sum =
            tables.number(&format!("select coalesce(sum({column}), 0)::bigint {from} {plain}"))?;
        ensure!(sum == bytes as i64, "{column}: {sum} instead of {bytes}");
    }
    let sites =
        tables.number(&format!("select count(*) {from} where location not like 'judge.c:%'"))?;
    ensure!(sites == 0, "{sites} calls are elsewhere");
    Ok(())
}

#[test]
fn doctor_tries_each_implementation_with_two_ranks() -> Result<()> {
    let mut doctor = Command::new(Product::find()?.program);
    super::judged::without_launcher(&mut doctor);
    let output = doctor.args(["doctor", "--probe", "--json"]).output()?;
    let value: Value = serde_json::from_slice(&output.stdout)?;
    let findings = value["findings"].as_array().context("findings")?;
    let of_mpi = findings.iter().filter(|finding| finding["about"] == "MPI");
    let texts: Vec<_> = of_mpi.map(|finding| finding["text"].to_string()).collect();
    for abi in ["Open MPI", "MPICH"] {
        let begin = format!("binary interface of {abi}; tested with ");
        let is_tried =
            |text: &&String| text.contains(&begin) && text.contains("MPI_Finalize are recorded");
        ensure!(texts.iter().find(is_tried).is_some(), "{abi}: {texts:#?}");
    }
    Ok(())
}
