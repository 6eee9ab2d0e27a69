//! Chunks: each one that was taken ends before the next is asked for, so that a report knows what handing out takes.

use anyhow::{Context, Result, ensure};
use ompttrace_recording::Recording;
use ompttrace_recording::events::{Event, Record};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::{build, programs};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Number of chunks and sections that threads took; each must end before the same thread takes the next.
fn taken(run: &Path) -> Result<u64> {
    let recording = Recording::open(run)?;
    let mut taken = 0;
    for thread in 0..recording.threads.len() {
        let mut stream = recording.stream(thread);
        let mut open = 0_u64;
        let mut wrong = 0_u64;
        let mut each = |record: Record<'_>| match record.event() {
            Event::Dispatch(_) => {
                taken += 1;
                open += 1;
                wrong += u64::from(open > 1);
            }
            Event::ChunkEnd(_) => match open.checked_sub(1) {
                Some(left) => open = left,
                None => wrong += 1,
            },
            _ => {}
        };
        while stream.take(&mut each).is_some() {}
        ensure!(open == 0 && wrong == 0, "thread {thread}: {open} open, {wrong} wrong");
    }
    Ok(taken)
}

#[test]
fn each_ends_before_the_next_one_begins() -> Result<()> {
    // 34 chunks of three iterations and two sections.
    let (_, scratch) = super::run(&programs::by_name("c/gcc_loops")?, &[])?;
    let run = scratch.only_run()?;
    let found = taken(&run)?;
    ensure!(found == 36, "{found} chunks and sections");
    let mut report = Command::new(Product::find()?.program);
    let report = build::run(report.args(["report", "--json"]).arg(&run), "")?;
    let report: Value = serde_json::from_slice(&report)?;
    let constructs = report["constructs"].as_array().context("a list")?;
    let of =
        |what: &str| constructs.iter().find(|one| one["what"] == what).context(what.to_owned());
    for what in ["for dynamic", "sections"] {
        let handed_out = number(&of(what)?["times"], "/overhead_schedule")?;
        ensure!(handed_out > 0, "{what}: handing out took no time");
    }
    Ok(())
}

#[test]
fn without_chunks_there_are_no_ends() -> Result<()> {
    let program = programs::by_name("c/gcc_loops")?;
    let (_, scratch) = super::run(&program, &[("OMPTTRACE_EVENTS", "-dispatch")])?;
    let recording = Recording::open(&scratch.only_run()?)?;
    for thread in 0..recording.threads.len() {
        let mut stream = recording.stream(thread);
        let mut ends = 0;
        while stream
            .take(|record| ends += u64::from(matches!(record.event(), Event::ChunkEnd(_))))
            .is_some()
        {}
        ensure!(ends == 0, "thread {thread}: {ends} ends");
    }
    Ok(())
}
