//! Execution entities that are processes: each has a recording of its own, and all of them one trace.

use super::linked::{self, Run};
use super::recorded::Recorded;
use anyhow::{Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::Scratch;
use ompttrace_tests::{process, soundness};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

const THREADS: u64 = 4;
const ROUNDS: u64 = 3;
const LIMIT: Duration = Duration::from_secs(60);

fn run() -> Result<Run> {
    let (threads, rounds) = (THREADS.to_string(), ROUNDS.to_string());
    Run::of_program(&linked::program_of_processes()?, &[&threads, &rounds], &[])?.ended_well()
}

/// Together they have what was counted, and each its part of the team.
#[test]
fn each_entity_records_its_part() -> Result<()> {
    let run = run()?;
    let (counted, folders) = (run.counted()?, run.folders()?);
    ensure!(folders.len() as u64 == 1 + ROUNDS * (THREADS - 1), "{folders:?}");
    let all: Vec<_> = folders.iter().map(|run| Recorded::read(run)).collect::<Result<_>>()?;
    for (name, of) in [
        ("region begins", "regions"),
        ("region ends", "regions"),
        ("implicit begin", "implicit_tasks"),
        ("implicit end", "implicit_tasks"),
        ("loop begin", "loops"),
        ("loop end", "loops_left"),
        ("chunk", "static_shares"),
        ("mutex got 1", "locks_set"),
        ("mutex given 1", "locks_unset"),
        ("sync 8 end", "barriers"),
        ("sync 9 end", "ends"),
        ("lock made", "locks_made"),
    ] {
        let found: u64 = all.iter().map(|recorded| recorded.of(name)).sum();
        let counted = counted.of(of);
        ensure!(found == counted && found > 0, "{name}: {found} recorded, {counted} counted");
    }
    // Every region is the same one in the recordings of all its team threads.
    let mut teams: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (region, size, number) in all.iter().flat_map(|recorded| &recorded.team_threads) {
        ensure!(*size == THREADS, "a team of {size}");
        teams.entry(*region).or_default().push(*number);
    }
    teams.values_mut().for_each(|numbers| numbers.sort_unstable());
    let complete = teams.values().all(|numbers| *numbers == [0, 1, 2, 3]);
    ensure!(teams.len() as u64 == ROUNDS && complete, "{teams:?}");
    Ok(())
}

#[test]
fn their_traces_are_sound_and_one() -> Result<()> {
    let run = run()?;
    let folders = run.folders()?;
    let product = Product::find()?;
    for folder in &folders {
        let info = product.info(folder)?;
        let kind = &info["runtime"]["dialect"];
        ensure!(kind == "execution entities are processes", "{kind}");
        ensure!(info["closed"] == true && info["finalized"] == true, "{info}");
        let said = soundness::sums(&info, &product.export(folder)?)?;
        ensure!(said.is_empty(), "{said}");
    }
    let trace = folders[0].with_file_name("merged.pftrace");
    let mut merge = Command::new(&product.program);
    merge.args(["merge", "--json", "--output"]).arg(&trace).args(&folders);
    let export = serde_json::from_slice(&build::run(&mut merge, "")?)?;
    let mut judged = Judged::of(&trace, export, product.info(&folders[0])?)?;
    let faults = judged.judge().stats_errors()?;
    ensure!(faults.is_empty(), "{faults:?}");
    let begun = judged.count(
        "select count() from slice join thread_track on thread_track.id = slice.track_id \
         where what(slice.name) glob 'implicit task*'",
    )?;
    ensure!(begun == THREADS * ROUNDS, "{begun} implicit tasks in all processes");
    Ok(())
}

/// `ompttrace run` makes it by itself.
#[test]
fn the_command_makes_one_trace_of_all() -> Result<()> {
    let scratch = Scratch::new()?;
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    let (threads, rounds) = (THREADS.to_string(), ROUNDS.to_string());
    command.args(["run", "--output", "run.1", "--"]).arg(linked::program_of_processes()?);
    let run = process::run(command.args([&threads, &rounds]).current_dir(scratch.path()), LIMIT)?;
    ensure!(run.status.is_some_and(|status| status.success()), "{run:?}");
    let all = 1 + ROUNDS * (THREADS - 1);
    let line = format!("run.1/merged.pftrace: all {all} processes of the program");
    ensure!(run.stderr.contains(&line), "{}", run.stderr);
    let first = scratch.path().join("run.1");
    let product = Product::find()?;
    let (export, info) = (product.export(&first)?, product.info(&first)?);
    let mut judged = Judged::of(&first.join("merged.pftrace"), export, info)?;
    ensure!(judged.judge().stats_errors()?.is_empty());
    let processes = judged.count(
        "select count(distinct upid) from thread_track join thread using (utid) where upid in \
         (select upid from process where name glob 'processes*')",
    )?;
    ensure!(processes == all, "{processes} of {all} processes");
    Ok(())
}
