//! Disks that do not follow, under each policy for full buffers: recorded and lost together are what
//! was counted, one line reports it to the user, and the program ends as it would.

use super::*;
use ompttrace_tests::judged::Judged;

/// A run under this policy on a disk on which each write takes this many microseconds.
fn run(policy: &str, buffer: &str, delay: u64) -> Result<Starved> {
    starved(2000, |scratch, command| {
        command.env("OMPTTRACE_OVERFLOW", policy).env("OMPTTRACE_BUFFER", buffer);
        disks::preload(command, &scratch.path().join("run."), None, delay)
    })
}

/// The policy is in the recording, losses are where they belong, and the trace has no fault.
fn check(starved: &Starved, policy: &str, lines: usize) -> Result<RunCounts> {
    let (reported, folder) = (starved.reported()?, starved.folder()?);
    ensure!(reported.closed, "{reported:?}\n{}", starved.run.stderr);
    ensure!(starved.run.stderr.lines().count() == lines, "{}", starved.run.stderr);
    let info = Product::find()?.info(&folder)?;
    ensure!(info["overflow"] == policy, "{}", info["overflow"]);
    let damage = &info["damage"];
    for what in ["unreadable_bytes", "torn_fragments", "missing_bytes"] {
        ensure!(number(damage, &format!("/{what}"))? == 0, "{damage}");
    }
    let mut judged = Judged::open(&folder)?;
    let faults = judged.judge().stats_errors()?;
    ensure!(faults.iter().all(|fault| fault.severity == "data_loss"), "{faults:?}");
    ensure!(judged.reported("lost")? >= 3 * reported.lost, "{}", judged.export);
    ensure!(judged.reported("events")? == number(&info, "/events/recorded")?, "{}", judged.export);
    Ok(reported)
}

/// Policy `wait` loses nothing.
#[test]
fn waits() -> Result<()> {
    let reported = check(&run("wait", "16K", 2000)?, "wait", 1)?;
    ensure!(reported.lost == 0, "{reported:?}");
    Ok(())
}

/// A thread's first write takes as much as it may spend in seconds, which it does not need.
#[test]
fn drops() -> Result<()> {
    let starved = run("drop", "4K", 900_000)?;
    let reported = check(&starved, "drop", 2)?;
    ensure!(reported.lost > 0 && reported.recorded > 0, "{reported:?}");
    ensure!(starved.run.stderr.contains("the disk does not follow"), "{}", starved.run.stderr);
    Ok(())
}

/// A disk that follows costs nothing.
#[test]
fn drops_nothing_without_need() -> Result<()> {
    let reported = check(&run("drop", "16K", 0)?, "drop", 1)?;
    ensure!(reported.lost == 0, "{reported:?}");
    Ok(())
}

/// The newest events of each thread are there, and nothing was written before the end, however slow the
/// disk.
#[test]
fn keeps_the_newest() -> Result<()> {
    keeps_the_newest_on(0)?;
    keeps_the_newest_on(300_000)
}

fn keeps_the_newest_on(delay: u64) -> Result<()> {
    let starved = run("ring", "4K", delay)?;
    let reported = check(&starved, "ring", 1)?;
    ensure!(reported.lost > reported.recorded && reported.recorded > 0, "{reported:?}");
    let info = Product::find()?.info(&starved.folder()?)?;
    ensure!(number(&info, "/waits/count")? == 0, "{info}");
    // The last events of all are those of the end, of every thread.
    let ends = number(&info, "/callbacks/thread_end/recorded")?;
    ensure!(ends == number(&info, "/threads")? && ends > 1, "{ends} ends");
    Ok(())
}

/// A ring that is large enough loses nothing.
#[test]
fn keeps_all_that_fits() -> Result<()> {
    let reported = check(&run("ring", "4M", 0)?, "ring", 1)?;
    ensure!(reported.lost == 0, "{reported:?}");
    Ok(())
}

/// Events that find no room even at the end are all counted as lost.
#[test]
fn full_disks() -> Result<()> {
    for policy in ["drop", "ring"] {
        let starved = starved(2000, |scratch, command| {
            command.env("OMPTTRACE_OVERFLOW", policy).env("OMPTTRACE_BUFFER", "4K");
            disks::preload(command, &scratch.path().join("run."), Some(20 << 10), 0)
        })?;
        starved.states_losses().with_context(|| policy.to_string())?;
    }
    Ok(())
}

/// A flush that hangs in mid-run blocks only its caller: the program continues, loses what
/// finds no room, and ends. One thread, whose buffers the flush holds: it begins no write that could hang too.
#[test]
fn hanging_flushes() -> Result<()> {
    for policy in ["ring", "drop"] {
        let starved = starved(2000, |scratch, command| {
            let hanging = scratch.path().join("hanging");
            command.env("OMPTTRACE_OVERFLOW", policy).env("OMPTTRACE_BUFFER", "4K");
            command.env("OMP_NUM_THREADS", "1").env("DISK_HANGS", &hanging);
            command.env("BETWEEN", "touch hanging").env("FLUSH", hanging.with_extension("now"));
            disks::preload(command, &scratch.path().join("run."), None, 0)
        })
        .with_context(|| policy.to_string())?;
        let (reported, stderr) = (starved.reported()?, &starved.run.stderr);
        ensure!(stderr.lines().count() <= 2 && stderr.contains("has not completed"), "{stderr}");
        // What was in its buffers, and what found room in the other one until that was full.
        ensure!(
            reported.recorded > 0 && reported.lost > reported.counted / 4,
            "{policy}: {reported:?}"
        );
        ensure!(!reported.closed, "{policy}: {reported:?}");
    }
    Ok(())
}

/// A disk that hangs from the middle of the run on: with a policy that does not wait for it the program ends, with one
/// line, and nothing is lost, for all is in the buffers.
#[test]
fn hanging_disks() -> Result<()> {
    // With buffers of which none is full before the end.
    for (policy, buffer) in [("ring", "4K"), ("drop", "4M")] {
        let starved = starved(2000, |scratch, command| {
            command.env("OMPTTRACE_OVERFLOW", policy).env("OMPTTRACE_BUFFER", buffer);
            command
                .env("DISK_HANGS", scratch.path().join("hanging"))
                .env("BETWEEN", "touch hanging");
            disks::preload(command, &scratch.path().join("run."), None, 0)
        })
        .with_context(|| policy.to_string())?;
        let (reported, stderr) = (starved.reported()?, &starved.run.stderr);
        ensure!(stderr.lines().count() == 1 && stderr.contains("has not completed"), "{stderr}");
        ensure!(
            reported.recorded > 0 && (reported.lost == 0) == (policy == "drop"),
            "{policy}: {reported:?}"
        );
        ensure!(!reported.closed, "{policy}: {reported:?}");
        let export = Product::find()?.export(&starved.folder()?)?;
        ensure!(number(&export, "/lost")? >= 3 * reported.lost, "{export}");
        ensure!(starved.reported()?.recorded == reported.recorded, "{policy}: an export lost some");
    }
    Ok(())
}
