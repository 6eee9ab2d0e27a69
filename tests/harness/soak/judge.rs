//! What a run must have left: the oracle's and the program's own counts, the end that was due, and
//! for some runs the traces of all formats before their judges.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::plan::{Left, Plan};
use crate::directives::End;
use crate::exactness::{self, Unseen};
use crate::judged::Judged;
use crate::process::Finished;
use crate::product::{Product, number};
use crate::traced::{self, Scratch};
use crate::{build, otf2_judge, own_counts, soundness};

/// Traces with more events than these are made, but not judged.
const LARGE: u64 = 100_000;

/// Whether the program ended as it was told to, having said what it has to say.
pub fn ending(plan: &Plan, run: &Finished) -> String {
    let ended = run.ended_by(plan.ending.end);
    let is_killed = plan.ending.end == End::Signal(9);
    let said_all = is_killed || run.last_line() == "ok soak";
    // Where exit() comes amid work, other threads see LLVM's runtime go.
    let is_cut = plan.ending.left == Left::Cut;
    let is_known =
        |line: &str| is_known(line) || (is_cut && line.starts_with("Assertion failure at kmp"));
    let strange = run.stderr.lines().find(|line| !is_known(line) && !is_killed);
    match strange {
        _ if run.status.is_none() => format!(
            "    hung: not over after {:.1?}; stdout {:?}, stderr {:?}\n",
            run.elapsed, run.stdout, run.stderr
        ),
        None if ended && said_all => String::new(),
        _ => format!(
            "    wanted {:?}, got {:?} after {:.1?}; stdout {:?}, stderr {:?}\n",
            plan.ending.end, run.status, run.elapsed, run.stdout, run.stderr
        ),
    }
}

fn is_known(line: &str) -> bool {
    line.starts_with("OMP: ") || line.starts_with("ompttrace: ")
}

/// What is wrong with what it left; empty when nothing is.
pub fn left(plan: &Plan, run: &Finished, scratch: &Scratch) -> Result<String> {
    let mut said = first_process(plan, run, scratch)?;
    said += &counted(plan, scratch)?;
    if said.is_empty() && plan.is_drawn {
        for run in scratch.runs()? {
            said += &drawn(plan, &run).with_context(|| run.display().to_string())?;
        }
        // The exports took the buffers out of memory: nothing of them was lost on the way.
        said += &counted(plan, scratch)?;
    }
    Ok(said)
}

/// The oracle's counts and the program's own.
fn counted(plan: &Plan, scratch: &Scratch) -> Result<String> {
    let unseen = if plan.pauses() { Unseen::Anything } else { Unseen::Nothing };
    let mut said = exactness::check_seen(scratch, unseen)?;
    for pid in own_counts::pids(scratch)? {
        let runs = scratch.runs_of(pid.into());
        if own_counts::read(scratch, pid).is_ok() {
            said += &own_counts::check(scratch, pid, &runs)?;
        }
    }
    Ok(said)
}

/// The run folder of the process that was started: as finished as its ending lets it be.
fn first_process(plan: &Plan, run: &Finished, scratch: &Scratch) -> Result<String> {
    let runs = scratch.runs_of(run.pid.into());
    let [folder] = &runs[..] else {
        return Ok(format!("    not one run folder: {runs:?}; stderr {:?}\n", run.stderr));
    };
    let mut said = String::new();
    let info = Product::find()?.info(folder)?;
    let over = [&info["finalized"], &info["closed"]].map(|said| *said == true);
    if over != [plan.ending.left == Left::All; 2] {
        writeln!(said, "    finalized, closed: {over:?}")?;
    }
    let pool = traced::pool_of(folder)?.context("a run has a pool")?;
    // An exporter that was started takes the buffers away also where they were not closed.
    let is_clear = pool.exists() == (plan.ending.left != Left::All);
    if !is_clear {
        writeln!(said, "    the buffers {}: {}", pool.display(), pool.exists())?;
    }
    let makes_trace = plan.setting("OMPTTRACE_FORMAT") != Some("recording");
    let wants_trace = makes_trace && plan.ending.left != Left::Recording;
    if folder.join("trace.pftrace").is_file() != wants_trace {
        writeln!(said, "    a trace: {}; stderr {:?}", !wants_trace, run.stderr)?;
    }
    Ok(said)
}

/// A run's traces in all formats.
fn drawn(plan: &Plan, run: &Path) -> Result<String> {
    let (export, traces) = export(run)?;
    let info = Product::find()?.info(run)?;
    let mut said = String::new();
    let sums = soundness::sums(&info, &export)?;
    // Where some events are not there, others have nothing to belong to.
    if !plan.pauses() && plan.counts_itself() {
        said += &sums;
    }
    if number(&info, "/events/recorded")? > LARGE {
        return Ok(said);
    }
    let mut slices = Vec::new();
    for trace in &traces[..2] {
        let mut judged = Judged::of(trace, export.clone(), info.clone())?;
        said += &soundness::faults(&mut judged)?;
        slices.push(judged.count("select count(*) from slice")?);
    }
    if slices[0] != slices[1] {
        writeln!(said, "    Perfetto has {} slices, Chrome {}", slices[0], slices[1])?;
    }
    said += &archive(plan, &info, &traces[2].with_file_name(""))?;
    Ok(said)
}

/// The archive must be sound, and tell of tasks without end only where the recording lacks their ends.
fn archive(plan: &Plan, info: &Value, folder: &Path) -> Result<String> {
    let verdict = otf2_judge::judge(folder)?;
    if !verdict.breaches.is_empty() {
        return Ok(format!("    {} is not sound:\n{}\n", folder.display(), verdict.report()));
    }
    otf2_judge::print(folder, verdict.statistics.events.values().sum())?;
    let is_whole = info["closed"] == true && info["finalized"] == true;
    let has_ends = is_whole && !plan.pauses() && plan.counts_itself();
    match verdict.statistics.property("archive", "OMPTTRACE::UNFINISHED_TASKS") {
        Some("0") => Ok(String::new()),
        Some(_) if !has_ends => Ok(String::new()),
        other => Ok(format!("    {}: unfinished tasks: {other:?}\n", folder.display())),
    }
}

/// Perfetto's, Chrome's and OTF2's, in this order.
fn export(run: &Path) -> Result<(Value, Vec<PathBuf>)> {
    let mut command = Command::new(&Product::find()?.program);
    command.args(["export", "--json", "--format", "perfetto,chrome,otf2"]).arg(run);
    let said: Value = serde_json::from_slice(&build::run(&mut command, "")?)?;
    let paths = said["traces"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let traces: Vec<PathBuf> = paths.map(PathBuf::from).collect();
    ensure!(traces.len() == 3, "{traces:?}");
    Ok((said, traces))
}
