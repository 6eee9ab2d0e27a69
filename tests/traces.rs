//! Traces in front of Perfetto's trace processor: every program's is sound and holds what the export
//! says it wrote, and some are looked at as a user would: names, logical threads, flows.

mod closing;
mod meaning;

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use ompttrace_tests::crowd;
use ompttrace_tests::exactness::may_lose;
use ompttrace_tests::extent;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::Program;
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::soundness;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};

#[test]
fn every_trace_is_sound_and_whole() {
    crowd::check_all(&runtimes::libomp_19().unwrap(), |program, runtime| {
        check(program, runtime, u64::MAX)
    });
}

#[test]
fn on_libomp_14_too() {
    elsewhere("libomp-14");
}

#[test]
fn on_libomp_16_too() {
    elsewhere("libomp-16");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn on_intel_2024_too() {
    elsewhere("intel-2024");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn on_intel_2026_too() {
    elsewhere("intel-2026");
}

/// Number of events above which a trace is checked on libomp 19 only, where that takes seconds: no other runtime makes a
/// hundred thousand locks look different from a hundred. The sums of such traces are checked everywhere.
const LARGE: u64 = 50_000;

/// `exactness_runtimes` has the records of all programs on these runtimes.
fn elsewhere(runtime: &str) {
    let runtime = runtimes::by_name(runtime).unwrap();
    let is_wanted = |program: &Program| extent::has(&program.name, &runtime.name, 4);
    let wrong =
        crowd::wrong(&runtime, is_wanted, |program, runtime| check(program, runtime, LARGE));
    assert!(wrong.is_empty(), "{wrong}");
}

fn record(program: &Program, runtime: &Runtime) -> Result<Traced> {
    traced::run(program, runtime, By::Runtime, &[RECORD_ONLY])
}

/// Faults of the traces of one program's run; empty if there are none. Recordings of more than `most` events are only
/// exported.
fn check(program: &Program, runtime: &Runtime, most: u64) -> Result<String> {
    let traced = record(program, runtime)?;
    let runs = traced.scratch.runs()?;
    let mut said = if runs.is_empty() { "    no run folder\n".to_string() } else { String::new() };
    for run in runs {
        let product = Product::find()?;
        let (info, export) = (product.info(&run)?, product.export(&run)?);
        said += &soundness::sums_with_loss(&info, &export, may_lose(program))?;
        if number(&info, "/events/recorded")? <= most {
            said += &check_trace(&run).with_context(|| run.display().to_string())?;
        }
    }
    Ok(said)
}

fn check_trace(run: &Path) -> Result<String> {
    let mut judged = Judged::open(run)?;
    let mut said = soundness::faults(&mut judged)?;
    said += &drawn(&mut judged)?;
    said += &meaning::check(&mut judged)?;
    said += &closing::check(&mut judged)?;
    Ok(said)
}

/// Differences between the numbers of slices and instants in the trace and those that the export reported.
fn drawn(judged: &mut Judged) -> Result<String> {
    let mut said = String::new();
    let drawn = judged.drawn()?;
    for (group, slices, instants) in [
        ("threads", "slices", Some("instants")),
        ("Logical threads", "logical_thread_slices", Some("logical_thread_instants")),
        ("Parallel regions", "region_slices", None),
        ("Locks", "hold_slices", None),
    ] {
        let slices = judged.reported(slices)?;
        let instants = instants.map_or(Ok(0), |field| judged.reported(field))?;
        let found = drawn.get(group).copied().unwrap_or_default();
        let all = found.lasting + found.momentary;
        if all != slices + instants || found.lasting > slices || found.momentary < instants {
            writeln!(said, "    {group}: {found:?}, reported {slices} slices {instants} instants")?;
        }
    }
    for (field, query) in [
        ("counter_values", "select count(*) from counter"),
        (
            "logical_threads",
            "select count(*) from track t join track p on p.id = t.parent_id where p.name = 'Logical threads'",
        ),
    ] {
        let (reported, found) = (judged.reported(field)?, judged.count(query)?);
        if reported != found {
            writeln!(said, "    {field}: {found}, reported {reported}")?;
        }
    }
    let threads = judged.count("select count(*) from thread_track where name is not 'state'")?;
    if threads != number(&judged.info, "/threads")? {
        writeln!(said, "    {threads} thread tracks for {} threads", judged.info["threads"])?;
    }
    Ok(said)
}
