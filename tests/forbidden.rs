//! Programs that forbid themselves, and with that the tool, the time-stamp counter or opening files: where the tool can
//! detect this the program continues, and so does the recording as far as possible.

use anyhow::{Result, ensure};
use ompttrace_tests::process::Finished;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::traced::{self, By, Traced};
use serde_json::Value;

/// libgomp reads no clock by itself; libomp does, and dies without us as well.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_program_that_may_not_read_the_counter_runs_and_is_recorded() -> Result<()> {
    for formats in ["perfetto", "recording"] {
        let (run, info) = traced("counter", By::Gomp, ("OMPTTRACE_FORMAT", formats))?;
        ensure!(run.stderr.contains("PR_SET_TSC") && run.stderr.lines().count() == 2, "{run:?}");
        ensure!(info["closed"] == true && regions(&info)? == (2100, 0), "{info}");
    }
    Ok(())
}

/// The facts cannot be brought up to date, so the recording is not closed; one line says so.
#[test]
fn a_program_that_may_open_no_files_any_more_loses_nothing() -> Result<()> {
    for by in [By::Runtime, By::Gomp] {
        let (run, info) = traced("files", by, ("OMPTTRACE_FORMAT", "perfetto"))?;
        ensure!(
            run.stderr.contains("the program cannot open files: run `ompttrace export"),
            "{run:?}"
        );
        ensure!(run.stderr.lines().count() == 1, "{run:?}");
        ensure!(regions(&info)? == (2100, 0), "{by:?}: {info}");
    }
    Ok(())
}

fn traced(forbid: &str, by: By, setting: (&str, &str)) -> Result<(Finished, Value)> {
    let settings = [setting, ("OMPTTRACE_BUFFER", "4K")];
    let traced = traced::run_own("tests/forbidden/forbids.c", &[forbid], by, &settings)?;
    let Traced { run, scratch } = traced;
    ensure!(run.last_line() == "ok forbids", "{run:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    Ok((run, info))
}

/// Regions that were recorded, and lost.
fn regions(info: &Value) -> Result<(u64, u64)> {
    let count = |what| number(info, &format!("/callbacks/parallel_begin/{what}"));
    Ok((count("recorded")?, count("lost")?))
}
