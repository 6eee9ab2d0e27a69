//! Jobs whose clocks disagree: a real recording of which one rank's clock is made slower and set back, and then corrected.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;
use serde_json::{Value, json};

use super::jobs::{MESSAGES, Recorded, command_of};
use super::judged::Mpi;

/// Nanoseconds by which the clock of rank 1 is behind, more than messages take on a busy machine; and the time in which it loses
/// one more.
const BEHIND: u64 = 50_000_000;
const LOSES: u64 = 10_000;

const CORRECTED: [&str; 1] = ["--correct-clocks"];

/// Puts the clock of a run back, also its time of day, and lets it lose time; the run is one of another machine then.
fn put_back(run: &Path) -> Result<()> {
    let file = run.join("recording.json");
    let mut facts: Value = serde_json::from_slice(&fs::read(&file)?)?;
    let first = facts["clock"]["pairs"][0]["monotonic"].as_u64().context("a time")?;
    let moved = |time: &mut Value| {
        if let Some(known) = time.as_u64() {
            *time = json!(known - BEHIND - known.saturating_sub(first) / LOSES);
        }
    };
    let pairs = facts["clock"]["pairs"].as_array_mut().context("pairs")?;
    pairs.iter_mut().for_each(|pair| moved(&mut pair["monotonic"]));
    moved(&mut facts["life"]["began"]);
    moved(&mut facts["life"]["ended"]["monotonic"]);
    let day = facts["clock"]["realtime"].as_u64().context("a time of day")?;
    facts["clock"]["realtime"] = json!(day - BEHIND);
    facts["process"]["host"] = json!("another-machine");
    Ok(fs::write(file, facts.to_string())?)
}

#[test]
fn clocks_that_disagree_are_corrected() -> Result<()> {
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &[])?;
    put_back(&recorded.folder.join("rank.1"))?;
    let report = |options: &[&str]| recorded.json(&[&["report", "--json"], options].concat());
    let before = report(&[])?;
    let count = before["messages"]["backwards"].as_u64().context("messages")?;
    ensure!(count > 0 && before["caveats"].to_string().contains("--correct-clocks"), "{before:#}");
    let after = report(&CORRECTED)?;
    ensure!(after["messages"]["backwards"] == 0, "{:#}", after["messages"]);
    ensure!(after["messages"]["matched"] == MESSAGES, "{:#}", after["messages"]);
    let said = after["caveats"].to_string();
    ensure!(said.contains(&format!("{count} messages ran backwards, 0 do")), "{said}");

    let export = |options: &[&str]| {
        recorded.json(&[&["export", "--format", "otf2", "--json"], options].concat())
    };
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("before");
    let wrong = export(&["--output", output.to_str().context("a path")?])?;
    ensure!(wrong["backwards"] == count && wrong["corrected"].is_null(), "{wrong:#}");
    let right = export(&CORRECTED)?;
    ensure!(right["backwards"] == 0, "{right:#}");
    let corrected = &right["corrected"];
    let number = |key: &str| corrected[key].as_u64().with_context(|| format!("{key}: {corrected}"));
    ensure!(number("backwards_before")? == count && number("backwards_after")? == 0, "{corrected}");
    // What the clock was put back, and what it lost, less the time that messages take.
    ensure!((1..2 * BEHIND).contains(&number("most_ns")?), "{corrected}");
    ensure!(number("longer_ns")? <= number("most_ns")?, "{corrected}");
    let trace = recorded.json(&[&["export", "--json"], &CORRECTED[..]].concat())?;
    ensure!(trace["backwards"] == 0 && trace["corrected"]["ranks"] == 1, "{trace:#}");
    Ok(())
}

#[test]
fn one_process_has_no_clocks_to_correct() -> Result<()> {
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &[])?;
    for command in ["report", "export"] {
        let refused = command_of(&[command, "--correct-clocks"], &recorded.folder.join("rank.0"));
        ensure!(refused.is_err(), "{command} of a rank");
    }
    let other = command_of(&["export", "--format", "chrome", "--correct-clocks"], &recorded.folder);
    ensure!(other.is_err(), "one trace of each rank");
    // A rank in the folder of another one is refused before anything is written.
    fs::rename(recorded.folder.join("rank.0"), recorded.folder.join("rank.2"))?;
    let mut export = Command::new(Product::find()?.program);
    let output = export.args(["export", "--format", "otf2"]).arg(&recorded.folder).output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(
        !output.status.success() && said.contains("rank 2 has the recording of rank 0"),
        "{said}"
    );
    let left = fs::read_dir(&recorded.folder)?.count();
    ensure!(left == 2, "{left} entries");
    Ok(())
}
