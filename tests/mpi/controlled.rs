//! Commands from outside to all ranks of a job, whose only events are calls of MPI.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ompttrace_recording::{Event, Recording};
use ompttrace_tests::product::Product;

use super::judged::Mpi;

/// The origin of commands from outside in their records.
const OUTSIDE: u64 = 4;
const LIMIT: Duration = Duration::from_secs(60);

/// A launcher whose ranks run until there is a file `stop`.
struct Running {
    launcher: Child,
    scratch: tempfile::TempDir,
    job: PathBuf,
}

impl Running {
    fn start() -> Result<Running> {
        let (mpi, scratch) = (Mpi::Mpich, tempfile::tempdir()?);
        let mut launcher = mpi.launcher();
        launcher.arg(Product::find()?.program).args(["run", "--start=off", "--"]);
        launcher.arg(mpi.compiled("rounds.c")?).current_dir(scratch.path());
        launcher.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = Running { launcher: launcher.spawn()?, scratch, job: PathBuf::new() };
        let started = Instant::now();
        while !["rank.0", "rank.1"].iter().all(|rank| is_recorded(&running.job.join(rank))) {
            ensure!(running.launcher.try_wait()?.is_none(), "the ranks are over");
            ensure!(started.elapsed() < LIMIT, "no recording");
            std::thread::sleep(Duration::from_millis(10));
            let mut entries = fs::read_dir(running.scratch.path())?.flatten();
            running.job = entries.next().map(|entry| entry.path()).unwrap_or_default();
        }
        Ok(running)
    }

    fn stop(&mut self) -> Result<()> {
        fs::write(self.scratch.path().join("stop"), "")?;
        let status = self.launcher.wait()?;
        ensure!(status.success(), "{status}");
        Ok(())
    }
}

impl Drop for Running {
    /// The ranks end by themselves; a launcher that is killed may leave them.
    fn drop(&mut self) {
        let _ = fs::write(self.scratch.path().join("stop"), "");
        let _ = self.launcher.wait();
    }
}

fn is_recorded(run: &Path) -> bool {
    run.join("recording.json").is_file()
}

fn ompttrace(arguments: &[&str], job: &Path) -> Result<Output> {
    let mut command = Command::new(Product::find()?.program);
    Ok(command.args(arguments).arg("--wait=60s").arg(job).stdin(Stdio::null()).output()?)
}

#[test]
fn all_ranks_of_a_job_take_a_command() -> Result<()> {
    let mut running = Running::start()?;
    let recorded = ompttrace(&["record", "--for=100ms"], &running.job)?;
    ensure!(recorded.status.success(), "{recorded:?}");
    let traces = fs::read_dir(&running.job)?.flatten();
    let mut names = traces.map(|entry| entry.file_name().to_string_lossy().into_owned());
    ensure!(names.any(|name| name.ends_with(".pftrace")), "no trace: {recorded:?}");
    for (command, answer) in
        [("start", "has started"), ("pause", "is paused"), ("end", "the program runs on")]
    {
        let output = Command::new(Product::find()?.program)
            .arg("control")
            .arg(&running.job)
            .args([command, "--wait=60s"])
            .output()?;
        let lines = String::from_utf8(output.stdout).context("text")?;
        let ranks = lines.lines().zip(["rank 0 (", "rank 1 ("]);
        let answered = ranks.filter(|(line, rank)| line.starts_with(rank) && line.contains(answer));
        ensure!(
            answered.count() == 2,
            "{command}: {lines}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    running.stop()?;
    for rank in ["rank.0", "rank.1"] {
        let run = running.job.join(rank);
        assert_eq!(commands(&run)?, [1, 2, 1, 2], "{rank}");
    }
    Ok(())
}

/// The commands from outside that a recording has.
fn commands(run: &Path) -> Result<Vec<u64>> {
    let recording = Recording::open(run)?;
    let mut commands = Vec::new();
    for thread in 0..recording.threads.len() {
        let mut stream = recording.stream(thread);
        while let Some(event) = stream.take(|record| record.event()) {
            if let Event::Control(control) = event {
                ensure!(control.origin == OUTSIDE, "{control:?}");
                commands.push(control.command);
            }
        }
    }
    Ok(commands)
}
