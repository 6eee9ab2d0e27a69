//! Whatever a run has too little of, the program ends as it would without us, and every callback is
//! either in the recording or among the losses that it states.

mod addresses;
mod clocks;
mod disks;
mod exporter;
mod limits;
mod overflow;
mod small_stacks;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::events::loss;
use ompttrace_recording::{Event, Recording};
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::traced::{By, Scratch};
use ompttrace_tests::{build, own_counts, runtimes};

/// A traced run that had too little of something.
struct Starved {
    run: Finished,
    scratch: Scratch,
}

/// Counts of a recording's critical sections, and of those that the program counted itself.
#[derive(Debug)]
struct RunCounts {
    counted: u64,
    recorded: u64,
    lost: u64,
    closed: bool,
}

/// The program with this number of critical sections for each thread and region.
fn program(times: u32) -> Result<Program> {
    let mut program = programs::of_test("tests/starvation/works.c")?;
    program.directives.args = vec![times.to_string()];
    program.inputs.push(build::root().join("tests/programs/counted.h"));
    Ok(program)
}

/// Runs the program with the restrictions that `starve` sets; the program must not be affected.
fn starved(
    times: u32,
    starve: impl FnOnce(&Scratch, &mut Command) -> Result<()>,
) -> Result<Starved> {
    starved_program(&program(times)?, By::Runtime, starve)
}

/// Runs another program with the restrictions that `starve` sets, on libomp or on the runtime that it is linked with.
fn starved_program(
    program: &Program,
    by: By,
    starve: impl FnOnce(&Scratch, &mut Command) -> Result<()>,
) -> Result<Starved> {
    let scratch = Scratch::new()?;
    let mut command = match by {
        By::Gomp => program.command_as_linked()?,
        _ => program.command(&runtimes::libomp_19()?)?,
    };
    own_counts::attach(&mut command, &scratch);
    scratch.attach(&mut command, by)?;
    command.current_dir(scratch.path());
    starve(&scratch, &mut command)?;
    let run = process::run(&mut command, program.directives.timeout)?;
    ensure!(run.ended_by(program.directives.end), "{run:?}");
    ensure!(run.last_line() == program.last_line(), "{run:?}");
    // The runtime has words of its own on some of this.
    let ours: Vec<&str> = run.stderr.lines().filter(|line| !line.starts_with("OMP: ")).collect();
    ensure!(ours.iter().all(|line| line.starts_with("ompttrace: ")), "{}", run.stderr);
    let run = Finished { stderr: ours.join("\n"), ..run };
    Ok(Starved { run, scratch })
}

impl Starved {
    fn folder(&self) -> Result<PathBuf> {
        self.scratch.only_run().with_context(|| self.run.stderr.clone())
    }

    /// Critical sections, by the program's own count.
    fn counted(&self) -> Result<u64> {
        let own = own_counts::read(&self.scratch, own_counts::only_pid(&self.scratch)?)?;
        Ok(own.values().map(|own| own.done).sum())
    }

    /// Counted is recorded or lost, in each of the three events, or there is an error.
    fn reported(&self) -> Result<RunCounts> {
        let info = Product::find()?.info(&self.folder()?)?;
        let counted = self.counted()?;
        let mut reported =
            RunCounts { counted, recorded: 0, lost: 0, closed: info["closed"] == true };
        for event in ["mutex_acquire", "mutex_acquired", "mutex_released"] {
            reported.recorded = number(&info, &format!("/callbacks/{event}/recorded"))?;
            reported.lost = number(&info, &format!("/callbacks/{event}/lost"))?;
            ensure!(
                reported.recorded + reported.lost == counted,
                "{event}: {reported:?}\n{}",
                self.run.stderr
            );
        }
        Ok(reported)
    }

    /// Checks that no event was lost, and that the recording was closed and the trace written.
    fn is_whole(&self) -> Result<()> {
        let reported = self.reported()?;
        ensure!(reported.lost == 0 && reported.closed, "{reported:?}\n{}", self.run.stderr);
        ensure!(self.run.stderr.lines().count() == 1, "{}", self.run.stderr);
        ensure!(self.folder()?.join("trace.pftrace").is_file(), "{}", self.run.stderr);
        Ok(())
    }

    /// The losses that stderr reports where the facts cannot: exactly those that no thread reports.
    fn said_lost(&self) -> Result<u64> {
        let said = |line: &&str| line.contains("lost records that no event file counts");
        let line = self.run.stderr.lines().find(said).with_context(|| self.run.stderr.clone())?;
        let numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
        let (said, read) = (numbers.max().context("a number")?, losses(&self.folder()?)?);
        ensure!(said == read.unreported, "{said} said, {read:?}\n{}", self.run.stderr);
        Ok(said)
    }

    /// Something was lost, the user was informed, and the run came to its end.
    fn states_losses(&self) -> Result<RunCounts> {
        let reported = self.reported()?;
        ensure!(reported.lost > 0 && reported.closed, "{reported:?}\n{}", self.run.stderr);
        ensure!(self.run.stderr.contains("lost and counted"), "{}", self.run.stderr);
        Ok(reported)
    }
}

/// Losses of all kinds of records, by what reports them.
#[derive(Debug, Default)]
struct Losses {
    /// Records of the threads that lost them.
    reported: u64,
    /// The counts in the buffers, which a reader makes records of.
    unreported: u64,
}

fn losses(run: &Path) -> Result<Losses> {
    let recording = Recording::open(run).with_context(|| run.display().to_string())?;
    let mut losses = Losses::default();
    for thread in 0..recording.threads.len() {
        let mut stream = recording.stream(thread);
        while stream
            .take(|record| match record.event() {
                Event::Lost(lost) if lost.reason == loss::UNREPORTED => {
                    losses.unreported += lost.count
                }
                Event::Lost(lost) => losses.reported += lost.count,
                _ => {}
            })
            .is_some()
        {}
    }
    Ok(losses)
}

/// Puts a shell with these limits before the command.
fn within(limits: &str, command: &mut Command) {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")]);
    before(shell, command);
}

/// Puts another program before the command, in the same environment and folder.
fn before(mut first: Command, command: &mut Command) {
    first.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => first.env(name, value),
            None => first.env_remove(name),
        };
    }
    first.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    *command = first;
}

/// Returns true if the test runs as root, which may do more than a user's programs.
fn is_root() -> Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self")?) == 0)
}
