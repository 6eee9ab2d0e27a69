//! However a program ends, it ends as without us, and what it did is in the recording.

use super::linked::Run;
use super::recorded::{self, Recorded};
use anyhow::{Result, ensure};
use ompttrace_tests::directives::End;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::soundness;

const THREADS: u64 = 4;
const SIGKILL: i32 = 9;

/// All of it, but what threads were just doing.
#[test]
fn a_killed_run_has_what_was_counted() -> Result<()> {
    let run = Run::of(&["4", "1", "kill"], &[])?.ended(End::Signal(SIGKILL))?;
    let (counted, folder) = (run.counted()?, run.folder()?);
    let recorded = Recorded::read(&folder)?;
    let (found, all) = (recorded.of("mutex got 5"), counted.of("critical"));
    ensure!(found <= all && all <= found + THREADS, "{found} of {all} critical sections");
    ensure!(recorded.of("region begins") == counted.of("regions"), "{counted:?}");
    ensure!(recorded.of("region ends") + 1 == counted.of("regions"), "{counted:?}");
    let mut judged = Judged::open(&folder)?;
    let said = soundness::faults(&mut judged)?;
    ensure!(said.is_empty() && judged.info["closed"] == false, "{said}{}", judged.info);
    Ok(())
}

/// exit() inside a region: the trace ends at a stated cut, and is made.
#[test]
fn an_exit_inside_a_region_leaves_a_trace() -> Result<()> {
    let run =
        Run::of(&["4", "1", "exit"], &[("OMPTTRACE_FORMAT", "perfetto")])?.ended(End::Exit(3))?;
    let folder = run.folder()?;
    ensure!(folder.join("trace.pftrace").is_file(), "{}", run.stderr());
    let mut judged = Judged::open(&folder)?;
    let said = soundness::faults(&mut judged)?;
    ensure!(said.is_empty() && judged.info["finalized"] == false, "{said}{}", judged.info);
    Ok(())
}

/// OMPi's runtime ends a process by _exit, at which no handler is called: the recording is closed all the same.
#[test]
fn an_end_without_handlers_closes_the_recording() -> Result<()> {
    let settings = [("OMPTTRACE_FORMAT", "perfetto")];
    let run = Run::of(&["2", "1"], &settings)?.ended_well()?;
    let folder = run.folder()?;
    let info = Product::find()?.info(&folder)?;
    ensure!(info["closed"] == true && info["finalized"] == true, "{info}");
    ensure!(folder.join("trace.pftrace").is_file(), "{}", run.stderr());
    ensure!(number(&info, "/callbacks/thread_end/recorded")? >= 1, "{info}");
    Ok(())
}

/// Parent and child together have what was counted; the child's regions are its own.
#[test]
fn a_child_has_a_recording_of_its_own() -> Result<()> {
    for how in ["fork", "fork-inside"] {
        let run = Run::of(&["4", "1", how], &[])?.ended_well()?;
        let (counted, folders) = (run.counted()?, run.folders()?);
        ensure!(folders.len() == 2, "{how}: {folders:?}");
        let both = [Recorded::read(&folders[0])?, Recorded::read(&folders[1])?];
        for (name, count) in [
            ("region begins", "regions"),
            ("implicit begin", "implicit_tasks"),
            ("flush", "fences"),
            ("mutex got 5", "critical"),
            ("task", "tasks"),
        ] {
            let found: u64 = both.iter().map(|recorded| recorded.of(name)).sum();
            let in_place = if name == "task" { counted.of("tasks_in_place") } else { 0 };
            let all = counted.of(count) + in_place;
            ensure!(found == all, "{how}, {name}: {found} recorded, {all} counted");
        }
        ensure!(both[1].of("region begins") == 2, "{how}");
        ensure!(both[1].of("implicit end") == 2, "{how}");
        let mut judged = Judged::open(&folders[1])?;
        let mut said = soundness::faults(&mut judged)?;
        said += &soundness::sums(&judged.info, &judged.export)?;
        ensure!(said.is_empty(), "{how}: {said}");
        // Inside its parent's region it ends in the midst of that.
        let info = Product::find()?.info(&folders[1])?;
        ensure!(info["closed"] == (how == "fork"), "{how}: {info}");
    }
    Ok(())
}

/// A program that is small in its buffers loses nothing.
#[test]
fn small_buffers_lose_nothing() -> Result<()> {
    for buffer in ["4K", "16K@run"] {
        let run = Run::of(&["4", "5"], &[("OMPTTRACE_BUFFER", buffer)])?.ended_well()?;
        recorded::compare(&Recorded::read(&run.folder()?)?, &run.counted()?)?;
    }
    Ok(())
}
