//! How many windows of a run are made for an overview, and for the sample that says at which resolutions.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{export, recorded, recorded_in_small_buffers};

/// Where a window ends, all that is open is drawn: with many threads an overview is made in fewer windows.
#[test]
fn overviews_of_many_threads_are_made_in_fewer_windows() -> Result<()> {
    let (_scratch, run) = recorded_in_small_buffers("tests/overview/many_threads.c")?;
    // 48 threads are to have 3 MiB in a window, and the usual one has one: so 4 of these are in one.
    let windows = |detail| Ok::<_, anyhow::Error>(windows(&run, ["--detail", detail])?[0]);
    let (all, overview) = (windows("all")?, windows("100us")?);
    ensure!(all >= 8 && overview <= all / 3, "{overview} windows instead of {all}");
    Ok(())
}

#[test]
fn a_third_of_a_small_run_is_sampled() -> Result<()> {
    let (_scratch, run) = recorded()?;
    let windows = windows(&run, ["--limit", "2MB"])?;
    ensure!(
        matches!(windows[..], [sampled, all] if sampled >= 4 && 3 * sampled <= all),
        "{windows:?}"
    );
    Ok(())
}

#[test]
fn a_run_of_few_windows_is_sampled_in_smaller_ones() -> Result<()> {
    let (_scratch, run) = recorded_in_small_buffers("tests/overview/phases.c")?;
    let windows = windows(&run, ["--limit", "1MB"])?;
    ensure!(matches!(windows[..], [sampled, all] if sampled >= 4 && all <= 8), "{windows:?}");
    Ok(())
}

/// How many windows an export interprets in each of its passes.
fn windows(run: &Path, how: [&str; 2]) -> Result<Vec<usize>> {
    let file = |name| run.join(format!("{}.{name}", how[1])).to_string_lossy().into_owned();
    let (steps, output) = (file("steps"), file("trace"));
    export(run, &[&how[..], &["--step-times", &steps, "--output", &output]].concat())?;
    let steps: Value = serde_json::from_str(&std::fs::read_to_string(steps)?)?;
    let passes = steps["passes"].as_array().context("no passes")?.iter();
    let steps = passes.map(|pass| pass.as_array().into_iter().flatten());
    Ok(steps.map(|steps| steps.filter(|step| step[0] == "interpret").count()).collect())
}
