//! Checks of a finished run: the oracle's and the program's own counts, the planned end, and
//! for some runs the traces of all formats.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};

use super::plan::{Left, Plan};
use crate::all_formats::AllFormats;
use crate::directives::End;
use crate::exactness::{self, Unseen};
use crate::in_windows::InWindows;
use crate::otf2_in_windows;
use crate::own_counts;
use crate::process::Finished;
use crate::product::{Product, number};
use crate::traced::{self, Scratch};

/// Traces with more events than these are made, but not judged.
const LARGE: u64 = 100_000;

/// Faults of the program's end, which must be the planned one, with the expected output; empty if there are none.
pub fn ending(plan: &Plan, run: &Finished) -> String {
    let ended = run.ended_by(plan.ending.end);
    let is_killed = plan.ending.end == End::Signal(9);
    let said_all = is_killed || run.last_line() == "ok soak";
    // Where exit() comes during work, other threads see LLVM's runtime go.
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

/// Faults of the recordings, and of the traces if the plan has some; empty if there are none.
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

/// Differences from the oracle's counts and the program's own.
fn counted(plan: &Plan, scratch: &Scratch) -> Result<String> {
    let unseen = if plan.pauses() { Unseen::WhilePaused } else { Unseen::Nothing };
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

/// A run's traces in all formats. There may be tasks without end only where the recording lacks their ends.
fn drawn(plan: &Plan, run: &Path) -> Result<String> {
    let traces = AllFormats::export(run, &[])?;
    let info = &traces.info;
    let mut said = String::new();
    let sums = traces.sums()?;
    // Where some events are not there, others have nothing to belong to.
    if !plan.pauses() && plan.has_whole_groups() {
        said += &sums;
    }
    if number(info, "/events/recorded")? > LARGE {
        return Ok(said);
    }
    said += &traces.trace_faults()?;
    for format in ["perfetto", "chrome"] {
        said += &InWindows::of(run, format, "auto")?.faults()?;
    }
    if let Err(error) = otf2_in_windows::check(run) {
        writeln!(said, "    OTF2: {error:#}")?;
    }
    let is_whole = info["closed"] == true && info["finalized"] == true;
    let has_ends = is_whole && !plan.pauses() && plan.has_whole_groups();
    Ok(said + &traces.archives(has_ends)?)
}
