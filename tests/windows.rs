//! Windows and parts of runs in front of the judges: each is sound, and shows what the whole trace shows
//! in that time.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_tests::{build, crowd, otf2_judge};
use serde_json::Value;

/// Thread and lane slices: how long they last in all, and how many there are that last.
const LASTING: &str = "select cast(sum(dur) as int) || ' in ' || count(*) from slice where dur > 0";

fn export(run: &Path, options: &[&str]) -> Result<Value> {
    let product = Product::find()?;
    let mut command = Command::new(&product.program);
    let output = build::run(command.args(["export", "--json"]).args(options).arg(run), "")?;
    Ok(serde_json::from_slice(&output)?)
}

fn path(value: &Value) -> Result<PathBuf> {
    Ok(value.as_str().context("a path")?.into())
}

fn judged(trace: &Path, export: &Value) -> Result<Judged> {
    Judged::of(trace, export.clone(), Value::Null)
}

/// As `LASTING`, of what is seen of a whole trace between two of its times.
fn lasting_between(from: u64, to: u64) -> String {
    format!(
        "select cast(sum(min(ts + dur, {to}) - max(ts, {from})) as int) || ' in ' || count(*) \
         from slice where ts < {to} and ts + dur > {from} and dur > 0"
    )
}

/// Programs with every kind of thing that may be open where a window begins.
const PROGRAMS: &[&str] = &[
    "c/nested",
    "c/fib",
    "c/critical",
    "c/lock_contended",
    "c/task_untied",
    "c/taskgroup",
    "c/for_dynamic",
    "c/nest_locks",
    "c/many_roots",
    "c/teams",
];

#[test]
fn windows_show_what_the_whole_shows() {
    let wanted = |program: &Program| PROGRAMS.contains(&program.name.as_str());
    let wrong = crowd::wrong(&runtimes::libomp_19().unwrap(), wanted, check);
    assert!(wrong.is_empty(), "{wrong}");
}

fn check(program: &Program, runtime: &Runtime) -> Result<String> {
    let traced = traced::run(program, runtime, By::Runtime, &[RECORD_ONLY])?;
    let mut said = String::new();
    for run in traced.scratch.runs()? {
        said += &wrong_in(&run)?;
    }
    Ok(said)
}

fn wrong_in(run: &Path) -> Result<String> {
    let told = export(run, &[])?;
    let mut whole = judged(&path(&told["trace"])?, &told)?;
    let span = whole.lines(
        "select coalesce(min(ts), 0) || ' ' || coalesce(max(ts + dur), 0) from slice where dur > 0",
    )?;
    let (first, last) = span[0].split_once(' ').context("two times")?;
    let (first, last): (u64, u64) = (first.parse()?, last.parse()?);
    let begin = whole.count("select start_ts from process where start_ts is not null limit 1")?;
    if last - first < 1_000 {
        return Ok(String::new());
    }
    let mut said = String::new();
    for (from, to) in [(first + (last - first) / 3, first + (last - first) / 2), (first, last)] {
        let expected = whole.lines(&lasting_between(from, to))?;
        let (from, to) = (format!("{}ns", from - begin), format!("{}ns", to - begin));
        let options = ["--from", &from, "--to", &to, "--format", "perfetto,chrome,otf2"];
        let told = export(run, &options)?;
        let traces = told["traces"].as_array().context("traces")?;
        let mut seen = judged(&path(&traces[0])?, &told)?;
        let shown = seen.lines(LASTING)?;
        if shown != expected && expected != ["[NULL]"] {
            writeln!(said, "    {from} to {to}: {shown:?} instead of {expected:?}")?;
        }
        said += &faults(&mut seen)?;
        said += &counts(&mut seen, &told)?;
        let mut chrome = judged(&path(&traces[1])?, &told)?;
        said += &faults(&mut chrome)?;
        let archive = path(&traces[2])?;
        for breach in otf2_judge::judge(archive.parent().context("a folder")?)?.breaches {
            // A window may end before a task that was made in it has run, and while a lock is held.
            if !breach.kind.ends_with("-open-at-end") {
                writeln!(said, "    {from} to {to}: {breach:?}")?;
            }
        }
    }
    Ok(said)
}

fn faults(seen: &mut Judged) -> Result<String> {
    let mut said = String::new();
    for fault in seen.judge().stats_errors()? {
        writeln!(said, "    {fault:?}")?;
    }
    let odd = [
        ("without an end", "select count(*) from slice where dur < 0"),
        (
            "backward flows",
            "select count(*) from flow join slice a on a.id = slice_out join slice b on \
             b.id = slice_in where b.ts < a.ts",
        ),
    ];
    for (what, sql) in odd {
        let count = seen.count(sql)?;
        if count > 0 {
            writeln!(said, "    {count} {what}")?;
        }
    }
    Ok(said)
}

/// The trace holds as many slices as the export says.
fn counts(seen: &mut Judged, told: &Value) -> Result<String> {
    let all =
        ["slices", "lane_slices", "instants", "lane_instants", "region_slices", "hold_slices"];
    let told: u64 = all.iter().map(|what| number(told, &format!("/{what}"))).sum::<Result<_>>()?;
    let drawn = seen.count("select count(*) from slice")?;
    Ok(if drawn == told { String::new() } else { format!("    {drawn} drawn of {told} told\n") })
}

#[test]
fn parts_are_sound_and_make_up_the_whole() -> Result<()> {
    let program = programs::by_name("c/many_tasks")?;
    let settings = [RECORD_ONLY];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    let run = traced.scratch.only_run()?;
    let told = export(&run, &[])?;
    let mut whole = judged(&path(&told["trace"])?, &told)?;
    let begin = whole.count("select start_ts from process where start_ts is not null limit 1")?;
    let parts = export(&run, &["--split", "1M"])?;
    let pieces = parts["pieces"].as_array().context("pieces")?;
    let regions = |told: &Value| number(told, "/region_slices");
    ensure!(regions(&parts)? == regions(&told)?, "{} regions", regions(&parts)?);
    ensure!(pieces.len() > 1, "{} parts: the program is too small for this test", pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        let trace = path(&piece["traces"][0])?;
        ensure!(trace.ends_with(format!("trace-part{}.pftrace", at + 1)), "{}", trace.display());
        let mut seen = judged(&trace, &parts)?;
        let wrong = faults(&mut seen)?;
        ensure!(wrong.is_empty(), "{wrong}");
        let from = begin + number(piece, "/from_ns")?;
        let to =
            if at + 1 == pieces.len() { u64::MAX >> 1 } else { begin + number(piece, "/to_ns")? };
        let (shown, expected) = (seen.lines(LASTING)?, whole.lines(&lasting_between(from, to))?);
        ensure!(shown == expected, "part {at}: {shown:?} instead of {expected:?}");
        let bytes = trace.metadata()?.len();
        ensure!(at + 1 == pieces.len() || (1 << 20..2 << 20).contains(&bytes), "{bytes} bytes");
    }
    Ok(())
}
