//! Programs that are recorded between ORT and its execution entity library, by functions that forward to it: what ORT
//! asks the library for is in the recording, and where ORT's own functions are wrapped as well nothing is twice.

use super::counted::Counted;
use super::linked::{self, Run};
use super::recorded::{self, Recorded};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::directives::End;
use ompttrace_tests::judged::{Judged, dropped};
use ompttrace_tests::product::Product;
use ompttrace_tests::soundness;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const SIGKILL: i32 = 9;
/// Kinds of waits: a barrier of which no more is known, a taskwait, a region's end.
const BARRIER: u64 = 1;
const TASKWAIT: u64 = 5;
const REGION: u64 = 9;

fn run_of(program: &Path, words: &[&str]) -> Result<(Run, Counted)> {
    let run = Run::of_program(program, words, &[])?.ended_well()?;
    let counted = run.counted()?;
    Ok((run, counted))
}

/// Expected numbers of records by the names of [`Recorded::of`], from the runtime's counts.
fn expected(counted: &Counted, brings_own: bool) -> BTreeMap<String, u64> {
    let c = |name: &str| counted.of(name);
    let implicit_tasks = c("created") + c("entities");
    let of_own = |number: u64| if brings_own { number } else { 0 };
    let tasks = of_own(c("tasks") + c("tasks_in_place"));
    let run = of_own(c("tasks_run") + c("tasks_in_place"));
    // The parent's wait for the others, or every team thread's for all tasks.
    let ends = if brings_own { c("library_ends") } else { c("created") };
    let mut all = BTreeMap::from([
        ("region begins".to_owned(), c("created")),
        ("region ends".to_owned(), c("created")),
        ("implicit begin".to_owned(), implicit_tasks),
        ("implicit end".to_owned(), implicit_tasks),
        ("initial begin".to_owned(), 1),
        ("initial end".to_owned(), 1),
        ("task".to_owned(), tasks),
        ("task undeferred".to_owned(), of_own(c("tasks_at_once") + c("tasks_in_place"))),
        ("switch 7".to_owned(), run),
        ("switch 1".to_owned(), run),
    ]);
    let waits =
        [(BARRIER, c("library_barriers")), (TASKWAIT, c("library_taskwaits")), (REGION, ends)];
    for (kind, count) in waits {
        for half in ["begin", "end"] {
            all.insert(format!("sync {kind} {half}"), count);
            all.insert(format!("wait {kind} {half}"), count);
        }
    }
    all
}

/// Checks that the recording has these numbers of records and no others.
fn compare(recorded: &Recorded, expected: &BTreeMap<String, u64>) -> Result<()> {
    for (name, count) in expected {
        let found = recorded.of(name);
        ensure!(found == *count, "{name}: {found} recorded, {count} counted");
    }
    let is_known = |name: &&String| expected.contains_key(*name);
    let others: Vec<_> = recorded.names().filter(|name| !is_known(name)).collect();
    ensure!(others.is_empty(), "also recorded: {others:?}");
    Ok(())
}

#[test]
fn barriers_and_tasks_of_its_own_are_recorded() -> Result<()> {
    for threads in ["4", "2", "1"] {
        let (run, counted) = run_of(&linked::program_of_own_at_library()?, &[threads, "3"])?;
        let expected = expected(&counted, true);
        if threads != "1" {
            ensure!(expected.values().all(|count| *count > 0), "{expected:?}");
        }
        let recorded = Recorded::read(&run.folder()?)?;
        compare(&recorded, &expected).with_context(|| format!("{threads} threads"))?;
        // The data of each task are given back, those that only have our header included.
        ensure!(counted.of("tasks_run") == counted.of("nodes"), "{counted:?}");
    }
    Ok(())
}

#[test]
fn of_a_library_that_brings_neither_teams_are_recorded() -> Result<()> {
    let (run, counted) = run_of(&linked::program_at_library()?, &["4", "3"])?;
    compare(&Recorded::read(&run.folder()?)?, &expected(&counted, false))
}

/// Every team thread has its number, also in nested ones.
#[test]
fn team_threads_have_their_numbers() -> Result<()> {
    let (run, _) = run_of(&linked::program_of_own_at_library()?, &["3", "2"])?;
    let mut teams: BTreeMap<(u64, u64), Vec<u64>> = BTreeMap::new();
    for (region, size, number) in Recorded::read(&run.folder()?)?.team_threads {
        teams.entry((region, size)).or_default().push(number);
    }
    for ((region, size), numbers) in &mut teams {
        numbers.sort_unstable();
        let all: Vec<u64> = (0..*size).collect();
        ensure!(*numbers == all, "region {region}: {numbers:?} of {size}");
    }
    ensure!(teams.keys().any(|(_, size)| *size == 2), "{teams:?}");
    Ok(())
}

/// A program with the archive in front of ORT as well is recorded completely there, and each event once.
#[test]
fn nothing_is_recorded_twice() -> Result<()> {
    for threads in ["4", "1"] {
        let (run, counted) = run_of(&linked::program_of_own_at_both()?, &[threads, "3"])?;
        recorded::compare(&Recorded::read(&run.folder()?)?, &counted).context(threads)?;
        ensure!(counted.of("tasks_run") == counted.of("nodes"), "{counted:?}");
        let info = Product::find()?.info(&run.folder()?)?;
        ensure!(info["runtime"]["dialect"] == "execution entities are threads", "{info}");
    }
    Ok(())
}

#[test]
fn entities_that_are_processes_find_their_teams() -> Result<()> {
    let (threads, rounds) = (4, 3);
    let (run, counted) = run_of(&linked::program_of_processes_at_library()?, &["4", "3"])?;
    let folders = run.folders()?;
    ensure!(folders.len() as u64 == 1 + rounds * (threads - 1), "{folders:?}");
    let mut all = Recorded::default();
    for folder in &folders {
        all.add_all(folder)?;
    }
    compare(&all, &expected(&counted, false))?;
    ensure!(all.team_threads.len() as u64 == rounds * threads, "{:?}", all.team_threads);
    let product = Product::find()?;
    let dialect = "recorded at the library, execution entities are processes";
    ensure!(product.info(&folders[0])?["runtime"]["dialect"] == dialect);
    let trace = folders[0].with_file_name("merged.pftrace");
    let mut merge = Command::new(&product.program);
    merge.args(["merge", "--json", "--output"]).arg(&trace).args(&folders);
    let export = serde_json::from_slice(&build::run(&mut merge, "")?)?;
    let mut judged = Judged::of(&trace, export, product.info(&folders[0])?)?;
    ensure!(judged.judge().stats_errors()?.is_empty());
    let begun = judged.count(
        "select count() from slice join thread_track on thread_track.id = slice.track_id \
         where what(slice.name) glob 'implicit task*'",
    )?;
    ensure!(begun == rounds * threads, "{begun} implicit tasks in all processes");
    Ok(())
}

#[test]
fn the_program_does_what_it_does_without_us() -> Result<()> {
    let alone = Run::alone(&["4", "5"])?.ended_well()?;
    for program in [linked::program_of_own_at_library()?, linked::program_at_library()?] {
        let (run, _) = run_of(&program, &["4", "5"])?;
        ensure!(run.stdout() == alone.stdout(), "{:?}", run.stdout());
    }
    Ok(())
}

/// The traces are sound, whole or of a run that was killed, or ended by exit inside a region.
#[test]
fn the_traces_are_sound() -> Result<()> {
    for (how, end) in
        [("end", End::Exit(0)), ("exit", End::Exit(3)), ("kill", End::Signal(SIGKILL))]
    {
        let program = linked::program_of_own_at_library()?;
        let run = Run::of_program(&program, &["4", "2", how], &[])?.ended(end)?;
        let mut judged = Judged::open(&run.folder()?)?;
        let mut said = soundness::faults(&mut judged)?;
        if how == "end" {
            said += &soundness::sums(&judged.info, &judged.export)?;
            ensure!(dropped(&judged.export)?.is_empty(), "{}", judged.export);
        }
        ensure!(said.is_empty(), "{how}: {said}");
        let whole = how == "end";
        ensure!(judged.info["finalized"] == whole, "{how}: {}", judged.info);
        let events = &judged.info["runtime"];
        ensure!(events["dialect"] == "recorded at the library, execution entities are threads");
    }
    Ok(())
}
