//! Killed and forking programs: what the runtime had sent is recorded, and a child has a recording of its own.

use super::recorded::Recorded;
use super::runs::{self, EVENTS};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::directives::End;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::soundness;

const THREADS: u64 = 4;
const SIGKILL: i32 = 9;

/// All of it, but what threads were just being reported.
#[test]
fn a_killed_run_has_what_was_sent() -> Result<()> {
    let run = runs::ending(&["3", "4", "kill"], End::Signal(SIGKILL))?;
    let (sent, folder) = (run.sent()?, run.folder()?);
    let recorded = Recorded::read(&folder)?;
    let mut missing = 0;
    for (event, name) in EVENTS.iter().enumerate().skip(1) {
        let left = sent[event].checked_sub(recorded.of(name));
        missing += left.with_context(|| format!("{name}: more than {} sent", sent[event]))?;
    }
    ensure!(missing <= THREADS && sent[runs::FORK] == 3 * 2 + 1, "{missing} missing of {sent:?}");
    let mut judged = Judged::open(&folder)?;
    let said = soundness::faults(&mut judged)?;
    ensure!(said.is_empty() && judged.info["closed"] == false, "{said}{}", judged.info);
    Ok(())
}

/// Parent and child together have what was sent; the child's has its own regions and its one thread, and
/// nothing of its parent's; also when it was made within a region, which never ends in it.
#[test]
fn a_child_has_a_recording_of_its_own() -> Result<()> {
    for how in ["fork", "fork-inside"] {
        let run = runs::ending(&["2", "4", how], End::Exit(0))?;
        let (sent, folders) = (run.sent()?, run.folders()?);
        ensure!(folders.len() == 2, "{how}: {folders:?}");
        let both = [Recorded::read(&folders[0])?, Recorded::read(&folders[1])?];
        for (event, name) in EVENTS.iter().enumerate().skip(1) {
            let found: u64 = both.iter().map(|recorded| recorded.of(name)).sum();
            ensure!(found == sent[event], "{how}, {name}: {found} recorded, {} sent", sent[event]);
        }
        let child = &both[1];
        ensure!(child.forked.len() == 3 && child.forked == child.joined, "{how}: {child:?}");
        ensure!(child.forked.is_disjoint(&both[0].forked), "{how}: {child:?}");
        let mut judged = Judged::open(&folders[1])?;
        let said = soundness::faults(&mut judged)?;
        ensure!(said.is_empty(), "{how}: {said}");
        let info = Product::find()?.info(&folders[1])?;
        ensure!(info["closed"] == true && info["finalized"] == true, "{how}: {info}");
        ensure!(number(&info, "/callbacks/thread_begin/recorded")? == 1, "{how}: {info}");
        let notes = info["runtime"]["notes"].to_string();
        ensure!(!notes.contains("had no"), "{how}: {notes}");
    }
    Ok(())
}
